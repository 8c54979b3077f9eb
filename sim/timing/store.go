package timing

import "unsafe"

// budget counts the bytes that a model holds, with what is kept for later use.
type budget struct{ held int }

// take counts n bytes more.
func (b *budget) take(n uintptr) { b.held += int(n) }

// chunkLen is the length of a chunk: short, because a run can have thousands of waves.
const chunkLen = 64

// pool makes chunks and keeps those that are not used. Growing streams leave no garbage
// that way, so what the host needs is what the budget counts.
type pool[T any] struct {
	budget *budget
	free   []*[chunkLen]T
}

func (p *pool[T]) get() *[chunkLen]T {
	if n := len(p.free); n > 0 {
		c := p.free[n-1]
		p.free = p.free[:n-1]
		return c
	}
	// The pointer to a chunk lies in a list or here, which both may have grown to twice
	// what they need.
	p.budget.take(unsafe.Sizeof([chunkLen]T{}) + 4*unsafe.Sizeof(p))
	return new([chunkLen]T)
}

// list is a sequence of values in chunks.
type list[T any] struct {
	chunks []*[chunkLen]T
	n      int
}

// at returns a pointer to value i.
func (l *list[T]) at(i int) *T { return &l.chunks[i/chunkLen][i%chunkLen] }

// add appends v.
func (l *list[T]) add(p *pool[T], v T) {
	if l.n == chunkLen*len(l.chunks) {
		l.chunks = append(l.chunks, p.get())
	}
	*l.at(l.n) = v
	l.n++
}

// drop empties l and gives its chunks back.
func (l *list[T]) drop(p *pool[T]) {
	p.free = append(p.free, l.chunks...)
	clear(l.chunks)
	l.chunks, l.n = l.chunks[:0], 0
}
