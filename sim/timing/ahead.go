package timing

// ahead is what a wave has issued before its time: instructions that concern nobody but the wave
// and the vector ALU of its SIMD, at times when no other wave of that issues. So the SIMD needs
// no turn for each of them. If a wave starts there, or a barrier opens, before the last of them,
// those from then on are taken back.
type ahead struct {
	wave *wave // nil if there is nothing
	// What was before the first of them.
	op    uint32
	rest  uint64
	ready uint64
	valu  uint64
}

// goAhead lets the wave of a seat issue what it can alone, before the time other at which another
// wave of its SIMD is looked at.
func (m *Model) goAhead(at *seat, other uint64) {
	w := at.wave
	if m.Trace != nil || m.open || w.at.n <= 1 || at.ready >= other || !m.alone(at) {
		return
	}
	s := w.simd
	s.ahead = ahead{w, w.at.op, w.rest, at.ready, s.valu}
	m.issueUntil(at, other)
}

// issueUntil issues what the wave of a seat can issue alone before a time.
func (m *Model) issueUntil(at *seat, until uint64) {
	for at.ready < until && at.wave.at.n > 1 && m.alone(at) {
		m.issueAlone(at, &m.rec.ops[at.wave.at.op], at.ready)
	}
}

// alone reports whether the next instruction of the wave of a seat issues when the wave is ready
// and concerns nobody else. Those that have not issued before are left to their turn, so that it
// is known when the first one does.
func (m *Model) alone(at *seat) bool {
	w := at.wave
	op := &m.rec.ops[w.at.op]
	switch {
	case !op.alone, op.pc/LineBytes != w.fetched, op.port == portVALU && w.simd.valu > at.ready, m.times(w.at.op).count == 0:
		return false
	case op.kind == kindWaitcnt:
		until, _ := m.counters(w, op)
		return until <= at.ready
	}
	return true
}

// issueAlone is issue of an instruction for which alone is set and after which the next one of
// the program follows.
func (m *Model) issueAlone(at *seat, op *static, t uint64) {
	w, cost := at.wave, uint64(op.issue)
	if op.port == portVALU {
		w.simd.valu = t + cost
	}
	m.times(w.at.op).issued(t)
	w.op = w.at.op
	w.at.op++
	w.at.n--
	w.count++
	w.since = t + w.turns(cost+uint64(op.cross))
	at.ready = w.since
}

// interrupt takes back what a wave of s has issued ahead from time t on, when another one is
// looked at.
func (m *Model) interrupt(s *simd, t uint64) {
	a := &s.ahead
	w := a.wave
	if w == nil {
		return
	}
	at := s.seat(w)
	if at.ready <= t { // all of it was before
		return
	}
	n := w.at.op - a.op
	for op := a.op; op < w.at.op; op++ {
		m.perOp[op].count--
	}
	w.at.op, w.at.n, w.count = a.op, w.at.n+n, w.count-int(n)
	w.rest, w.since, at.ready, s.valu = a.rest, a.ready, a.ready, a.valu
	m.issueUntil(at, t)
}
