package device

import (
	"slices"
	"sync"
)

// pageBytes is the size of a page, of the host and of the GPU.
const pageBytes = 4096

// store is the memory file of an open file. Buffer objects are pieces of it. Pages that are touched
// are all that it costs. Programs can touch those that are no buffer object's, too: so the file is no
// larger than what they may allocate.
//
// It is safe for concurrent use.
type store struct {
	memory
	size uint64 // of the file

	mu    sync.Mutex // guards what follows
	free  []extent   // sorted by offset, apart from each other
	used  uint64     // bytes that are given away
	users int        // who keeps it: the open file, and shares
}

// extent is a piece of the file.
type extent struct{ off, size uint64 }

func newStore(size uint64) (*store, error) {
	m, err := newMemory(size)
	if err != nil {
		return nil, err
	}
	return &store{memory: m, free: []extent{{0, size}}, size: size, users: 1}, nil
}

// keep returns s, with one user more, who closes it.
func (s *store) keep() *store {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
	return s
}

// close ends the memory file when its last user does.
func (s *store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users > 0 {
		return nil
	}
	return s.memory.close()
}

// taken returns how many bytes are given away.
func (s *store) taken() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// alloc takes size bytes, a multiple of a page, of the smallest piece that has them: so large ones
// stay whole. Fresh bytes are 0. It fails if size is 0.
func (s *store) alloc(size uint64) (off uint64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	best := -1
	for i, e := range s.free {
		if e.size >= size && (best < 0 || e.size < s.free[best].size) {
			best = i
		}
	}
	if best < 0 || size == 0 {
		return 0, false
	}
	e := &s.free[best]
	off = e.off
	e.off, e.size = e.off+size, e.size-size
	if e.size == 0 {
		s.free = slices.Delete(s.free, best, best+1)
	}
	s.used += size
	return off, true
}

// largest returns the size of the largest free piece.
func (s *store) largest() (size uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.free {
		size = max(size, e.size)
	}
	return size
}

// release gives a piece back: its pages go, so that it is 0 when it is taken again.
func (s *store) release(off, size uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
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
