package timing

import "unsafe"

// budget counts the bytes that a model holds, including those kept for reuse.
type budget struct{ held int }

// take adds n bytes.
func (b *budget) take(n uintptr) { b.held += int(n) }

// drain returns the number of bytes counted, and resets it to 0.
func (b *budget) drain() (n int) {
	n, b.held = b.held, 0
	return n
}

// chunk is a piece of a tape. It is small, because a run can have thousands of waves.
type chunk struct {
	next *chunk
	n    uint8 // number of bytes written
	b    [55]byte
}

// chain is a list of chunks.
type chain struct{ first, last *chunk }

// put appends the chunks from first to last, if there are any.
func (c *chain) put(first, last *chunk) {
	if first == nil {
		return
	}
	if last.next = c.first; c.first == nil {
		c.last = last
	}
	c.first = first
}

// pool allocates chunks and keeps unused ones. Growing tapes therefore leave no garbage, so that the budget equals
// the memory of the host.
type pool struct {
	budget *budget
	chain
	room  int  // number of bytes that the budget should not exceed
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

// tape is a sequence of numbers, written at one end and read from the other. Small numbers take one byte.
type tape struct{ first, last *chunk }

// room makes n more bytes available in one chunk of t. Values that are read together must be written together.
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

// put writes x. The caller has made room.
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

// reader is a position on a tape.
type reader struct {
	c  *chunk
	at uint8
}

// more reports whether t has more numbers, and advances to the chunk with the next one. Chunks that have been read
// are added to p, if p is not nil.
func (r *reader) more(t *tape, p *chain) bool {
	return r.c != nil && r.at < r.c.n || r.turn(t, p)
}

// turn does what more does at the end of a chunk.
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

// get returns the next number of the current chunk, which must have one.
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

// zigzag encodes a signed difference so that small magnitudes are small numbers.
func zigzag(d int64) uint64 { return uint64(d<<1) ^ uint64(d>>63) }

// unzigzag is the inverse of zigzag.
func unzigzag(x uint64) int64 { return int64(x>>1) ^ -int64(x&1) }
