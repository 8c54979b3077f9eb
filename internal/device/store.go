package device

import (
	"slices"
	"sync"
)

// pageBytes is the page size of the host and of the GPU.
const pageBytes = 4096

// store is the memory file of an open file. Buffer objects are pieces of it, and only touched pages cost memory.
// Programs can also touch pages outside of buffer objects, so the file is only as large as the memory that they may
// allocate.
//
// It is safe for concurrent use.
type store struct {
	memory
	size uint64 // of the file

	mu    sync.Mutex // guards the fields below
	free  []extent   // sorted by offset, apart from each other
	used  uint64     // bytes that are allocated
	users int        // number of users: the open file, and shares
}

// extent is a range of bytes in the file.
type extent struct{ off, size uint64 }

func newStore(size uint64) (*store, error) {
	m, err := newMemory(size)
	if err != nil {
		return nil, err
	}
	return &store{memory: m, free: []extent{{0, size}}, size: size, users: 1}, nil
}

// keep adds a user, who must call close, and returns s.
func (s *store) keep() *store {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
	return s
}

// close removes a user. The memory file closes with the last user.
func (s *store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users > 0 {
		return nil
	}
	return s.memory.close()
}

// taken returns the number of allocated bytes.
func (s *store) taken() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// alloc allocates size bytes, a multiple of a page, from the smallest free piece that is large enough, so that large
// pieces stay whole. The bytes are 0. It fails if size is 0 or no piece is large enough.
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

// release frees a piece. Its pages are dropped, so that it is 0 when it is allocated again.
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
