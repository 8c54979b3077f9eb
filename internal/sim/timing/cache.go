package timing

import (
	"math/bits"
	"unsafe"
)

// line is one cache line. It is small, so that a set of four fits in a cache line of the host.
type line struct {
	tag   uint64 // 2 * (line number + 1) + 1 if DRAM does not have the data yet; 0 if empty
	ready uint64 // time at which its data arrives
}

const dirty = 1

// is reports whether l holds the line with number n.
func (l *line) is(n uint64) bool { return l.tag|dirty == (n+1)<<1|dirty }

// numberOf returns the line number in a tag.
func numberOf(tag uint64) uint64 { return tag>>1 - 1 }

// cache is a set-associative cache with least-recently-used replacement. The lines of a set are in the order of their
// use, latest first. Only the used sets and their neighbours have storage, since a short run uses few.
type cache struct {
	budget *budget
	parts  [][]line // nil until a line in the part is looked up
	ways   int
	each   uint8 // log2 of the number of sets in a part
	sets   divisor
	// hashed: higher bits of the line number are folded into the set number, so that lines whose distance is a power of
	// two use different sets.
	hashed bool
}

// partLines is the approximate number of lines in a part.
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

// find returns the set of the line with number n. If hit is true, the line is the first of the set, else it is
// absent.
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

// fold returns the set number of line n in a hashed cache.
func (c *cache) fold(n uint64) uint64 {
	for high := n >> c.sets.shift; high != 0; high >>= c.sets.shift {
		n ^= high
	}
	return n & (c.sets.n - 1)
}

// toFront moves line i of a set to the front.
func toFront(set []line, i int) {
	tag, ready := set[i].tag, set[i].ready
	copy(set[1:i+1], set[:i])
	set[0].tag, set[0].ready = tag, ready
}

// add allocates the part that contains set s.
func (c *cache) add(s uint64) []line {
	part := make([]line, c.ways<<c.each)
	c.parts[s>>c.each] = part
	c.budget.take(uintptr(len(part)) * unsafe.Sizeof(line{}))
	return part
}

// arrive replaces the unknown arrival time of line n by ready.
func (c *cache) arrive(n, unknown, ready uint64) {
	set := c.set(n)
	for i := range set {
		if set[i].ready == unknown && set[i].is(n) {
			set[i].ready = ready
		}
	}
}

// insert replaces the least recently used line of a set by line n. It returns line n and the tag of the replaced
// line. A streamed line is the next to be replaced.
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

// dirty returns the number of lines whose data DRAM does not have.
func (c *cache) dirty() (n uint64) {
	for _, part := range c.parts {
		for i := range part {
			n += part[i].tag & dirty
		}
	}
	return n
}

// invalidate empties the cache without writing back.
func (c *cache) invalidate() {
	for _, part := range c.parts {
		clear(part)
	}
}
