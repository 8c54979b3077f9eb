package timing

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// Stall is the reason why a wave could not issue an instruction.
type Stall uint8

// The reasons.
const (
	StallFetch   Stall = iota // the instruction is not in the instruction cache
	StallVM                   // s_waitcnt vmcnt
	StallEXP                  // s_waitcnt expcnt
	StallLGKM                 // s_waitcnt lgkmcnt
	StallCounter              // a counter would overflow
	StallBarrier              // other waves have not reached s_barrier
	StallSleep                // s_sleep
	StallTA                   // the texture address unit has a full queue
	StallLDS                  // the LDS is busy
	StallVALU                 // the vector ALU is busy
	StallIssue                // another wave issued an instruction of this type
	NumStalls    = iota
)

var stallNames = [NumStalls]string{
	StallFetch: "fetch", StallVM: "vmcnt", StallEXP: "expcnt", StallLGKM: "lgkmcnt", StallCounter: "counter full",
	StallBarrier: "barrier",
	StallSleep:   "sleep", StallTA: "TA busy", StallLDS: "LDS busy", StallVALU: "VALU busy", StallIssue: "issue",
}

var _ = enum.Full[Stall](stallNames[:])

// arbitration reports whether the wave could have issued if no other wave had issued.
func (s Stall) arbitration() bool {
	return s == StallTA || s == StallLDS || s == StallVALU || s == StallIssue
}

// String returns a short name of the reason.
func (s Stall) String() string { return enum.Name(stallNames[:], s) }

// wave is a wave that is resident on a SIMD.
type wave struct {
	player
	group *group
	cu    *cu
	simd  *simd
	slot  int
	count int    // number of issued instructions
	op    uint32 // number of the latest instruction
	prio  uint8  // priority set by s_setprio, 0 to 3
	why   Stall  // reason of its latest wait
	done  bool
	// starved means that the next instruction has not executed yet. It is set only if Model.open is.
	starved bool
	age     uint64 // sequence number of the wave
	since   uint64 // earliest time at which its next instruction could have issued
	begun   uint64
	fetched uint64 // the code block that it fetched last
	last    uint64 // time at which all its accesses are complete
	issued  uint64 // issue time of the latest instruction
	rest    uint64 // clocks of issue cost that have not been charged yet
	lastVM  uint64 // time at which VMCNT counts down for the latest access whose time is known
	unknown int    // number of its accesses whose completion time is unknown

	vm, exp, lgkm pending
	queued        [numPorts]uint64 // time at which the queue to each unit is empty; see static.queue
}

// pending has the times at which a counter decreases by one, in ascending order.
type pending []uint64

// drain removes the times up to t.
func (p *pending) drain(t uint64) {
	n := 0
	for n < len(*p) && (*p)[n] <= t {
		n++
	}
	if n > 0 {
		*p = (*p)[:copy(*p, (*p)[n:])]
	}
}

// settle replaces an unknown time in p.
func (p *pending) settle(t uint64) {
	*p = (*p)[:len(*p)-1]
	p.add(0, t)
}

// until returns the time from which at most most operations are outstanding. p may contain times in the past.
func (p *pending) until(most int) uint64 {
	q := *p
	if len(q) <= most {
		return 0
	}
	return q[len(q)-most-1]
}

// add inserts t. now is the present time.
func (p *pending) add(now, t uint64) {
	if len(*p) == cap(*p) {
		p.drain(now)
	}
	*p = append(*p, t)
	q := *p
	for i := len(q) - 1; i > 0 && q[i-1] > t; i-- {
		q[i-1], q[i] = q[i], q[i-1]
	}
}

// times returns the times of instruction n.
func (k *cluster) times(n uint32) *opTimes {
	y := k.tally
	if int(n) >= len(y.perOp) {
		y.perOp = append(y.perOp, make([]opTimes, len(k.ops)-len(y.perOp))...)
	}
	return &y.perOp[n]
}

// try issues the next instruction of the wave of a slot at time t, or computes when to try again.
func (k *cluster) try(at *waveSlot, t uint64, used *[numPorts]bool) {
	w := at.wave
	if w.at.n == 0 && !k.m.have(w) {
		if k.m.open {
			w.starved, at.ready = true, never
		} else { // the wave ended with a fault
			k.leave(w, t, t)
		}
		return
	}
	k.countPassed(at)
	op := &k.ops[w.at.op]
	if n := op.pc / fetchBytes; n != w.fetched {
		if ready := k.fetch(w, n, t); ready > t {
			k.wait(at, t, ready, StallFetch)
			return
		}
	}
	if op.counts {
		if until, why := k.counters(w, op); until > t {
			if until >= k.end && w.unknown > 0 { // an access with an unknown time may complete before
				until = unknownTime
			}
			k.wait(at, t, until, why)
			return
		}
	}
	if op.port != portInternal {
		if used[op.port] {
			at.port = op.port
			at.pass(t)
			return
		}
		if until, why := k.busy(w, op); until > t {
			k.wait(at, t, until, why)
			return
		}
		used[op.port] = true
	}
	if op.alone && w.at.n > 1 && len(k.m.spans) == 0 && !k.m.open {
		k.issueAlone(at, op, t)
	} else {
		k.issue(at, op, t)
	}
}

// less returns t minus clocks, at least 0.
func less(t uint64, clocks int) uint64 { return max(t, uint64(clocks)) - uint64(clocks) }

// busy returns the time until which the unit of op, or the wave's queue to it, accepts no instruction.
func (k *cluster) busy(w *wave, op *static) (until uint64, why Stall) {
	switch op.port { //exhaustive:enforce
	case portVALU:
		return w.simd.valu, StallVALU
	case portVMEM:
		return less(max(w.cu.ta, w.queued[portVMEM]), k.p.of.VMEMBacklog), StallTA
	case portLDS:
		return less(max(w.cu.lds, w.queued[portLDS]), k.p.of.LDSBacklog), StallLDS
	case portScalar, portExport, portInternal, numPorts:
	}
	return 0, 0
}

// counters returns the time until which counters prevent op from issuing: s_waitcnt, or an overflow (rule W9).
func (k *cluster) counters(w *wave, op *static) (until uint64, why Stall) {
	if op.kind == kindWaitcnt {
		until, why = w.vm.until(int(op.waitVM)), StallVM
		if u := w.exp.until(int(op.waitEXP)); u > until {
			until, why = u, StallEXP
		}
		if u := w.lgkm.until(int(op.waitLGKM)); u > until {
			until, why = u, StallLGKM
		}
		return until, why
	}
	until = max(w.vm.room(k.m.gen.MaxVM, op.vm), w.exp.room(k.m.gen.MaxEXP, op.exp), w.lgkm.room(k.m.gen.MaxLGKM, op.lgkm))
	return until, StallCounter
}

// room returns the time from which a counter with maximum most can count n more.
func (p *pending) room(most, n uint8) uint64 {
	if n == 0 {
		return 0
	}
	return p.until(int(most) - int(n))
}

// issueAlone is a faster issue, for an instruction with alone set that is followed by the next one of the program.
func (k *cluster) issueAlone(at *waveSlot, op *static, t uint64) {
	w, cost := at.wave, uint64(op.issue)
	if op.port == portVALU {
		w.simd.valu = t + cost
	}
	k.times(w.at.op).issued(t)
	w.op = w.at.op
	w.at.op++
	w.at.n--
	w.count++
	w.since = t + w.wholeCycleGroups(cost+uint64(op.cross))
	at.ready = w.since
}

// issue executes op, the next instruction of the wave of a slot.
func (k *cluster) issue(at *waveSlot, op *static, t uint64) {
	w := at.wave
	cost, done := uint64(op.issue), t
	w.op = w.at.op
	jumped := w.step()
	if len(k.m.spans) > 0 {
		k.m.access++
	}
	if jumped {
		cost = uint64(k.p.of.BranchTaken)
	} else {
		done = k.perform(w, op, t)
	}
	if op.port == portVALU {
		w.simd.valu = t + cost
	}
	if (op.kind == kindPlain || op.kind == kindInvScalar) && op.exp+op.lgkm > 0 {
		done = t + cost
		if op.exp > 0 {
			w.exp.add(t, done)
		} else {
			w.lgkm.add(t, done)
		}
	}
	w.count++
	more := w.next() || k.m.open || w.group.run != nil && !w.s.ended
	w.issued = t
	k.account(w, op, t, cost+uint64(op.cross), done, jumped)
	if done < unknownTime {
		w.last = max(w.last, done)
	}
	w.since = t + w.wholeCycleGroups(cost+uint64(op.cross))
	at.ready = w.since
	if op.sleep > 0 && more {
		k.m.have(w)
		k.wait(at, w.since, w.since+uint64(op.sleep), StallSleep)
	}
	switch {
	case !more:
		if op.kind == kindBarrier {
			w.group.waiting--
		}
		k.leave(w, t, t+cost+uint64(op.sleep))
	case op.kind == kindBarrier:
		at.ready = never
		k.release(w.group, t)
	}
}

// perform starts the units' work for op, issued at t, and returns the time when it is complete: t if no unit is
// involved.
func (k *cluster) perform(w *wave, op *static, t uint64) (done uint64) {
	w.queued[op.port] = max(w.queued[op.port], t) + uint64(op.queue)
	switch op.kind {
	case kindPrio:
		w.simd.stale = w.simd.stale || w.prio != op.prio
		w.prio = op.prio
	case kindBarrier:
		w.group.waiting++
	case kindVMEM:
		return k.issueVMEM(w, op, t)
	case kindDS:
		return k.issueDS(w, op, t)
	case kindSMEM:
		done = k.scalar(w, op, t)
		for range op.lgkm {
			w.lgkm.add(t, done)
		}
		return done
	case kindInvL1:
		w.cu.l1.invalidate()
		done = k.await(pendingAccess{w: w, t: t, done: t + uint64(op.issue), from: len(k.refs), inOrder: true})
		w.vm.add(t, done)
		return done
	case kindInvScalar:
		k.data.invalidate()
	case kindInvInst:
		k.code.invalidate()
		w.fetched = never
	}
	return t
}

// wholeCycleGroups rounds clocks to whole cycle groups and keeps the remainder for the next instruction, so that the
// average is exact.
func (w *wave) wholeCycleGroups(clocks uint64) uint64 {
	clocks += w.rest
	w.rest = clocks % cycleGroup
	return max(clocks-w.rest, cycleGroup)
}

func (k *cluster) issueVMEM(w *wave, op *static, t uint64) (done uint64) {
	a := w.access(op, k.p.of.AtomicSame)
	k.countFlat(op, &a)
	if a.unit == 0 { // without active lanes the access takes no time
		done = k.await(pendingAccess{w: w, t: t, done: t + uint64(op.issue), from: len(k.refs), inOrder: true})
	} else {
		c := w.cu
		hits, misses, stopped := c.l1Hits, c.l1Misses, c.taStall
		start, read, end := k.vmem(w, op, &a, t)
		if len(k.m.spans) > 0 {
			k.m.span.TA, k.m.span.TAStopped = Work{Begin: start, Clocks: c.ta - start}, c.taStall-stopped
			k.m.span.Lines, k.m.span.L1Hits, k.m.span.L1Misses = uint64(a.lines), c.l1Hits-hits, c.l1Misses-misses
		}
		done = end
		if op.exp > 0 {
			w.exp.add(t, read)
		}
	}
	w.vm.add(t, done)
	if op.lgkm > 0 {
		w.lgkm.add(t, done)
	}
	return done
}

// countFlat counts a FLAT instruction, which the counters of LDS instructions include (ROCm, MI200 performance
// counters).
func (k *cluster) countFlat(op *static, a *access) {
	switch {
	case op.in.Row().Enc != isa.FLAT:
		return
	case op.write || op.atomic:
		k.tally.count[taFlatWriteWavefronts]++
	default:
		k.tally.count[taFlatReadWavefronts]++
	}
	k.tally.count[sqInstsFlat]++
	k.tally.count[sqInstsLds]++
	if a.lds != 0 && a.lines == 0 {
		k.tally.count[sqInstsFlatLdsOnly]++
	}
}

func (k *cluster) issueDS(w *wave, op *static, t uint64) (done uint64) {
	a := w.access(op, k.p.of.AtomicSame)
	if op.classCounter == sqInstsGds {
		m := k.m
		m.gdsFree = max(m.gdsFree, t) + uint64(a.unit)
		done = m.gdsFree + uint64(k.p.of.GDSLatency)
		if op.exp > 0 {
			w.exp.add(t, m.gdsFree)
		}
	} else {
		end := k.useLDS(w.cu, t, uint64(a.unit))
		if len(k.m.spans) > 0 {
			k.m.span.LDS = Work{Begin: end - uint64(a.unit), Clocks: uint64(a.unit)}
		}
		k.tally.count[sqLdsBankConflict] += uint64(a.conflict)
		k.tally.count[sqLdsAddrConflict] += uint64(a.same)
		done = end + uint64(k.p.of.LDSLatency)
	}
	w.lgkm.add(t, done)
	return done
}

// account adds an issued instruction to its line in the result and to the trace.
func (k *cluster) account(w *wave, op *static, t, cost, done uint64, jumped bool) {
	if !k.m.open {
		o := k.times(w.op)
		o.issued(t)
		if jumped {
			o.taken++
		}
		if done < unknownTime {
			o.latency += max(done, t) - t
		}
	}
	if len(k.m.spans) > 0 {
		k.trace(w, op, t, cost, done)
	}
}

// issued records that an instruction issued at time t.
func (o *opTimes) issued(t uint64) {
	if o.count == 0 || t < o.first { // a worker simulates its clusters one after another, so that times are not in order
		o.first = t
	}
	o.count++
}

func (k *cluster) trace(w *wave, op *static, t, cost, done uint64) {
	m := k.m
	sp := &m.span
	sp.CU, sp.SIMD, sp.Slot, sp.Group, sp.Wave = w.cu.id, int(w.simd.id), w.slot, w.group.id, w.s.id
	sp.PC, sp.Inst, sp.Program, sp.Seq = op.pc, (*gcn.Inst)(&op.in), op.from, w.count-1
	sp.Ready, sp.Issue, sp.Free, sp.Done = w.since, t, t+cost, max(done, t+cost)
	sp.Why, sp.L2 = w.why, m.services
	for _, f := range m.spans {
		(*f)(sp)
	}
	m.span = Span{}
	m.services = m.services[:0]
}

// stuck returns the error for waves that remain when nothing is scheduled. All of them are at a barrier, because
// every other wait has a time.
func (m *Model) stuck() error {
	var b strings.Builder
	now := m.now
	for i := range m.clusters {
		now = max(now, m.clusters[i].now)
	}
	fmt.Fprintf(&b, "timing: no wave can go on at cycle %d", now)
	for _, c := range m.cus {
		if c == nil {
			continue
		}
		for j := range c.simds {
			s := &c.simds[j]
			for _, at := range s.waveSlots[:s.n] {
				w := at.wave
				id, op := w.group.id, &m.rec.ops[w.op]
				fmt.Fprintf(&b, "; group %d,%d,%d wave %d at pc 0x%x (%s) waits for the barrier, which %d of %d waves have reached",
					id[0], id[1], id[2], w.s.id, op.pc, asm.Format(gcn.Inst(op.in), asm.LLVM), w.group.waiting, w.group.live)
			}
		}
	}
	return errors.New(b.String())
}
