package timing

import (
	"cmp"
	"runtime"
	"slices"
	"sync/atomic"
)

// cluster are the CUs that share a scalar and an instruction cache. Within a window of time clusters know nothing of
// one another, so that each can be run by itself: what L2 answers to a line that is asked for in the window, and where
// a work-group begins, has an effect after the window at the earliest.
type cluster struct {
	m          *Model
	p          *Params
	taken      atomic.Bool // a worker runs it, or has run it, in the window
	data, code cache
	wakeups    wakeups
	now        uint64
	tally      *tally   // of the worker that runs the cluster
	budget     budget   // memory that it used in the window
	freed      chain    // chunks that waves have read in the window
	lines      []uint64 // of the access

	end         uint64   // of the window
	direct      bool     // L2 answers at once: the window is one clock
	ops         []static // recorder.ops as the window began
	requests    []l2Request
	answered    int             // how many of them
	refs        []uint32        // numbers of requests
	unfinished  []pendingAccess // in the order of issue
	left        []leaving       // in the order of time
	cycleGroups int             // how many cycle groups SIMDs had in the window
}

// tally holds the counts of a worker. Model.budget has the tally of the first worker and no other one, so that what a
// model may hold does not depend on the number of workers.
type tally struct {
	count [numCounters]uint64
	perOp []opTimes
}

// unknownTime is a time that is known when the window ends; plus the number of the request whose answer it is. It is
// later than all times of the window.
const unknownTime = uint64(1) << 62

// l2Request asks L2 for a line for a CU, at a time, for the instruction that issued at time t.
type l2Request struct {
	t, n, at, more uint64 // at becomes the answer
	q              request
	stream         bool
	scalar         bool   // by way of the scalar or instruction cache
	to             *cache // cache that gets the line, whose time is unknown; nil if none
}

// pendingAccess is an instruction of w, issued at time t, that is done when L2 has answered; or if it waits, one that
// did not issue at time t.
type pendingAccess struct {
	w        *wave
	op       uint32
	waits    bool // for a line of code, or with no refs for counters
	inOrder  bool // VMCNT counts it: not before those before it
	from, to int  // in refs: the answers
	t        uint64
	done     uint64 // if no answer comes later,
	extra    uint64 // and so much after the last one
	least    uint64 // not before that
}

// leaving is a wave that ended at a time, in the cycle group of its SIMD at time t; last if it was the last one of its
// work-group.
type leaving struct {
	t, end uint64
	w      *wave
	last   bool
}

// request asks L2 for a line for c at a time. The answer is an unknown time unless L2 answers at once.
func (k *cluster) request(c *cu, a l2Request) uint64 {
	a.at = max(a.at, c.toL2)
	c.toL2 = a.at + 1
	if k.direct {
		return k.m.l2(&a)
	}
	k.requests = append(k.requests, a)
	return unknownTime + uint64(len(k.requests)-1)
}

// refer notes that the instruction at hand needs the answer that a time stands for, if it is unknown.
func (k *cluster) refer(time uint64) (known uint64) {
	if time < unknownTime {
		return time
	}
	k.refs = append(k.refs, uint32(time-unknownTime))
	return 0
}

// await returns when an access is done: an unknown time, if an answer that was referred to since o.from is missing, or
// one of an access before it that VMCNT counts.
func (k *cluster) await(o pendingAccess) uint64 {
	w := o.w
	if len(k.refs) == o.from && (w.unknown == 0 || !o.inOrder) {
		return o.complete(o.done)
	}
	w.unknown++
	o.op, o.to = w.op, len(k.refs)
	k.unfinished = append(k.unfinished, o)
	return unknownTime
}

// complete returns when o is done if the last answer comes at a time.
func (o *pendingAccess) complete(answered uint64) (done uint64) {
	done = max(answered+o.extra, o.least)
	if o.inOrder {
		done = max(done, o.w.lastVM)
		o.w.lastVM = done
	}
	return done
}

// run lets what happens in k before a time happen.
func (k *cluster) run(end uint64) {
	k.settle()
	k.end, k.cycleGroups = end, 0
	for {
		at, s, ok := k.wakeups.pop(end)
		if !ok {
			return
		}
		if s.wake != at { // an earlier one took its place
			continue
		}
		s.wake, k.now = never, at
		k.cycleGroups++
		k.issueAt(s, at)
	}
}

// wait makes the wave of a slot wait from t to its first cycle group from until on, for its next
// instruction.
func (k *cluster) wait(at *waveSlot, t, until uint64, why Stall) {
	w := at.wave
	w.why = why
	if until >= unknownTime {
		at.ready = never
		o := pendingAccess{w: w, waits: true, t: t, from: len(k.refs)}
		if why == StallFetch {
			k.refer(until)
		}
		o.to = len(k.refs)
		k.unfinished = append(k.unfinished, o)
		return
	}
	at.ready = w.simd.align(until)
	k.stall(w, at.ready-t, why)
}

// stall counts clocks for which the next instruction of w could not issue.
func (k *cluster) stall(w *wave, clocks uint64, why Stall) {
	if !k.m.open {
		k.times(w.at.op).stall[why] += clocks
	}
}

// settle gives the pending accesses of the window before their times: L2 has answered.
func (k *cluster) settle() {
	for i := range k.requests {
		if a := &k.requests[i]; a.to != nil {
			a.to.arrive(a.n, unknownTime+uint64(i), a.at)
		}
	}
	for i := range k.unfinished {
		o := &k.unfinished[i]
		w, done := o.w, o.done
		for _, r := range k.refs[o.from:o.to] {
			done = max(done, k.requests[r].at)
		}
		if o.waits {
			why := w.why
			if o.to == o.from {
				done, why = k.counters(w, &k.ops[w.at.op])
			}
			at := w.simd.waveSlot(w)
			k.wait(at, o.t, done, why)
			k.schedule(w.simd, at.ready)
			continue
		}
		done = o.complete(done)
		w.unknown--
		if o.inOrder {
			w.vm.settle(done)
		}
		for range k.ops[o.op].lgkm {
			w.lgkm.settle(done)
		}
		w.last = max(w.last, done)
		k.times(o.op).latency += max(done, o.t) - o.t
	}
	k.requests, k.refs, k.unfinished = k.requests[:0], k.refs[:0], k.unfinished[:0]
}

// step runs a window.
func (m *Model) step() error {
	if m.stop.Load() {
		return ErrStopped
	}
	if !m.feed.running {
		m.share()
	}
	ahead := m.lookahead()
	alone := ahead == 0
	for i := range m.clusters {
		if k := &m.clusters[i]; k.m != nil {
			if k.ops, k.direct = m.ops, alone; alone {
				k.settle()
			}
		}
	}
	begin := m.soonest()
	switch {
	case begin == never:
		m.join()
		return cmp.Or(m.err, m.stuck())
	case alone:
		m.join()
		m.now, ahead = begin, 1
	}
	m.reached = begin + ahead
	m.run(m.reached, alone)
	if m.join(); !alone {
		m.prepare()
	}
	m.answer(begin, m.reached)
	m.gather()
	return m.err
}

// soonest returns when something happens next, at the earliest.
func (m *Model) soonest() uint64 {
	begin := never
	for i := range m.clusters {
		if k := &m.clusters[i]; k.m != nil {
			if begin = min(begin, k.wakeups.next()); len(k.unfinished) > 0 {
				begin = min(begin, k.end) // whatever the answers are
			}
		}
	}
	return begin
}

// early runs a window before the next work-group has its place, and reports whether there was one. All of the window is
// before that work-group can begin, and no wave has left since the latest one got its place, so that the place is the
// same: what executes while a chip fills can be timed before the chip is full.
func (m *Model) early() bool {
	ahead, until := m.lookahead(), max(m.now, m.nextGroup)+m.latency
	if ahead == 0 || len(m.left) > 0 || m.resident == 0 || m.reached+ahead > until || m.soonest()+ahead > until {
		return false
	}
	m.err = m.step()
	return true
}

// lookahead returns for how many clocks clusters know nothing of one another; 0 if L2 must answer at once.
func (m *Model) lookahead() uint64 {
	if m.open || len(m.spans) > 0 || m.clocked || m.atOnce {
		return 0
	}
	ahead := min(m.latency, uint64(m.p.of.L2Latency)-(&l2Request{scalar: true}).sooner(&m.p))
	if ahead < leastLookahead {
		return 0
	}
	return ahead
}

// leastLookahead is the shortest window that is worth it.
const leastLookahead = 16

// worthSharing is how many cycle groups SIMDs had in the window before if clusters are shared out among cores: about 50
// us. Tests set it.
var worthSharing = 500

// run runs clusters until a time, and the next work-groups of the dispatch meanwhile. Results do not depend on cores.
func (m *Model) run(end uint64, alone bool) {
	workers := m.workers(alone)
	for len(m.tallies) < workers {
		m.tallies = append(m.tallies, new(tally))
	}
	for i := range m.clusters {
		m.clusters[i].taken.Store(false)
	}
	for i := 1; i < workers; i++ {
		m.helper(i).start(func() { m.work(i, workers, end) })
	}
	m.work(0, workers, end)
	for i := 1; i < workers; i++ { // helper 1 may have a task of prepare, which ends here, too: join finds nothing pending
		m.err = cmp.Or(m.err, m.helper(i).wait())
	}
	m.cycleGroups = 0
	for i := range m.clusters {
		m.cycleGroups += m.clusters[i].cycleGroups
	}
}

// workers returns how many cores run the clusters of a window.
func (m *Model) workers(alone bool) int {
	if alone || m.cycleGroups < worthSharing {
		return 1
	}
	return min(runtime.GOMAXPROCS(0), len(m.clusters)+1)
}

// helper returns the helper that is worker i, which is not 0.
func (m *Model) helper(i int) *helper {
	for len(m.helpers) < i {
		m.helpers = append(m.helpers, newHelper())
	}
	return m.helpers[i-1]
}

// work runs clusters until a time as a worker: first those that it runs in each window, which are in the cache of its
// core, then those that no other worker has taken.
func (m *Model) work(worker, workers int, end uint64) {
	n := len(m.clusters)
	for i := range n {
		k := &m.clusters[(worker*n/workers+i)%n]
		if k.m != nil && !k.taken.Swap(true) {
			k.tally = m.tallies[worker]
			k.run(end)
		}
	}
}

// answer lets L2 answer what it was asked in a window, by time and then by CU.
func (m *Model) answer(begin, end uint64) {
	asking := 0
	for i := range m.clusters {
		m.clusters[i].answered = 0
		asking += len(m.clusters[i].requests)
	}
	for t := begin; t < end && asking > 0; t++ {
		for i := range m.clusters {
			for k := &m.clusters[i]; k.answered < len(k.requests) && k.requests[k.answered].t == t; k.answered++ {
				a := &k.requests[k.answered]
				a.at = m.l2(a)
				asking--
			}
		}
	}
}

// gather takes what the model has of all from clusters at the end of a window.
func (m *Model) gather() {
	m.left = m.leaves[:0]
	for i := range m.clusters {
		k := &m.clusters[i]
		for j := range k.left {
			if k.left[j].w.unknown > 0 { // it ended with a fault
				k.settle()
			}
		}
		m.left = append(m.left, k.left...)
		k.left = k.left[:0]
	}
	m.leaves = m.left
	slices.SortStableFunc(m.left, func(a, b leaving) int { return cmp.Compare(a.t, b.t) })
}
