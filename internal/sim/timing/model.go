package timing

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/unseen"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// never is later than all times.
const never = ^uint64(0)

// Model computes the times of runs. It is a [sim.Watcher], and [Model.Finish] returns the times. Waves that read the
// time read that of the model: cycles of a chip that executes work-groups one after another. A dispatch begins when
// the previous one has ended. Waves alone that execute one after another under one model are assumed to execute at
// the same time; those with the same Group are a work-group, distinguished by their ID. If waves have NumSGPRs set,
// that limits how many are resident.
type Model struct {
	sim.NoWatcher

	// HideClock hides the time of the model from waves: they read that of another watcher, or one derived from the
	// number of their instructions. Set it before the model is added to a run.
	HideClock bool

	spans []*func(*Span)

	target     gcn.Target
	p          Params
	gen        *isa.Traits
	budget     *budget // memory that the model has allocated since it last updated the recorder, which has the sum
	rec        *recorder
	filled     *group   // the work-group whose streams grow
	paused     []*group // work-groups that have started and not executed completely
	mostPaused int      // largest number of work-groups paused at a time
	wanted     *stream  // the stream for which a work-group must execute without a pause
	clock      *clock   // nil until an instruction reads the clock
	open       bool     // streams may grow while they are replayed: the model belongs to a clock
	err        error
	stop       *atomic.Bool // shared with the model of clock

	now         uint64
	cus         []*cu // nil until a work-group is placed there
	clusters    []cluster
	left        []leaving // waves of the latest window that have not left their SIMDs yet, in the order of time:
	leaves      []leaving // left[leaves:], by the end of the window
	tallies     []*tally  // one for each worker
	helpers     []*helper // one for each worker except the first
	cycleGroups int       // cycle groups of all SIMDs in the latest window
	feed        feed
	gone        []*group // work-groups that have ended; see share
	ops         []static // the part of recorder.ops that the model may read
	clocked     bool     // whether waves read the clock
	atOnce      bool     // whether L2 must answer immediately for a reason other than the clock
	reached     uint64   // end of the latest window
	channels    []channel
	l2cache     cache
	dram        *dram
	dramWay     uint64 // clocks from L2 to DRAM and back
	l2Wait      uint64 // clocks that lines waited for their L2 channel
	gdsFree     uint64

	places    places
	sampler   sampler
	freed     bool // a work-group has ended since the last attempt to place one
	resident  int  // number of resident waves
	ended     uint64
	nextGroup uint64 // time at which the chip can start its next work-group
	nextWave  uint64 // time at which the chip can start its next wave
	starting  uint64 // clocks that it has spent on starting work-groups
	latency   uint64 // clocks from the launch of a wave to its first instruction
	count     [numCounters]uint64
	spare     []*group
	span      Span
	services  []Work // used only if there are functions of OnSpan
	access    uint64 // number of the latest access; used only with functions of OnSpan
	untraced  Work   // used if there is no function of OnSpan

	l2Turns divisor // distribution over L2 channels
}

// cu is a compute unit.
type cu struct {
	id      int
	simds   []simd
	cluster *cluster
	l1      cache
	lds     uint64 // time at which the LDS is free
	ta      uint64 // time at which TA is free
	toL2    uint64 // time at which the path to L2 is free
	stores  uint64 // time at which the store path to L2 accepts the next store
	ldsUsed int    // allocated bytes

	l1Hits, l1Misses, taBusy, taStall uint64 // sums since the start of the run
}

// group is a work-group and, while it executes, its streams.
type group struct {
	id      [3]uint32
	streams []*stream   // streams of its waves, in the order of their first instruction
	latest  *stream     // the stream that grew last
	byID    map[int]int // index of the stream for waves whose ID differs from the index
	starts  []waveStart // EXEC at the start of its waves
	lds     int
	sgprs   int // SGPRs of a wave, 0 if they do not limit how many are resident
	cu      *cu
	waves   []*wave
	run     unseen.Group // nil if it has executed completely
	live    int
	waiting int // number of waves at the barrier
	end     uint64
	gaps    int    // number of parts of the dispatch that had been left out when it started
	work    uint64 // instructions of its waves that have executed completely
}

// waveStart is the EXEC with which the wave with an ID starts.
type waveStart struct {
	id   int
	exec uint64
}

// New returns a model of a chip with parameters p that executes code for target t. The error names the invalid
// parameter and its valid values.
func New(t gcn.Target, p Params) (*Model, error) {
	if err := p.check(t); err != nil {
		return nil, err
	}
	m := newModel(t, p, &budget{})
	m.stop = new(atomic.Bool)
	m.rec = &recorder{pool: &pool{budget: &budget{}, room: p.MaxBytes / 2}, p: &m.p, byPC: map[uint64]uint32{},
		change: math.MaxUint64, pieces: map[*sim.Program]pieces{}}
	m.budget.take(unsafe.Sizeof(recorder{}))
	return m, nil
}

// newModel returns a model without a recorder that counts its memory in b. A CU is allocated when a work-group is
// placed on it, so that short runs do not need memory for the whole chip.
func newModel(t gcn.Target, p Params, b *budget) *Model {
	m := &Model{target: t, p: p, budget: b, gen: isa.TraitsOf(t), dram: newDRAM(&p, b),
		dramWay: p.clocks(p.of.DRAMLatency),
		l2Turns: newDivisor(p.of.L2Channels)}
	m.l2cache = newCache(b, p.of.L2Bytes, p.of.L2Ways)
	m.channels = make([]channel, p.of.L2Channels)
	for i := range m.channels {
		m.channels[i].id = i
	}
	m.clusters = make([]cluster, (p.CUs+p.of.CUsPerScalar-1)/p.of.CUsPerScalar)
	m.tallies = []*tally{new(tally)}
	m.cus = make([]*cu, p.CUs)
	m.places = newPlaces(&p)
	b.take(unsafe.Sizeof(*m) + uintptr(p.CUs)*unsafe.Sizeof(m.cus[0]) +
		uintptr(len(m.channels))*unsafe.Sizeof(channel{}) + uintptr(len(m.clusters))*unsafe.Sizeof(cluster{}))
	return m
}

// numbered returns how many numbers are used for the SIMDs of a CU: see wakeups.
func numbered(p *Params) int { return (p.of.SIMDs + cycleGroup - 1) / cycleGroup * cycleGroup }

// cu returns compute unit i, allocating it if necessary.
func (m *Model) cu(i int) *cu {
	if c := m.cus[i]; c != nil {
		return c
	}
	p := &m.p
	k := &m.clusters[i/p.of.CUsPerScalar]
	if k.m == nil {
		k.m, k.p = m, p
		k.data = newCache(&k.budget, p.of.ScalarBytes, p.of.ScalarWays)
		k.code = newCache(&k.budget, p.of.InstBytes, p.of.InstWays)
		k.wakeups = newWakeups(min(p.of.CUsPerScalar, p.CUs) * numbered(p))
		k.wakeups.now = m.now
		k.budget.take(uintptr(len(k.wakeups.wheel)) * 8)
	}
	c := &cu{id: i, cluster: k, l1: newL1(&k.budget, p), simds: make([]simd, p.of.SIMDs)}
	m.cus[i] = c
	for j := range c.simds {
		s := &c.simds[j]
		*s = simd{cu: c, id: uint8(j), number: i%p.of.CUsPerScalar*numbered(p) + j, wake: never}
		k.wakeups.simds[s.number] = s
	}
	m.budget.take(unsafe.Sizeof(*c) + uintptr(p.of.SIMDs)*unsafe.Sizeof(simd{}))
	return c
}

// OnSpan makes the model call f for every instruction, in the order of issue, as soon as its times are known. It ends
// when stop is called, which f may do. The span is reused. There may be several such functions; without one the model
// is much faster.
func (m *Model) OnSpan(f func(*Span)) (stop func()) {
	m.spans = append(slices.Clone(m.spans), &f)
	return func() {
		m.spans = slices.DeleteFunc(slices.Clone(m.spans), func(g *func(*Span)) bool { return g == &f })
	}
}

// Needs implements [sim.Watcher].
func (m *Model) Needs() sim.Needs {
	n := sim.Needs{Events: sim.SparseEvents}
	if !m.HideClock {
		n.Clock = waveClock{m}
	}
	return n
}

// Unseen returns the functions for instructions that the model need not see and for the order of work-groups: see
// package unseen.
func (m *Model) Unseen() any {
	n := unseen.Needs[*sim.Event]{Scheduler: m.runGroups}
	if block.Compiles {
		n.Skip, n.Skipped = m.skip, m.skipped
	}
	return n
}

// Start implements [sim.Watcher]. A run of another generation is refused with a *[sim.Error].
func (m *Model) Start(r *sim.Run) error {
	if t := r.Machine.Target; t.Gen() != m.target.Gen() {
		return &sim.Error{Kind: sim.BadTarget, What: fmt.Sprintf("timing: a model of %v observes a run of %v; make it "+
			"for the target of the machine", m.target, t)}
	}
	m.latency = 0
	if r.Compute != nil {
		m.latency = uint64(m.p.of.StartLatency)
		_, _ = m.Next() // Finish returns the error
	}
	m.sampler.next()
	return nil
}

// Begin implements [sim.Watcher]. It stores EXEC before the first instruction of each wave, which may change it.
func (m *Model) Begin(waves []*state.Wave) {
	if m.rec.err != nil {
		return
	}
	g := m.group(waves[0])
	for _, w := range waves {
		g.starts = append(g.starts, waveStart{w.ID, w.Exec()})
	}
}

// Retire implements [sim.Watcher].
func (m *Model) Retire(e *sim.Event) {
	if m.rec.err != nil {
		return
	}
	g := m.group(e.Wave)
	if e.Wave.Ended {
		g.work += e.Wave.Executed
		if g.cu != nil {
			m.sampler.executed += e.Wave.Executed
		}
	}
	g.lds = len(e.LDS)
	st := g.stream(e.Wave, m.rec.budget)
	m.rec.add(st, e)
	if m.rec.budget.held > m.rec.room {
		m.crowded(g, st)
	}
}

// group returns the work-group of w, whose streams grow. The previous work-group is then complete.
func (m *Model) group(w *state.Wave) *group {
	if g := m.filled; g != nil && g.id == w.Group {
		return g
	}
	m.flush()
	m.filled = m.newGroup(w.Group)
	return m.filled
}

// newGroup returns a group without streams, reusing an ended one if possible.
func (m *Model) newGroup(id [3]uint32) *group {
	var g *group
	if n := len(m.spare); n > 0 {
		g, m.spare = m.spare[n-1], m.spare[:n-1]
		clear(g.byID)
		*g = group{streams: g.streams[:0], byID: g.byID, starts: g.starts[:0], waves: g.waves[:0]}
	} else {
		g = new(group)
		m.rec.budget.take(unsafe.Sizeof(*g))
	}
	g.id = id
	return g
}

// mapBytes is the approximate size of a small map, or of a few entries.
const mapBytes = 64

// stream returns the stream of w, adding it if necessary.
func (g *group) stream(w *state.Wave, b *budget) *stream {
	if s := g.latest; s != nil && s.id == w.ID {
		return s
	}
	i := w.ID
	if i < 0 || i >= len(g.streams) || g.streams[i].id != i {
		var ok bool
		if i, ok = g.byID[w.ID]; !ok {
			i = g.add(w.ID, b)
		}
	}
	if g.latest == nil { // waves of a dispatch are all equal in this, and later ones exist already
		for _, s := range g.streams {
			s.vgprs = w.NumVGPRs
		}
		g.sgprs = w.NumSGPRs
	}
	s := g.streams[i]
	if !s.begun {
		s.begun, s.vgprs, s.exec = true, w.NumVGPRs, w.Exec()
		for _, start := range g.starts {
			if start.id == w.ID {
				s.exec = start.exec
			}
		}
	}
	g.latest = s
	return s
}

// add adds a stream for the wave with an ID and returns its index.
func (g *group) add(id int, b *budget) int {
	i := len(g.streams)
	if i < cap(g.streams) && g.streams[:i+1][i] != nil {
		g.streams = g.streams[:i+1]
	} else {
		g.streams = append(g.streams, new(stream))
		b.take(unsafe.Sizeof(stream{}) + 2*unsafe.Sizeof(g))
	}
	*g.streams[i] = stream{id: id}
	if id != i {
		if g.byID == nil {
			g.byID = map[int]int{}
			b.take(mapBytes)
		}
		g.byID[id] = i
	}
	return i
}

// flush passes the complete work-group to a CU.
func (m *Model) flush() {
	g := m.filled
	m.filled = nil
	if m.agree(); g == nil || m.err != nil {
		return
	}
	if g.latest == nil { // a fault occurred before its first instruction had executed
		m.spare = append(m.spare, g)
		return
	}
	m.seal(g)
	m.share()
	m.admit(g)
	m.agree()
}

// seal makes the executed part of g ready to be replayed.
func (m *Model) seal(g *group) {
	for _, s := range g.streams {
		s.seal(m.rec.pool)
	}
	m.clock.finish(g)
}

// admit places g on a CU. It advances the time until one has room.
func (m *Model) admit(g *group) {
	for !m.place(g) {
		m.freed, m.sampler.full = false, true
		for !m.freed && m.err == nil {
			switch {
			case len(m.left) > 0:
				m.leave()
			case m.resident == 0:
				m.err = fmt.Errorf("timing: a work-group of %d waves with %d VGPRs, %d SGPRs and %d bytes of LDS does not fit "+
					"a CU of %s",
					len(g.streams), g.streams[0].vgprs, g.sgprs, g.lds, m.p.Chip)
			default:
				m.err = m.step()
			}
		}
		if m.err != nil {
			return
		}
	}
}

func (m *Model) start(c *cu, g *group) {
	m.sampler.all.Timed++
	m.sampler.enter(g)
	g.cu, g.live, g.waiting, g.end = c, 0, 0, m.now
	c.ldsUsed += g.lds
	at := max(m.now, m.nextGroup)
	m.nextGroup = at + uint64(m.p.of.GroupClocks)
	for _, s := range g.streams {
		m.startWave(g, s, at)
	}
	m.nextGroup = max(m.nextGroup, m.nextWave)
	m.starting += m.nextGroup - at
}

// waveBytes is the memory of a resident wave: its counters and its entries in lists.
const waveBytes = unsafe.Sizeof(wave{}) + 1<<10

// startWave starts a wave of g at time from on the SIMD of its CU with the fewest waves. ok is false if none has
// room.
func (m *Model) startWave(g *group, s *stream, from uint64) (ok bool) {
	need := m.granted(s)
	var to *simd
	for i := range g.cu.simds {
		s := &g.cu.simds[i]
		fits := s.waves < m.slots(g.sgprs) && s.vgprs+need <= m.p.of.VGPRs
		if fits && (to == nil || s.waves < to.waves) {
			to = s
		}
	}
	if to == nil {
		return false
	}
	var w *wave
	if n := len(g.waves); n < cap(g.waves) && g.waves[:n+1][n] != nil {
		g.waves = g.waves[:n+1]
		w = g.waves[n]
	} else {
		w = new(wave)
		m.budget.take(waveBytes)
		g.waves = append(g.waves, w)
	}
	vm, exp, lgkm := w.vm[:0], w.exp[:0], w.lgkm[:0]
	*w = wave{player: player{s: s}, group: g, cu: g.cu, simd: to, age: m.count[sqWaves], vm: vm, exp: exp, lgkm: lgkm,
		fetched: never}
	if !m.open { // otherwise the model to which the clock belongs reads the stream as well
		w.pool = &g.cu.cluster.freed
	}
	w.begun = max(from, m.nextWave)
	m.nextWave = w.begun + uint64(m.p.of.LaunchClocks)
	w.since = to.align(max(w.begun+m.latency, to.ended))
	for to.slots>>w.slot&1 != 0 {
		w.slot++
	}
	to.slots |= 1 << w.slot
	to.vgprs += need
	to.waves++
	to.insert(waveSlot{ready: w.since, wave: w})
	g.live++
	m.count[sqWaves]++
	m.resident++
	g.cu.cluster.schedule(to, w.since)
	return true
}

// leave ends a wave at time end, in the cycle group of its SIMD at time t. The wave leaves its SIMD at the end of the
// window.
func (k *cluster) leave(w *wave, t, end uint64) {
	g, s := w.group, w.simd
	w.done, s.stale = true, true
	s.waveSlot(w).ready = never
	k.tally.count[sqWaveCycles] += end - w.begun
	g.live--
	g.end = max(g.end, end)
	last := g.live == 0 && !k.m.open
	k.left = append(k.left, leaving{t, end, w, last})
	switch {
	case !last:
		k.release(g, end)
	case g.run != nil:
		k.m.execute(g)
	}
}

// leave removes the waves that ended in the earliest cycle group of a SIMD.
func (m *Model) leave() {
	for first := m.left[0]; len(m.left) > 0 && m.left[0].t == first.t && m.left[0].w.simd == first.w.simd; {
		m.leaveOne(&m.left[0])
		m.left = m.left[1:]
	}
}

// leaveOne frees the resources of a wave.
func (m *Model) leaveOne(l *leaving) {
	w, g, s := l.w, l.w.group, l.w.simd
	m.now = max(m.now, l.t)
	m.places.left(g.cu.id)
	s.vgprs -= m.granted(w.s)
	s.slots &^= 1 << w.slot
	s.waves--
	s.ended = l.end
	m.resident--
	m.ended = max(m.ended, l.end, w.last)
	if !l.last {
		return
	}
	g.cu.ldsUsed -= g.lds
	m.freed = true
	m.sampler.leave(g)
	m.gone = append(m.gone, g)
}

// release opens the barrier of g if all its live waves have reached it.
func (k *cluster) release(g *group, t uint64) {
	if g.waiting == 0 || g.waiting < g.live {
		return
	}
	g.waiting = 0
	for _, w := range g.waves {
		if w.done || w.starved {
			continue
		}
		if at := w.simd.waveSlot(w); at.ready == never {
			k.m.have(w)
			k.wait(at, w.since, max(t+cycleGroup, w.since), StallBarrier)
			k.schedule(w.simd, at.ready)
		}
	}
}

// advance advances the time by a window and removes waves that have ended.
func (m *Model) advance() error {
	var err error
	if len(m.left) == 0 {
		err = m.step()
	}
	for len(m.left) > 0 {
		m.leave()
	}
	return err
}

// ErrStopped is the error of a stopped model.
var ErrStopped = errors.New("timing: the model was stopped")

// Stop makes the model, and a run that it watches, return soon. Finish then returns ErrStopped unless it was
// complete. Stop may be called at any time from any goroutine, for example by [context.AfterFunc].
func (m *Model) Stop() { m.stop.Store(true) }

// Next simulates all executed instructions to their end, as a queue does between dispatches that depend on each
// other, and returns the time. Later instructions begin later; caches keep their contents. The error is that of
// [Model.Finish].
func (m *Model) Next() (cycles uint64, err error) {
	m.drain()
	m.ended += m.fold()
	m.now = max(m.now, m.ended)
	if m.clock != nil {
		m.clock.next(m)
	}
	return m.ended, m.err
}

// drain simulates the rest.
func (m *Model) drain() {
	m.flush()
	for m.resident > 0 && m.err == nil {
		m.err = m.advance()
	}
	m.agree()
}

// Finish simulates the rest and returns the times. The error is [ErrStopped], or describes why the run cannot be
// timed.
func (m *Model) Finish() (*Result, error) {
	m.drain()
	if m.err != nil {
		return nil, m.err
	}
	return m.result()
}
