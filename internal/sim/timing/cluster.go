package timing

import (
	"cmp"
	"runtime"
	"slices"
	"sync/atomic"
)

// cluster is the group of CUs that share a scalar and an instruction cache. Within a window of time, clusters do not
// affect one another, so that each can be simulated by itself: L2's answer to a request in the window, and the
// placement of a work-group, take effect after the window at the earliest.
type cluster struct {
	m          *Model
	p          *Params
	taken      atomic.Bool // a worker simulates it in the window, or has done so
	data, code cache
	wakeups    wakeups
	now        uint64
	tally      *tally   // counts of the worker that simulates the cluster
	budget     budget   // memory that it allocated in the window
	freed      chain    // chunks that waves have read in the window
	lines      []uint64 // lines of the current access

	end         uint64   // end of the window
	direct      bool     // L2 answers immediately: the window is one clock
	ops         []static // recorder.ops at the start of the window
	requests    []l2Request
	answered    int             // number of requests that have been answered
	refs        []uint32        // numbers of requests
	unfinished  []pendingAccess // in the order of issue
	left        []leaving       // in the order of time
	cycleGroups int             // number of cycle groups of its SIMDs in the window
}

// tally holds the counts of a worker. Model.budget includes only the first worker's tally, so that the memory limit
// of a model does not depend on the number of workers.
type tally struct {
	count [numCounters]uint64
	perOp []opTimes
}

// unknownTime is a time that becomes known at the end of the window, plus the number of the request on whose answer
// it depends. It is later than all times of the window.
const unknownTime = uint64(1) << 62

// l2Request is a request of a CU to L2 for a line, made at time at by the instruction issued at time t.
type l2Request struct {
	t, n, at, more uint64 // at is replaced by the time of the answer
	q              request
	stream         bool
	scalar         bool   // through the scalar or instruction cache
	to             *cache // the cache that receives the line and has its unknown time, or nil
}

// pendingAccess is an instruction of w that was issued at time t and completes when L2 has answered. If waits is set,
// it could not issue at time t.
type pendingAccess struct {
	w        *wave
	op       uint32
	waits    bool // the instruction waits for a line of code or, without refs, for counters
	inOrder  bool // counted by VMCNT, so that it does not complete before earlier ones
	from, to int  // range in refs of the requests it depends on
	t        uint64
	done     uint64 // completion time if no answer is later
	extra    uint64 // clocks from the last answer to completion
	least    uint64 // earliest completion time
}

// leaving is a wave that ended at time end, in the cycle group of its SIMD at time t. last is set if it was the last
// wave of its work-group.
type leaving struct {
	t, end uint64
	w      *wave
	last   bool
}

// request sends a request to L2 for c. The returned time is unknown unless L2 answers immediately.
func (k *cluster) request(c *cu, a l2Request) uint64 {
	a.at = max(a.at, c.toL2)
	c.toL2 = a.at + 1
	if k.direct {
		return k.m.l2(&a)
	}
	k.requests = append(k.requests, a)
	return unknownTime + uint64(len(k.requests)-1)
}

// refer records that the current instruction depends on the answer for which an unknown time stands.
func (k *cluster) refer(time uint64) (known uint64) {
	if time < unknownTime {
		return time
	}
	k.refs = append(k.refs, uint32(time-unknownTime))
	return 0
}

// await returns the time when an access completes. It is unknown if an answer referred to since o.from is missing, or
// that of an earlier access that VMCNT counts.
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

// complete returns the completion time of o if the last answer arrives at time answered.
func (o *pendingAccess) complete(answered uint64) (done uint64) {
	done = max(answered+o.extra, o.least)
	if o.inOrder {
		done = max(done, o.w.lastVM)
		o.w.lastVM = done
	}
	return done
}

// run simulates the events of k before time end.
func (k *cluster) run(end uint64) {
	k.settle()
	k.end, k.cycleGroups = end, 0
	for {
		at, s, ok := k.wakeups.pop(end)
		if !ok {
			return
		}
		if s.wake != at { // an earlier wakeup replaced it
			continue
		}
		s.wake, k.now = never, at
		k.cycleGroups++
		k.issueAt(s, at)
	}
}

// wait makes the wave of a slot wait from t to its first cycle group at or after until, before its next instruction.
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

// stall counts clocks in which the next instruction of w could not issue.
func (k *cluster) stall(w *wave, clocks uint64, why Stall) {
	if !k.m.open {
		k.times(w.at.op).stall[why] += clocks
	}
}

// settle computes the completion times of the window's pending accesses, after L2 has answered.
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

// step simulates one window.
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

// soonest returns a time before which no event happens.
func (m *Model) soonest() uint64 {
	begin := never
	for i := range m.clusters {
		if k := &m.clusters[i]; k.m != nil {
			if begin = min(begin, k.wakeups.next()); len(k.unfinished) > 0 {
				begin = min(begin, k.end) // independent of the answers
			}
		}
	}
	return begin
}

// early simulates a window before the next work-group is placed, and reports whether there was one. The window ends
// before that work-group can start, and no wave has ended since the last placement, so that the placement does not
// change. In this way, instructions can be timed while the chip is still filling.
func (m *Model) early() bool {
	ahead, until := m.lookahead(), max(m.now, m.nextGroup)+m.latency
	if ahead == 0 || len(m.left) > 0 || m.resident == 0 || m.reached+ahead > until || m.soonest()+ahead > until {
		return false
	}
	m.err = m.step()
	return true
}

// lookahead returns the number of clocks in which clusters do not affect one another; 0 if L2 must answer
// immediately.
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

// leastLookahead is the length of the shortest useful window in clocks.
const leastLookahead = 16

// worthSharing is a number of cycle groups, about 50 us of work. If the previous window had at least as many,
// clusters are distributed over cores. Tests change it.
var worthSharing = 500

// run simulates clusters until time end, while the next work-groups of the dispatch execute. The results do not
// depend on the number of cores.
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
	// helper 1 may also have a task of prepare, which ends here as well, so that join finds nothing pending
	for i := 1; i < workers; i++ {
		m.err = cmp.Or(m.err, m.helper(i).wait())
	}
	m.cycleGroups = 0
	for i := range m.clusters {
		m.cycleGroups += m.clusters[i].cycleGroups
	}
}

// workers returns the number of cores that simulate the clusters of a window.
func (m *Model) workers(alone bool) int {
	if alone || m.cycleGroups < worthSharing {
		return 1
	}
	return min(runtime.GOMAXPROCS(0), len(m.clusters)+1)
}

// helper returns the helper of worker i, which is not 0.
func (m *Model) helper(i int) *helper {
	for len(m.helpers) < i {
		m.helpers = append(m.helpers, newHelper())
	}
	return m.helpers[i-1]
}

// work simulates clusters until time end as one worker: first the clusters that it simulates in each window, whose
// data is in its core's cache, then those that no other worker has taken.
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

// answer computes L2's answers to the requests of a window, in the order of time and then of CU.
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

// gather collects the results of all clusters at the end of a window.
func (m *Model) gather() {
	m.left = m.leaves[:0]
	for i := range m.clusters {
		k := &m.clusters[i]
		for j := range k.left {
			if k.left[j].w.unknown > 0 { // the wave ended with a fault
				k.settle()
			}
		}
		m.left = append(m.left, k.left...)
		k.left = k.left[:0]
	}
	m.leaves = m.left
	slices.SortStableFunc(m.left, func(a, b leaving) int { return cmp.Compare(a.t, b.t) })
}
