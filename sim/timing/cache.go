package timing

// line is one line of a cache.
type line struct {
	tag   uint64 // line number plus 1, 0 if empty
	ready uint64 // when its data arrives
	dirty bool
}

// cache is set-associative with least-recently-used replacement: the lines of a set are
// in the order of their use, latest first.
type cache struct {
	lines []line
	ways  int
	sets  uint64
}

func newCache(bytes, ways int) cache {
	sets := max(bytes/(LineBytes*ways), 1)
	return cache{lines: make([]line, sets*ways), ways: ways, sets: uint64(sets)}
}

// find returns the line with number n, now the latest of its set; nil if it is absent.
func (c *cache) find(n uint64) *line {
	set := c.set(n)
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

func (c *cache) set(n uint64) []line {
	s := int(n%c.sets) * c.ways
	return c.lines[s : s+c.ways : s+c.ways]
}

// insert puts line n in place of the one that was not used for the longest time and
// returns what it displaced. A streamed line is the next to go.
func (c *cache) insert(n, ready uint64, stream bool) (l *line, out line) {
	set := c.set(n)
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

// invalidate empties the cache; nothing is written back.
func (c *cache) invalidate() { clear(c.lines) }
