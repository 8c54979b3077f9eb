package device

import "slices"

// pageBytes is the size of a page, of the host and of the GPU.
const pageBytes = 4096

// store is the memory file of an open file: a sparse address space of which buffer objects
// are pieces. The kernel's tables of the pages that are touched are all that it costs.
type store struct {
	memory
	free []extent // sorted by offset, apart from each other
	used uint64   // bytes that are given away
}

// extent is a piece of the file.
type extent struct{ off, size uint64 }

func newStore(size uint64) (*store, error) {
	m, err := newMemory(size)
	if err != nil {
		return nil, err
	}
	return &store{memory: m, free: []extent{{0, size}}}, nil
}

// alloc takes size bytes, a multiple of a page, at a multiple of align, a power of two. Fresh
// bytes are 0.
func (s *store) alloc(size, align uint64) (off uint64, ok bool) {
	for i, e := range s.free {
		start := (e.off + align - 1) &^ (align - 1)
		if start < e.off || start-e.off > e.size || e.size-(start-e.off) < size {
			continue
		}
		var rest []extent
		if start > e.off {
			rest = append(rest, extent{e.off, start - e.off})
		}
		if end, after := e.off+e.size, start+size; after < end {
			rest = append(rest, extent{after, end - after})
		}
		s.free = slices.Replace(s.free, i, i+1, rest...)
		s.used += size
		return start, true
	}
	return 0, false
}

// release gives a piece back: its pages go, so that it is 0 when it is taken again.
func (s *store) release(off, size uint64) {
	s.punch(off, size)
	s.used -= size
	i, _ := slices.BinarySearchFunc(s.free, off, func(e extent, off uint64) int {
		if e.off < off {
			return -1
		}
		return 1
	})
	e := extent{off, size}
	if i < len(s.free) && s.free[i].off == off+size {
		e.size += s.free[i].size
		s.free = slices.Delete(s.free, i, i+1)
	}
	if i > 0 && s.free[i-1].off+s.free[i-1].size == off {
		s.free[i-1].size += e.size
		return
	}
	s.free = slices.Insert(s.free, i, e)
}
