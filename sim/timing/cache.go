package timing

import "unsafe"

// line is one line of a cache: small, so that a set of four is a line of the host's.
type line struct {
	tag   uint64 // line number plus 1, times 2, plus 1 if DRAM has not got it; 0 if empty
	ready uint64 // when its data arrives
}

const dirty = 1

// is reports whether l is the line with number n.
func (l *line) is(n uint64) bool { return l.tag|dirty == (n+1)<<1|dirty }

// number returns which line l is.
func (l *line) number() uint64 { return l.tag>>1 - 1 }

// cache is set-associative with least-recently-used replacement: the lines of a set are in the
// order of their use, latest first. It has storage for the sets
// that were used and their neighbours: a short run touches few of them.
type cache struct {
	budget *budget
	parts  [][]line // nil until a line of it is looked for
	ways   int
	each   divisor // sets of a part
	sets   divisor
}

// partLines is about how many lines a part of a cache has.
const partLines = 128

func newCache(b *budget, bytes, ways int) cache {
	sets := max(bytes/(LineBytes*ways), 1)
	each := min(max(partLines/ways, 1), sets)
	c := cache{budget: b, parts: make([][]line, (sets+each-1)/each), ways: ways, each: newDivisor(each), sets: newDivisor(sets)}
	b.take(uintptr(len(c.parts)) * unsafe.Sizeof(c.parts[0]))
	return c
}

// find returns the set of the line with number n; if hit is true the line is the first of it, if
// not it is absent.
func (c *cache) find(n uint64) (set []line, hit bool) {
	set = c.set(n)
	for i := range set {
		if set[i].is(n) {
			if i > 0 {
				l := set[i]
				copy(set[1:i+1], set[:i])
				set[0] = l
			}
			return set, true
		}
	}
	return set, false
}

// set returns the set of line n.
func (c *cache) set(n uint64) []line {
	_, s := c.sets.split(n)
	at, s := c.each.split(s)
	part := c.parts[at]
	if part == nil {
		part = make([]line, int(c.each.n)*c.ways)
		c.parts[at] = part
		c.budget.take(uintptr(len(part)) * unsafe.Sizeof(line{}))
	}
	first := int(s) * c.ways
	return part[first : first+c.ways]
}

// insert puts line n into its set, in place of the line that was not used for the longest time,
// and returns it and what it displaced. A streamed line is the next to go.
func insert(set []line, n, ready uint64, stream bool) (l *line, out line) {
	last := len(set) - 1
	l, out = &set[last], set[last]
	if !stream {
		copy(set[1:], set[:last])
		l = &set[0]
	}
	*l = line{(n + 1) << 1, ready}
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
