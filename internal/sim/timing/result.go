package timing

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
)

// opTimes has the times of one instruction of the program, summed over its executions.
type opTimes struct {
	count, first, latency uint64
	taken                 uint64 // number of executions that were taken branches
	stall                 [NumStalls]uint64
}

// Result holds the duration of a run and its causes.
type Result struct {
	Cycles uint64 // clocks from the start until the last access is complete and DRAM has the lines that L2 replaced
	Params Params
	counts [numCounters]uint64 // by counter
	Insts  []InstTimes         // instructions in program order

	// Metrics are the counters that are not 0 under AMD's names, then the metrics that rocprofiler derives from them by
	// its formulas, then those of memory, which have no AMD names.
	Metrics []Metric

	// Busy and Stalls are the cycles that all waves together spent on instructions, and stalled: the sums over Insts.
	Busy   uint64
	Stalls [NumStalls]uint64

	// Sampled describes the timed part of the run; nil without [Params].Sampled.
	Sampled *Sampling

	// NotModelled lists operations of the run that took no time, or another time than on hardware.
	NotModelled []string

	dram   dramUse // without the lines that L2 writes back after the run
	most   instances
	l2Wait uint64
	// starting is the number of clocks in which the chip started work-groups.
	starting uint64
}

// InstTimes has the times of one instruction in cycles, summed over its executions.
type InstTimes struct {
	PC      uint64
	Inst    gcn.Inst
	Source  string // source line, for example "k.cl:12", or ""
	Count   uint64 // number of executions
	First   uint64 // cycle of the first issue
	Busy    uint64 // clocks from issue to the time when the wave could issue its next instruction
	Latency uint64 // clocks from issue to completion; 0 if it is complete at issue
	Stalled uint64 // clocks that waves waited before issuing it: the sum of Stalls
	Why     Stall  // the reason of most of Stalled
	Stalls  [NumStalls]uint64
}

// sum computes the fields of t that follow from its stalls, and adds its times to r.
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

// Span has the times of one executed instruction in cycles.
type Span struct {
	CU, SIMD, Slot int
	Group          [3]uint32
	Wave           int // number of the wave in its work-group
	Seq            int // number of the instruction in its wave
	PC             uint64
	Inst           *gcn.Inst
	Program        *sim.Program // a program that contains the instruction
	Ready          uint64       // earliest time at which it could have issued
	Issue          uint64
	Free           uint64 // time at which the next instruction of the wave could issue
	Done           uint64 // time at which it completed
	Why            Stall  // reason of the wait, if Issue is later than Ready
	TA, LDS        Work   // work of the units for it; TA and L1 work in parallel
	TAStopped      uint64 // clocks before TA started in which L1 stopped it
	// lines of the access, and numbers of lines that loads found and did not find in L1
	Lines, L1Hits, L1Misses uint64
	// L2 has the work of the L2 channels since the previous span, in no order.
	L2 []Work
}

// Work is a period in which a unit works on one instruction and no other.
type Work struct {
	Begin, Clocks uint64

	// For an L2 channel: its number, the lines it serves, those of them that it must read from DRAM, and whether they
	// are code.
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

// tallied returns the sum of all workers' counts.
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
	writes += m.l2cache.dirty() // dirty lines are written back after the run (assumed)
	if m.p.of.HasEA {
		c[tccEaRdreq], c[tccEaWrreq], c[tccEaWrreq64b], c[tccEaWrreqStall] = reads, writes, writes, stall
		return
	}
	c[tccMcRdreq], c[tccMcWrreq], c[tccMcWrreqStall] = reads*LineBytes/32, writes*LineBytes/32, stall
}
