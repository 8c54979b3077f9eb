package timing

import (
	"math/bits"
	"unsafe"
)

// line is one line of a cache: small, so that a set of four is a line of the host's.
type line struct {
	tag   uint64 // line number plus 1, times 2, plus 1 if DRAM has not got it; 0 if empty
	ready uint64 // when its data arrives
}

const dirty = 1

// is reports whether l is the line with number n.
func (l *line) is(n uint64) bool { return l.tag|dirty == (n+1)<<1|dirty }

// numberOf returns which line has a tag.
func numberOf(tag uint64) uint64 { return tag>>1 - 1 }

// cache is set-associative with least-recently-used replacement: the lines of a set are in the
// order of their use, latest first. It has storage for the sets
// that were used and their neighbours: a short run touches few of them.
type cache struct {
	budget *budget
	parts  [][]line // nil until a line of it is looked for
	ways   int
	each   uint8 // sets of a part, as a power of two
	sets   divisor
	// hashed: the bits of the line number above those of the set are folded into the set, so that lines far apart
	// by a power of two do not share one.
	hashed bool
}

// partLines is about how many lines a part of a cache has.
const partLines = 128

func newCache(b *budget, bytes, ways int) cache {
	sets := max(bytes/(LineBytes*ways), 1)
	each := uint8(bits.Len(uint(min(max(partLines/ways, 1), sets))) - 1)
	c := cache{budget: b, parts: make([][]line, (sets-1)>>each+1), ways: ways, each: each, sets: newDivisor(sets)}
	b.take(uintptr(len(c.parts)) * unsafe.Sizeof(c.parts[0]))
	return c
}

// newL1 returns the L1 of a CU.
func newL1(b *budget, p *Params) cache {
	c := newCache(b, p.of.L1Bytes, p.of.L1Ways)
	c.hashed = p.of.L1Hash && c.sets.power && c.sets.shift > 0
	return c
}

// find returns the set of the line with number n; if hit is true the line is the first of it, if
// not it is absent.
func (c *cache) find(n uint64) (set []line, hit bool) {
	set = c.set(n)
	for i := range set {
		if !set[i].is(n) {
			continue
		}
		if i > 0 {
			toFront(set, i)
		}
		return set, true
	}
	return set, false
}

// set returns the set of the line with number n.
func (c *cache) set(n uint64) []line {
	_, s := c.sets.split(n)
	if c.hashed {
		s = c.fold(n)
	}
	part := c.parts[s>>(c.each&63)]
	if part == nil {
		part = c.add(s)
	}
	first := int(s&(1<<(c.each&63)-1)) * c.ways
	return part[first : first+c.ways]
}

// fold returns the set of the line with number n of a hashed cache.
func (c *cache) fold(n uint64) uint64 {
	for high := n >> c.sets.shift; high != 0; high >>= c.sets.shift {
		n ^= high
	}
	return n & (c.sets.n - 1)
}

// toFront makes line i of a set the first one.
func toFront(set []line, i int) {
	tag, ready := set[i].tag, set[i].ready
	copy(set[1:i+1], set[:i])
	set[0].tag, set[0].ready = tag, ready
}

// add makes the storage of the part that has set s.
func (c *cache) add(s uint64) []line {
	part := make([]line, c.ways<<c.each)
	c.parts[s>>c.each] = part
	c.budget.take(uintptr(len(part)) * unsafe.Sizeof(line{}))
	return part
}

// arrive says when the data of line n arrives, in place of an unknown time.
func (c *cache) arrive(n, unknown, ready uint64) {
	set := c.set(n)
	for i := range set {
		if set[i].ready == unknown && set[i].is(n) {
			set[i].ready = ready
		}
	}
}

// insert puts line n into its set, in place of the line that was not used for the longest time,
// and returns it and the tag of what it displaced. A streamed line is the next to go.
func insert(set []line, n, ready uint64, stream bool) (l *line, out uint64) {
	last := len(set) - 1
	l, out = &set[last], set[last].tag
	if !stream {
		copy(set[1:], set[:last])
		l = &set[0]
	}
	l.tag, l.ready = (n+1)<<1, ready
	return l, out
}

// dirty returns how many lines DRAM does not have.
func (c *cache) dirty() (n uint64) {
	for _, part := range c.parts {
		for i := range part {
			n += part[i].tag & dirty
		}
	}
	return n
}

// invalidate empties the cache; nothing is written back.
func (c *cache) invalidate() {
	for _, part := range c.parts {
		clear(part)
	}
}
