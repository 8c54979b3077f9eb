package timing

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// ErrMaxBytes is what errors of runs are, in the sense of [errors.Is], that need more memory than
// [Params.MaxBytes] lets a model hold.
var ErrMaxBytes = errors.New("timing: more memory than MaxBytes")

// maxBytesError is an ErrMaxBytes that says how many bytes were too few.
type maxBytesError int

func (e maxBytesError) Error() string {
	return fmt.Sprintf("timing: what the waves that run at a time execute takes more than %d bytes; raise MaxBytes "+
		"or lower CUs", int(e))
}

func (e maxBytesError) Is(target error) bool { return target == ErrMaxBytes }

// runGroups runs the work-groups of a dispatch that the model watches: it is its [sim.Needs].Turns. Those
// that have executed as much as there is room for pause until the model has come that far, so
// that the memory that it needs does not grow with what they execute. Times are the same. If the
// work-groups need less than half of MaxBytes none pauses.
func (m *Model) runGroups(next func() (g *sim.Group, more bool)) {
	m.flush()
	m.sampler.turns = true
	more, waits := true, false
	enter := func() {
		var run *sim.Group
		if run, more = next(); run != nil {
			m.enter(run)
		}
		waits = more && run == nil // for one to end
	}
	m.prepare = func() {
		for n := (m.ahead - len(m.queue) + 3) / 4; n > 0 && more && !waits && m.mayPrepare(); n-- {
			enter()
		}
	}
	for m.ahead = leastAhead; m.err == nil; {
		if len(m.queue) == 0 && more {
			m.ahead = min(2*m.ahead, mostAhead)
			enter()
		}
		switch {
		case len(m.queue) > 0:
			first := m.queue[0]
			m.queue = m.queue[1:]
			m.admit(first.g)
			m.sample(first.run)
			waits = false
		case waits:
			m.err = m.advance()
		}
		if len(m.queue) == 0 && !more {
			break
		}
	}
	m.prepare, m.queue = nil, m.queue[:0]
	for len(m.paused) > 0 && m.err == nil {
		m.err = m.advance()
	}
	// After an error the rest runs without times.
	for _, g := range m.paused {
		for g.run.Run() {
		}
		g.run = nil
	}
	m.paused = m.paused[:0]
	for run, more := next(); more; run, more = next() {
		for run.Run() {
		}
	}
}

// entered is a work-group that has executed as far as it goes and waits for a CU.
type entered struct {
	g   *group
	run *sim.Group
}

// So many work-groups wait for a CU, so that one core can execute others while those that run are timed: more of
// them the oftener none was left.
const leastAhead, mostAhead = 8, 1 << 10

// mayPrepare reports whether a work-group may execute long before a CU has room for it. It does not depend on how many
// cores there are, so that results do not either.
func (m *Model) mayPrepare() bool {
	return m.err == nil && !m.p.Sampled && m.clock == nil && len(m.paused) == 0 && m.budget.held < m.rec.room/2
}

// enter runs a work-group as far as it goes.
func (m *Model) enter(run *sim.Group) {
	g := m.newGroup(run.ID)
	g.run = run
	for i := range run.Waves {
		g.add(i, m.budget)
	}
	m.execute(g)
	switch {
	case g.latest == nil: // a fault came first
		m.spare = append(m.spare, g)
		return
	case g.run != nil:
		m.pause(g)
	}
	m.seal(g)
	m.queue = append(m.queue, entered{g, run})
}

// execute runs g until it pauses or ends. What it has executed then can be read.
func (m *Model) execute(g *group) {
	filled := m.filled
	m.filled, m.rec.short = g, false
	if !g.run.Run() {
		g.run = nil
		if i := slices.Index(m.paused, g); i >= 0 {
			m.paused = slices.Delete(m.paused, i, i+1)
		}
	}
	m.filled = filled
	for _, s := range g.streams {
		s.seal(m.rec.pool)
	}
}

// pause notes that g has begun and goes on later.
func (m *Model) pause(g *group) {
	m.paused = append(m.paused, g)
	if len(m.paused) > m.mostPaused { // the machine keeps its registers
		m.mostPaused = len(m.paused)
		m.budget.take(uintptr(g.lds) +
			uintptr(len(g.streams))*(unsafe.Sizeof(state.Wave{})+uintptr(g.streams[0].vgprs)*unsafe.Sizeof(state.Lanes{})))
	}
}

// crowded is called when there is no room for more after s, a stream of g, has grown.
func (m *Model) crowded(g *group, s *stream) {
	if m.budget.held > m.p.MaxBytes {
		m.err = maxBytesError(m.p.MaxBytes)
	}
	if m.wanted == s {
		m.wanted = nil
	}
	if m.rec.short && g.run != nil && m.wanted == nil && m.clock == nil {
		m.rec.short = false
		g.run.Pause()
	}
}

// have reports whether w has an instruction to issue. It lets its work-group execute if need be.
func (m *Model) have(w *wave) bool {
	for !w.next() {
		if w.group.run == nil || w.s.ended || m.err != nil {
			return false
		}
		m.wanted = w.s
		m.execute(w.group)
		m.wanted, w.cu.cluster.ops = nil, m.rec.ops
	}
	return true
}

// tookTurns says in the result that work-groups did.
const tookTurns = "work-groups took turns, since what they execute needs more than half of MaxBytes: those that " +
	"race for memory may do so in another order than without times"
