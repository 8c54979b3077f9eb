package timing

// cycleGroup is how many clocks lie between two issue decisions of a SIMD: each clock belongs to
// one of the four (rule CY1).
const cycleGroup = 4

// simd is a SIMD of a CU.
type simd struct {
	wake  uint64 // time of its entry in Model.wakeups, never if there is none
	valu  uint64 // when the vector ALU is free
	id    uint8
	n     uint8 // how many waves run,
	stale bool  // some of them have ended, or changed their priority
	// which are these: higher priority first, then the older one.
	waveSlots [maxWaves]waveSlot

	cu     *cu
	number int    // in its cluster, see wakeups
	waves  int    // waves that have not left it,
	vgprs  int    // and what they have
	ended  uint64 // when the latest wave left
	slots  uint64 // wave slots in use
}

// waveSlot has a wave that runs on a SIMD, and when to look at it next.
type waveSlot struct {
	ready uint64
	wave  *wave
	// port is the type of the wave's next instruction while only that keeps it from issuing, see pass, and portInternal
	// otherwise.
	port   port
	passed uint64 // clocks of such waiting that are not in the stalls yet
}

// maxWaves is how many waves a SIMD can have in any chip.
const maxWaves = 16

// issueAt lets s issue at time t: at most one instruction of each type, from different
// waves, those of the highest priority first, of these the oldest (AMD ISA manuals,
// S_SETPRIO; STATUS.USER_PRIO).
func (k *cluster) issueAt(s *simd, t uint64) {
	var used [numPorts]bool
	next := never
	for i := range s.waveSlots[:s.n] {
		at := &s.waveSlots[i]
		if at.ready <= t {
			if used[at.port] {
				at.pass(t)
			} else {
				k.try(at, t, &used)
			}
		}
		next = min(next, at.ready) // a later wave that changes at.ready, at a barrier, schedules s, too
	}
	if s.stale {
		s.sort()
	}
	if next != never {
		k.schedule(s, max(next, t+1))
	}
}

// pass lets the wave of a slot wait for a cycle group, at time t, because another one has issued an instruction of the
// type of its next one. Nothing else keeps it from issuing that, so that its next tries need only ask for the type.
func (at *waveSlot) pass(t uint64) {
	at.ready = t + cycleGroup
	at.passed += cycleGroup
}

// countPassed counts the clocks for which the wave of a slot has passed.
func (k *cluster) countPassed(at *waveSlot) {
	if at.port != portInternal {
		at.wave.why = StallIssue
		k.stall(at.wave, at.passed, StallIssue)
		at.port, at.passed = portInternal, 0
	}
}

// sort brings the waves of s into order, without those that have ended.
func (s *simd) sort() {
	all := s.waveSlots[:s.n]
	s.n, s.stale = 0, false
	for _, at := range all {
		if !at.wave.done {
			s.insert(at)
		}
	}
}

// insert adds a wave in the order of issue.
func (s *simd) insert(at waveSlot) {
	i := int(s.n)
	for ; i > 0 && at.wave.before(s.waveSlots[i-1].wave); i-- {
		s.waveSlots[i] = s.waveSlots[i-1]
	}
	s.waveSlots[i] = at
	s.n++
}

// waveSlot returns where w is.
func (s *simd) waveSlot(w *wave) *waveSlot {
	for i := range s.waveSlots[:s.n] {
		if s.waveSlots[i].wave == w {
			return &s.waveSlots[i]
		}
	}
	panic("timing: the wave does not run")
}

// before reports whether w has precedence over o.
func (w *wave) before(o *wave) bool {
	if w.prio != o.prio {
		return w.prio > o.prio
	}
	return w.age < o.age
}

// schedule makes s look at its waves at time t, or at its next cycle group after that.
func (k *cluster) schedule(s *simd, t uint64) {
	t = s.align(t)
	if s.wake <= t {
		return
	}
	s.wake = t
	k.wakeups.push(t, s)
}

// align returns the first cycle group of s from t on: SIMD n has the clocks that leave the
// remainder n when divided by cycleGroup.
func (s *simd) align(t uint64) uint64 { return t + (uint64(s.id)-t)%cycleGroup }
