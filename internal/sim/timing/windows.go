package timing

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/gcnsim/gcnsim/internal/sim/unseen"
	"github.com/gcnsim/gcnsim/state"
)

// ErrMaxBytes is the error, in the sense of [errors.Is], of runs for which a model would need more than
// [Params.MaxBytes].
var ErrMaxBytes = errors.New("timing: more memory than MaxBytes")

// maxBytesError is an ErrMaxBytes with the limit in bytes.
type maxBytesError int

func (e maxBytesError) Error() string {
	return fmt.Sprintf("timing: what the waves that run at a time execute takes more than %d bytes; raise MaxBytes "+
		"or lower CUs", int(e))
}

func (e maxBytesError) Is(target error) bool { return target == ErrMaxBytes }

// runGroups executes the work-groups of a dispatch that the model watches: it is the model's
// [unseen.Needs].Scheduler. Work-groups that have executed as much as there is room for pause until the model has
// replayed it, so that the memory does not grow with the number of instructions. The times do not change. If the
// work-groups need less than half of MaxBytes, none pauses.
func (m *Model) runGroups(next func() (g unseen.Group, more bool)) {
	m.flush()
	m.sampler.turns = true
	f := &m.feed
	*f = feed{next: next, more: true, ahead: leastAhead}
	for m.err == nil && (len(f.queue) > 0 || f.running || f.more) {
		switch {
		case len(f.queue) > 0:
			if !m.early() {
				first := f.queue[0]
				f.queue, f.placed = f.queue[1:], f.placed+1
				m.admit(first.g)
				m.sample(first.run)
			}
		case f.running:
			f.ahead = min(2*f.ahead, mostAhead)
			m.join()
		default:
			m.enter()
			if m.join(); f.waits {
				m.err = m.advance()
			}
		}
	}
	m.join()
	*f = feed{}
	for len(m.paused) > 0 && m.err == nil {
		m.err = m.advance()
	}
	m.share()
	// After an error the rest executes without times.
	for _, g := range m.paused {
		for !g.run.Run() {
		}
		g.run = nil
	}
	m.paused = m.paused[:0]
	for run, more := next(); more; run, more = next() {
		for !run.Run() {
		}
	}
}

// entered is a work-group that has executed until its end or a pause and waits for a CU.
type entered struct {
	g   *group
	run unseen.Group
}

// feed executes the work-groups of a dispatch, one after another, before CUs have room for them.
type feed struct {
	next    func() (g unseen.Group, more bool) // nil if there is no dispatch
	more    bool                               // there may be another work-group,
	waits   bool                               // when one has ended
	ahead   int                                // desired length of the queue when work-groups start to execute
	placed  int                                // number placed since then
	queue   []entered
	made    []entered // appended to the queue by join
	running bool      // a helper is executing work-groups
}

// Bounds on the number of work-groups that wait for a CU, so that one core can execute work-groups while others
// replay them. The number grows when the queue was empty.
const leastAhead, mostAhead = 8, 1 << 10

// prepare starts to execute the next work-groups in parallel to the model, until join. Their number does not depend
// on the number of cores, so that the results do not either.
func (m *Model) prepare() {
	f := &m.feed
	n := min(f.placed+(f.ahead-len(f.queue)+3)/4, mostAhead)
	if m.p.Sampled { // the waiting work-groups are timed before the next part that is left out
		n = min(n, max(m.sampler.running/4, leastAhead)-len(f.queue))
	}
	f.placed = 0
	if f.next == nil || n <= 0 || !m.mayPrepare() {
		return
	}
	f.running, f.waits = true, false
	m.helper(1).start(func() {
		for ; n > 0 && f.more && !f.waits && m.mayPrepare(); n-- {
			m.enter()
		}
	})
}

// mayPrepare reports whether a work-group may execute long before a CU has room for it.
func (m *Model) mayPrepare() bool {
	return m.rec.err == nil && m.clock == nil && len(m.paused) == 0 && m.rec.budget.held < m.rec.room/2
}

// join waits for the work-groups that execute in parallel to the model. Then both sides exchange their data.
func (m *Model) join() {
	f := &m.feed
	if f.running {
		m.err = cmp.Or(m.err, m.helper(1).wait())
		f.running = false
	}
	f.queue, f.made = append(f.queue, f.made...), f.made[:0]
	m.share()
}

// share passes to the recorder the storage that the model does not need any more, and to the model the code that it
// may read. Nothing executes meanwhile.
func (m *Model) share() {
	for _, g := range m.gone {
		for _, s := range g.streams {
			s.drop(m.rec.pool)
		}
	}
	m.spare, m.gone = append(m.spare, m.gone...), m.gone[:0]
	for i := range m.clusters {
		k := &m.clusters[i]
		m.rec.put(k.freed.first, k.freed.last)
		k.freed = chain{}
		m.rec.budget.held += k.budget.drain()
	}
	if m.rec.budget != m.budget {
		m.rec.budget.held += m.budget.drain()
	}
	m.agree()
	m.ops = m.rec.ops
	m.clocked, m.atOnce = m.clock != nil, m.rec.gds || len(m.paused) > 0
}

// agree sets the errors of model and recorder to the same error. That of the model takes precedence.
func (m *Model) agree() {
	m.err = cmp.Or(m.err, m.rec.err)
	m.rec.err = m.err
}

// enter executes the next work-group until its end or a pause.
func (m *Model) enter() {
	f := &m.feed
	run, more := f.next()
	f.more, f.waits = more, more && run == nil
	if run == nil {
		return
	}
	g := m.newGroup(run.ID())
	g.run, g.gaps = run, m.sampler.gaps
	for i := range run.Waves() {
		g.add(i, m.rec.budget)
	}
	m.execute(g)
	switch {
	case g.latest == nil: // a fault occurred first
		m.spare = append(m.spare, g)
		return
	case g.run != nil:
		m.pause(g)
	}
	m.seal(g)
	f.made = append(f.made, entered{g, run})
}

// execute executes g until it pauses or ends, and makes the executed part readable.
func (m *Model) execute(g *group) {
	filled := m.filled
	m.filled, m.rec.short = g, false
	if g.run.Run() {
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

// pause records that g has started and will continue later.
func (m *Model) pause(g *group) {
	m.paused = append(m.paused, g)
	if len(m.paused) > m.mostPaused { // the machine keeps its registers
		m.mostPaused = len(m.paused)
		m.rec.budget.take(uintptr(g.lds) +
			uintptr(len(g.streams))*(unsafe.Sizeof(state.Wave{})+uintptr(g.streams[0].vgprs)*unsafe.Sizeof(state.Lanes{})))
	}
}

// crowded is called when there is no more room after s, a stream of g, has grown.
func (m *Model) crowded(g *group, s *stream) {
	if m.rec.budget.held > m.p.MaxBytes {
		m.rec.err = maxBytesError(m.p.MaxBytes)
	}
	if m.wanted == s {
		m.wanted = nil
	}
	if m.rec.short && g.run != nil && m.wanted == nil && m.clock == nil {
		m.rec.short = false
		g.run.Pause()
	}
}

// have reports whether w has an instruction to issue. It executes more of the work-group if necessary.
func (m *Model) have(w *wave) bool {
	for !w.next() {
		if w.group.run == nil || w.s.ended || m.rec.err != nil {
			return false
		}
		m.wanted = w.s
		m.execute(w.group)
		m.wanted, w.cu.cluster.ops = nil, m.rec.ops
		m.agree()
	}
	return true
}

// tookTurns is the remark in the result that work-groups took turns.
const tookTurns = "work-groups took turns, since what they execute needs more than half of MaxBytes: those that " +
	"race for memory may do so in another order than without times"
