package timing

// seg is a run of executed instructions with consecutive numbers in recorder.ops: a piece of
// straight-line code.
type seg struct {
	op uint32 // number of the first instruction
	n  uint32 // number of instructions
	// taken is set if the last one is a branch that was taken.
	taken bool
}

// run is a range of lines: the number of the first one, and how many there are.
type run struct{ first, count uint64 }

// access holds the facts about an access that the memory pipeline uses, besides its lines. A vector
// memory instruction without lanes has none of it.
type access struct {
	lines    uint16
	unit     uint16 // clocks of TA or LDS
	conflict uint8  // DS, of unit: more than without bank conflicts
	same     uint8  // atomics: lanes that wait for another one on their dword
	lds      uint8  // clocks of the LDS for lanes of a FLAT access, or of one between memory and LDS
}

// stream records what one wave executed: pieces of code, and the accesses of their instructions of
// kindVMEM, kindDS and kindSMEM, in order. Numbers are written as differences from what is
// likely.
type stream struct {
	id    int
	code  tape
	mems  tape
	vgprs int
	exec  uint64 // EXEC after the latest instruction
	ahead bool   // it has the instruction that reads the clock and has not executed yet
	begun bool   // it has an instruction
	ended bool   // it has the last instruction of the wave

	open   seg    // grows
	closed seg    // complete and not written yet
	times  uint64 // how often closed comes in a row
	end    uint32 // end of the latest segment that is written
	line   uint64 // the line behind the latest one that is written
}

// What the longest of each takes: numbers of 7 bits to a byte.
const (
	codeBytes   = 5 + 5 + 10
	accessBytes = 3 + 2 + 2 + 2
	runBytes    = 7 + 2
)

// add appends instruction n.
func (s *stream) add(p *pool, n uint32) {
	if s.open.n > 0 && !s.open.taken && s.open.op+s.open.n == n {
		s.open.n++
		return
	}
	s.close(p)
	s.open = seg{op: n, n: 1}
}

// close completes the piece of code that grows.
func (s *stream) close(p *pool) {
	switch {
	case s.open.n == 0:
		return
	case s.times > 0 && s.open == s.closed:
		s.times++
	default:
		s.write(p)
		s.closed, s.times = s.open, 1
	}
	s.open = seg{}
}

// write writes the piece of code that is complete.
func (s *stream) write(p *pool) {
	if s.times == 0 {
		return
	}
	s.code.room(p, codeBytes)
	s.code.put(zigzag(int64(s.closed.op) - int64(s.end)))
	length := uint64(s.closed.n) << 2
	if s.closed.taken {
		length |= 1
	}
	if s.times > 1 {
		length |= 2
	}
	s.code.put(length)
	if s.times > 1 {
		s.code.put(s.times)
	}
	s.end, s.times = s.closed.op+s.closed.n, 0
}

// seal writes all that was added, so that it can be read.
func (s *stream) seal(p *pool) {
	s.close(p)
	s.write(p)
}

// addAccess appends the access of op that touches the lines of runs.
func (s *stream) addAccess(p *pool, op *static, a *access, runs []run) {
	t := &s.mems
	t.room(p, accessBytes)
	switch op.kind {
	case kindDS:
		t.put(uint64(a.conflict))
		t.put(uint64(a.same))
		return
	case kindVMEM:
		t.put(uint64(a.unit))
		if a.unit == 0 {
			return
		}
		if op.atomic {
			t.put(uint64(a.same))
		}
		if op.sharesLDS {
			t.put(uint64(a.lds))
		}
	}
	t.put(uint64(a.lines))
	for _, r := range runs {
		t.room(p, runBytes)
		x := zigzag(int64(r.first-s.line)) << 1
		if r.count > 1 {
			t.put(x | 1)
			t.put(r.count)
		} else {
			t.put(x)
		}
		s.line = r.first + r.count
	}
}

// drop empties s and gives its storage back.
func (s *stream) drop(p *pool) {
	s.code.drop(p)
	s.mems.drop(p)
	*s = stream{}
}

// player is where a wave is in its stream.
type player struct {
	s    *stream
	code reader
	mems reader
	pool *chain // gets what has been read; nil if somebody else reads it, too

	at    seg    // the rest of the piece of code
	whole seg    // all of it,
	times uint64 // and how many times it comes again
	line  uint64 // the line behind the latest one
}

// next reports whether there is another instruction, which then is at.op.
func (p *player) next() bool {
	if p.at.n > 0 {
		return true
	}
	switch {
	case p.times > 0:
		p.times--
	case p.code.more(&p.s.code, p.pool):
		op := uint32(int64(p.whole.op+p.whole.n) + unzigzag(p.code.get()))
		length := p.code.get()
		p.whole = seg{op, uint32(length >> 2), length&1 != 0}
		if length&2 != 0 {
			p.times = p.code.get() - 1
		}
	default:
		return false
	}
	p.at = p.whole
	return true
}

// step goes past an instruction and reports whether it is a branch that was taken.
func (p *player) step() bool {
	p.at.op++
	p.at.n--
	return p.at.n == 0 && p.at.taken
}

// access returns the access of op, the next one, if a lane of an atomic that waits for another
// one takes extra clocks. Its lines are read after that.
func (p *player) access(op *static, extra int) (a access) {
	r := &p.mems
	r.more(&p.s.mems, p.pool)
	switch op.kind {
	case kindDS:
		a.conflict, a.same = uint8(r.get()), uint8(r.get())
		a.unit = op.unit + uint16(a.conflict) + uint16(a.same)*uint16(extra)
		return a
	case kindVMEM:
		if a.unit = uint16(r.get()); a.unit == 0 {
			return a
		}
		if op.atomic {
			a.same = uint8(r.get())
		}
		if op.sharesLDS {
			a.lds = uint8(r.get())
		}
	}
	a.lines = uint16(r.get())
	return a
}

// lines appends the next n lines, those of an access, to all.
func (p *player) lines(all []uint64, n uint16) []uint64 {
	r := &p.mems
	for left := uint64(n); left > 0; {
		r.more(&p.s.mems, p.pool)
		x, count := r.get(), uint64(1)
		if x&1 != 0 {
			count = r.get()
		}
		first := p.line + uint64(unzigzag(x>>1))
		p.line = first + count
		for line := first; line < p.line; line++ {
			all = append(all, line)
		}
		left -= count
	}
	return all
}
