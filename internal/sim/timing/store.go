package timing

import "unsafe"

// budget counts the bytes that a model holds, with what is kept for later use.
type budget struct{ held int }

// take counts n bytes more.
func (b *budget) take(n uintptr) { b.held += int(n) }

// drain returns how many bytes were counted, and counts from 0 on.
func (b *budget) drain() (n int) {
	n, b.held = b.held, 0
	return n
}

// chunk is a piece of a tape: short, because a run can have thousands of waves.
type chunk struct {
	next *chunk
	n    uint8 // bytes that are written
	b    [55]byte
}

// chain is a list of chunks.
type chain struct{ first, last *chunk }

// put adds the chunks from first to last, if there are any.
func (c *chain) put(first, last *chunk) {
	if first == nil {
		return
	}
	if last.next = c.first; c.first == nil {
		c.last = last
	}
	c.first = first
}

// pool makes chunks and keeps those that are not used. Growing tapes leave no garbage that
// way, so that the budget counts what the host needs.
type pool struct {
	budget *budget
	chain
	room  int  // how many bytes the budget had better not exceed
	short bool // the budget has exceeded room
}

func (p *pool) get() *chunk {
	c := p.first
	if c == nil {
		p.budget.take(unsafe.Sizeof(*c))
		p.short = p.budget.held > p.room
		return new(chunk)
	}
	p.first, c.next, c.n = c.next, nil, 0
	return c
}

// tape is a sequence of numbers, written at one end and read from the other. Small ones take
// a byte.
type tape struct{ first, last *chunk }

// room makes t take n bytes more in one chunk. What is read at once is written at once.
func (t *tape) room(p *pool, n uint8) {
	if t.last == nil || t.last.n+n > uint8(len(t.last.b)) {
		t.grow(p)
	}
}

//go:noinline
func (t *tape) grow(p *pool) {
	c := p.get()
	if t.last == nil {
		t.first = c
	} else {
		t.last.next = c
	}
	t.last = c
}

// put writes x, for which there is room.
func (t *tape) put(x uint64) {
	c := t.last
	for x >= 0x80 {
		c.b[c.n] = byte(x) | 0x80
		c.n++
		x >>= 7
	}
	c.b[c.n] = byte(x)
	c.n++
}

// drop empties t.
func (t *tape) drop(p *pool) {
	p.put(t.first, t.last)
	*t = tape{}
}

// reader is a place on a tape.
type reader struct {
	c  *chunk
	at uint8
}

// more reports whether t has more, and goes to the chunk that has it. The chunks that it has
// left p gets, if it is not nil.
func (r *reader) more(t *tape, p *chain) bool {
	return r.c != nil && r.at < r.c.n || r.turn(t, p)
}

// turn is more at the end of a chunk.
//
//go:noinline
func (r *reader) turn(t *tape, p *chain) bool {
	switch old := r.c; {
	case old == nil:
		r.c = t.first
	case old.next == nil:
		return false
	default:
		r.c, r.at = old.next, 0
		if p != nil {
			t.first = r.c
			p.put(old, old)
		}
	}
	return r.c != nil && r.at < r.c.n
}

// get returns the next number of a chunk that has it.
func (r *reader) get() uint64 {
	x := uint64(r.c.b[r.at])
	r.at++
	if x < 0x80 {
		return x
	}
	x &= 0x7f
	for shift := 7; ; shift += 7 {
		b := r.c.b[r.at]
		r.at++
		x |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return x
		}
	}
}

// zigzag returns a difference as a number that is small if the difference is.
func zigzag(d int64) uint64 { return uint64(d<<1) ^ uint64(d>>63) }

// unzigzag is the inverse of zigzag.
func unzigzag(x uint64) int64 { return int64(x>>1) ^ -int64(x&1) }
