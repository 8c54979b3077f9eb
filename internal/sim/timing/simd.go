package timing

// cycleGroup is the number of clocks between two issue decisions of a SIMD; each of the four clocks belongs to one
// SIMD (rule CY1).
const cycleGroup = 4

// simd is a SIMD of a CU.
type simd struct {
	wake  uint64 // time of its entry in Model.wakeups, or never
	valu  uint64 // time at which the vector ALU is free
	id    uint8
	n     uint8 // number of waves in waveSlots
	stale bool  // some waves in waveSlots have ended or changed their priority
	// waves, ordered by priority, then by age
	waveSlots [maxWaves]waveSlot

	cu     *cu
	number int    // number in its cluster; see wakeups
	waves  int    // number of waves that have not left the SIMD
	vgprs  int    // sum of the VGPRs of these waves
	ended  uint64 // time at which the latest wave left
	slots  uint64 // mask of used wave slots
}

// waveSlot is the place of a wave on a SIMD, with the time at which to try the wave next.
type waveSlot struct {
	ready uint64
	wave  *wave
	// port is the type of the wave's next instruction while only another instruction of that type prevents its issue
	// (see pass), else portInternal.
	port   port
	passed uint64 // clocks of such waiting that have not been added to the stalls yet
}

// maxWaves is the largest number of waves on a SIMD of any chip.
const maxWaves = 16

// issueAt lets s issue at time t: at most one instruction of each type, from different waves, in the order of
// priority and then of age (AMD ISA manuals, S_SETPRIO; STATUS.USER_PRIO).
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
		next = min(next, at.ready) // a later wave that changes at.ready, at a barrier, also schedules s
	}
	if s.stale {
		s.sort()
	}
	if next != never {
		k.schedule(s, max(next, t+1))
	}
}

// pass makes the wave of a slot wait for a cycle group at time t, because another wave has issued an instruction of
// the same type. Nothing else prevents the issue, so that further attempts need only check the type.
func (at *waveSlot) pass(t uint64) {
	at.ready = t + cycleGroup
	at.passed += cycleGroup
}

// countPassed counts the clocks in which the wave of a slot has waited by pass.
func (k *cluster) countPassed(at *waveSlot) {
	if at.port != portInternal {
		at.wave.why = StallIssue
		k.stall(at.wave, at.passed, StallIssue)
		at.port, at.passed = portInternal, 0
	}
}

// sort restores the order of the waves of s and removes those that have ended.
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

// waveSlot returns the slot of w.
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

// schedule makes s try its waves at time t, or at its first cycle group after that.
func (k *cluster) schedule(s *simd, t uint64) {
	t = s.align(t)
	if s.wake <= t {
		return
	}
	s.wake = t
	k.wakeups.push(t, s)
}

// align returns the first cycle group of s at or after t. SIMD n uses the clocks whose remainder modulo cycleGroup is
// n.
func (s *simd) align(t uint64) uint64 { return t + (uint64(s.id)-t)%cycleGroup }
