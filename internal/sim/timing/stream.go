package timing

// seg is a sequence of executed instructions with consecutive numbers in recorder.ops: a piece of straight-line code.
type seg struct {
	op uint32 // number of the first instruction
	n  uint32 // number of instructions
	// taken is set if the last instruction is a taken branch.
	taken bool
}

// run is a range of lines: the number of the first line and the number of lines.
type run struct{ first, count uint64 }

// access holds the properties of an access that the memory pipeline uses, except for its lines. For a vector memory
// instruction without active lanes all are zero.
type access struct {
	lines    uint16
	unit     uint16 // clocks of TA or LDS
	conflict uint8  // DS: the part of unit due to bank conflicts
	same     uint8  // atomics: lanes that wait for another lane on their dword
	lds      uint8  // clocks of the LDS for the lanes of a FLAT access, or of a transfer between memory and LDS
}

// stream contains the execution of one wave: pieces of code, and the accesses of their instructions of kindVMEM,
// kindDS and kindSMEM, in order. Numbers are written as differences to predicted values.
type stream struct {
	id    int
	code  tape
	mems  tape
	vgprs int
	exec  uint64 // EXEC after the latest instruction
	ahead bool   // contains the instruction that reads the clock, which has not executed yet
	begun bool   // contains an instruction
	ended bool   // contains the last instruction of the wave

	open   seg    // the segment that grows
	closed seg    // a complete segment that is not written yet
	times  uint64 // number of times that closed repeats
	end    uint32 // end of the latest written segment
	line   uint64 // the line after the latest written one
}

// Largest sizes of the entries: numbers with 7 bits per byte.
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

// close completes the segment that grows.
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

// write writes the complete segment.
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

// seal writes everything that was added, so that it can be read.
func (s *stream) seal(p *pool) {
	s.close(p)
	s.write(p)
}

// addAccess appends the access of op to the lines of runs.
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

// drop empties s and releases its storage.
func (s *stream) drop(p *pool) {
	s.code.drop(p)
	s.mems.drop(p)
	*s = stream{}
}

// player is the position of a wave in its stream.
type player struct {
	s    *stream
	code reader
	mems reader
	pool *chain // receives chunks that have been read; nil if another reader needs them

	at    seg    // the rest of the current segment
	whole seg    // the whole segment
	times uint64 // number of further repetitions of the segment
	line  uint64 // the line after the latest one
}

// next reports whether there is another instruction, which is then at.op.
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

// step advances by an instruction and reports whether it is a taken branch.
func (p *player) step() bool {
	p.at.op++
	p.at.n--
	return p.at.n == 0 && p.at.taken
}

// access returns the access of op, the next instruction. extra is the number of clocks for a lane of an atomic that
// waits for another. The caller reads its lines afterwards.
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

// lines appends the next n lines, which belong to an access, to all.
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
