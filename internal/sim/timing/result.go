package timing

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
)

// opTimes are the times of one instruction of the program, over all its executions.
type opTimes struct {
	count, first, latency uint64
	taken                 uint64 // of count: branches that were taken
	stall                 [NumStalls]uint64
}

// Result is how long a run took and why.
type Result struct {
	Cycles uint64 // from the start until the last access is complete and DRAM has what L2 displaced
	Params Params
	counts [numCounters]uint64 // by counter
	Insts  []InstTimes         // in program order

	// Metrics are the counters that are not 0 under AMD's names, then the metrics that
	// rocprofiler derives from them, by its formulas, then those of memory, which AMD has no
	// names for.
	Metrics []Metric

	// Busy and Stalls are how many cycles all waves together spent on instructions, and stalled:
	// the sums over Insts.
	Busy   uint64
	Stalls [NumStalls]uint64

	// Sampled says which part of the run was timed; nil without [Params].Sampled.
	Sampled *Sampling

	// NotModelled says what of the run took no time, or another time than on hardware.
	NotModelled []string

	dram   dramUse // without the lines that L2 writes back after the run
	most   instances
	l2Wait uint64
	// starting is for how many clocks the chip started work-groups.
	starting uint64
}

// InstTimes are the times of one instruction, summed over its executions, in cycles.
type InstTimes struct {
	PC      uint64
	Inst    gcn.Inst
	Source  string // the line that it was compiled from, as in "k.cl:12", "" if that is not known
	Count   uint64 // executions
	First   uint64 // cycle of the first issue
	Busy    uint64 // from issue to when the wave could issue its next instruction
	Latency uint64 // from issue to completion; 0 if nothing is outstanding
	Stalled uint64 // clocks that waves waited before they issued it: the sum of Stalls
	Why     Stall  // the cause of most of that
	Stalls  [NumStalls]uint64
}

// sum sets what follows from the stalls of t, and adds its times to those of r.
func (r *Result) sum(t *InstTimes) {
	r.Busy += t.Busy
	for why, n := range t.Stalls {
		t.Stalled += n
		r.Stalls[why] += n
		if n > t.Stalls[t.Why] {
			t.Why = Stall(why)
		}
	}
}

// Span are the times of one executed instruction, in cycles.
type Span struct {
	CU, SIMD, Slot int
	Group          [3]uint32
	Wave           int // in its group
	Seq            int // number of the instruction in its wave
	PC             uint64
	Inst           *gcn.Inst
	Program        *sim.Program // a program that has the instruction
	Ready          uint64       // when it could have issued first
	Issue          uint64
	Free           uint64 // when the next instruction of the wave could issue
	Done           uint64 // when it completed
	Why            Stall  // cause of the wait, if Issue is later than Ready
	TA, LDS        Work   // what the units did for it; TA and L1 work at the same time
	TAStopped      uint64 // clocks before TA began that L1 stopped it
	// Lines of the access, and those of loads that L1 had and had not.
	Lines, L1Hits, L1Misses uint64
	// L2 holds the requests that the channels of L2 served since the span before, in no order.
	L2 []Work
}

// Work is the time that a unit works on one instruction; no other is served in it.
type Work struct {
	Begin, Clocks uint64

	// For a channel of L2: its number, how many lines it serves and how many of these it has
	// to get from DRAM, and whether they are fetched to be executed.
	Channel       int
	Lines, Misses int
	Fetch         bool
}

func (m *Model) result() (r *Result, err error) {
	m.ended = max(m.ended, m.dram.finish()) + m.fold()
	timed := m.ended - m.sampler.cycles
	r = &Result{Cycles: m.ended, Params: m.p}
	if r.Sampled, err = m.sampling(); err != nil {
		return nil, err
	}
	r.dram, r.l2Wait, r.starting = m.dram.dramUse, m.l2Wait, m.starting
	all := m.tallied()
	r.counts = m.count
	for i, n := range all.count {
		r.counts[i] += n
	}
	c := &r.counts
	c[grbmCount], c[grbmGuiActive], c[sqThreadCyclesValu] = timed, timed, m.rec.threads
	c[sqWaveCycles] /= cycleGroup
	m.countUnits(r)
	for i := range all.perOp {
		o, op := &all.perOp[i], &m.rec.ops[i]
		if op.classCounter != noCounter {
			c[op.classCounter] += o.count
		}
		if op.port == portVALU {
			c[sqActiveInstValu] += o.count * op.valuCycleGroups()
		}
		busy := (o.count-o.taken)*uint64(op.issue+op.cross) + o.taken*uint64(m.p.of.BranchTaken+int(op.cross))
		t := InstTimes{PC: op.pc, Inst: gcn.Inst(op.in), Source: op.from.Source(op.pc), Count: o.count, First: o.first,
			Busy:    busy,
			Latency: o.latency, Stalls: o.stall}
		r.sum(&t)
		r.Insts = append(r.Insts, t)
	}
	c[sqInstCyclesSalu] = c[sqInstsSalu]
	for why, n := range r.Stalls {
		c[sqWaitAny] += n / cycleGroup
		if Stall(why).arbitration() {
			c[sqWaitInstAny] += n / cycleGroup
		}
	}
	c[sqWaitInstLds] = r.Stalls[StallLDS] / cycleGroup
	r.Metrics = r.metrics()
	if err := r.bound(); err != nil {
		return nil, err
	}
	r.NotModelled = m.notModelled()
	slices.SortStableFunc(r.Insts, func(a, b InstTimes) int {
		switch {
		case a.PC < b.PC:
			return -1
		case a.PC > b.PC:
			return 1
		}
		return 0
	})
	return r, nil
}

// tallied returns what all workers have counted.
func (m *Model) tallied() *tally {
	all := m.tallies[0]
	for _, y := range m.tallies[1:] {
		for i, n := range y.count {
			all.count[i] += n
		}
		for len(all.perOp) < len(y.perOp) {
			all.perOp = append(all.perOp, opTimes{})
		}
		for i := range y.perOp {
			all.perOp[i].add(&y.perOp[i])
		}
	}
	m.tallies = m.tallies[:1]
	return all
}

// add adds the times of another worker.
func (o *opTimes) add(x *opTimes) {
	switch {
	case x.count > 0 && o.count > 0:
		o.first = min(o.first, x.first)
	case x.count > 0:
		o.first = x.first
	}
	o.count, o.latency, o.taken = o.count+x.count, o.latency+x.latency, o.taken+x.taken
	for i, n := range x.stall {
		o.stall[i] += n
	}
}

// countUnits sets the counters of TA, L1 and L2.
func (m *Model) countUnits(r *Result) {
	c := &r.counts
	_, each := m.p.engines()
	instance := make([]instances, each)
	for i := range m.cus {
		if m.cus[i] == nil {
			continue
		}
		u, n := m.cus[i], &instance[i%each]
		c[taTaBusy] += u.taBusy
		c[tcpDataStallCycles] += u.taStall
		n.taBusy, n.taStall = n.taBusy+u.taBusy, n.taStall+u.taStall
		r.most.taBusy, r.most.taStall = max(r.most.taBusy, n.taBusy), max(r.most.taStall, n.taStall)
	}
	reads, writes, stall := m.dram.Reads, m.dram.Writes, uint64(0)
	for i := range m.channels {
		stall += m.channels[i].writeStall
		r.most.writeStall = max(r.most.writeStall, m.channels[i].writeStall)
	}
	writes += m.l2cache.dirty() // they are written back after the run (assumed)
	if m.p.of.HasEA {
		c[tccEaRdreq], c[tccEaWrreq], c[tccEaWrreq64b], c[tccEaWrreqStall] = reads, writes, writes, stall
		return
	}
	c[tccMcRdreq], c[tccMcWrreq], c[tccMcWrreqStall] = reads*LineBytes/32, writes*LineBytes/32, stall
}
