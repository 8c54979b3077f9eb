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

// ErrMaxBytes is the error, in the sense of [errors.Is], of runs that need more memory than
// [Params.MaxBytes] lets a model hold.
var ErrMaxBytes = errors.New("timing: more memory than MaxBytes")

// maxBytesError is an ErrMaxBytes that says how many bytes were too few.
type maxBytesError int

func (e maxBytesError) Error() string {
	return fmt.Sprintf("timing: what the waves that run at a time execute takes more than %d bytes; raise MaxBytes "+
		"or lower CUs", int(e))
}

func (e maxBytesError) Is(target error) bool { return target == ErrMaxBytes }

// runGroups runs the work-groups of a dispatch that the model watches: it is its [unseen.Needs].Scheduler. Those
// that have executed as much as there is room for pause until the model has come that far, so
// that the memory that it needs does not grow with what they execute. Times are the same. If the
// work-groups need less than half of MaxBytes none pauses.
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
	// After an error the rest runs without times.
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

// entered is a work-group that has executed as far as it goes and waits for a CU.
type entered struct {
	g   *group
	run unseen.Group
}

// feed executes the work-groups of a dispatch, one after another, before CUs have room for them.
type feed struct {
	next    func() (g unseen.Group, more bool) // nil if there is no dispatch
	more    bool                               // there may be another work-group,
	waits   bool                               // when one has ended
	ahead   int                                // how long the queue should be when work-groups begin to execute
	placed  int                                // how many have got their places since this was so
	queue   []entered
	made    []entered // follows the queue, see join
	running bool      // a helper executes work-groups at this time
}

// So many work-groups wait for a CU, so that one core can execute others while those that run are timed: more of
// them the oftener none was left.
const leastAhead, mostAhead = 8, 1 << 10

// prepare begins to execute the work-groups that come next beside the model, until join. How many they are does not
// depend on how many cores there are, so that results do not either.
func (m *Model) prepare() {
	f := &m.feed
	n := min(f.placed+(f.ahead-len(f.queue)+3)/4, mostAhead)
	if m.p.Sampled { // what waits is timed before the next part that is left out
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

// join waits for what executes beside the model. Then the model and what executes share what each had for itself.
func (m *Model) join() {
	f := &m.feed
	if f.running {
		m.err = cmp.Or(m.err, m.helper(1).wait())
		f.running = false
	}
	f.queue, f.made = append(f.queue, f.made...), f.made[:0]
	m.share()
}

// share gives what executes the storage that the model does not need any more, and the model what it may know of the
// code. Nothing executes meanwhile.
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

// agree gives the model and the recorder the error of either. That of the model comes first.
func (m *Model) agree() {
	m.err = cmp.Or(m.err, m.rec.err)
	m.rec.err = m.err
}

// enter runs the next work-group as far as it goes.
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
	case g.latest == nil: // a fault came first
		m.spare = append(m.spare, g)
		return
	case g.run != nil:
		m.pause(g)
	}
	m.seal(g)
	f.made = append(f.made, entered{g, run})
}

// execute runs g until it pauses or ends. What it has executed then can be read.
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

// pause notes that g has begun and continues later.
func (m *Model) pause(g *group) {
	m.paused = append(m.paused, g)
	if len(m.paused) > m.mostPaused { // the machine keeps its registers
		m.mostPaused = len(m.paused)
		m.rec.budget.take(uintptr(g.lds) +
			uintptr(len(g.streams))*(unsafe.Sizeof(state.Wave{})+uintptr(g.streams[0].vgprs)*unsafe.Sizeof(state.Lanes{})))
	}
}

// crowded is called when there is no room for more after s, a stream of g, has grown.
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

// have reports whether w has an instruction to issue. It lets its work-group execute if need be.
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

// tookTurns says in the result that work-groups did.
const tookTurns = "work-groups took turns, since what they execute needs more than half of MaxBytes: those that " +
	"race for memory may do so in another order than without times"
