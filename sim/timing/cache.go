package timing

import "unsafe"

// line is one line of a cache.
type line struct {
	tag   uint64 // line number plus 1, 0 if empty
	ready uint64 // when its data arrives
	dirty bool
}

// cache is set-associative with least-recently-used replacement: the lines of a set are
// in the order of their use, latest first. It has storage for the sets that were used and
// their neighbours: a short run touches few of them.
type cache struct {
	budget *budget
	parts  [][]line // nil until a line of it is put in
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

// find returns the line with number n, now the latest of its set; nil if it is absent.
func (c *cache) find(n uint64) *line {
	set := c.set(n, false)
	for i := range set {
		if set[i].tag == n+1 {
			l := set[i]
			copy(set[1:i+1], set[:i])
			set[0] = l
			return &set[0]
		}
	}
	return nil
}

// set returns the set of line n, nil if it has no storage and needs none.
func (c *cache) set(n uint64, need bool) []line {
	_, s := c.sets.split(n)
	at, s := c.each.split(s)
	part := &c.parts[at]
	if *part == nil {
		if !need {
			return nil
		}
		*part = make([]line, int(c.each.n)*c.ways)
		c.budget.take(uintptr(len(*part)) * unsafe.Sizeof(line{}))
	}
	first := int(s) * c.ways
	return (*part)[first : first+c.ways : first+c.ways]
}

// insert puts line n in place of the one that was not used for the longest time and
// returns what it displaced. A streamed line is the next to go.
func (c *cache) insert(n, ready uint64, stream bool) (l *line, out line) {
	set := c.set(n, true)
	last := len(set) - 1
	out = set[last]
	if stream {
		set[last] = line{tag: n + 1, ready: ready}
		return &set[last], out
	}
	copy(set[1:], set[:last])
	set[0] = line{tag: n + 1, ready: ready}
	return &set[0], out
}

// dirty returns how many lines DRAM does not have.
func (c *cache) dirty() (n uint64) {
	for _, part := range c.parts {
		for i := range part {
			if part[i].dirty {
				n++
			}
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
