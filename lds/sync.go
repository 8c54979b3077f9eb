package lds

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// gws returns the operation of a global wave sync instruction. do changes the resource. If the wave must wait, do
// sets w.Wait and returns false. value is the operand in the first active lane. Source: AMD Vega ISA manual,
// DS_GWS_*.
func gws(do func(w *state.Wave, r *executor.Resource, value uint32) bool) operation {
	return func(o *op) executor.Exec {
		return func(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
			if p.Sync == nil {
				return executor.NewFault(state.FaultUnsupported, "the machine has no global wave sync")
			}
			index := uint8(w.S[gcn.M0]>>16+o.off[0]) % executor.GWSResources
			if !do(w, &p.Sync.GWS[index], o.value(w)) {
				w.WaitIndex = index
				return executor.Blocked
			}
			w.Wait = state.NoWait
			o.noMemory(w, a)
			return nil
		}
	}
}

// value returns the address register of the first active lane, 0 if no lane is active.
func (o *op) value(w *state.Wave) uint32 {
	if o.addr == executor.NoReg {
		return 0
	}
	return w.V[o.addr][simd.FirstLane(w.Exec())]
}

func gwsInit(_ *state.Wave, r *executor.Resource, value uint32) bool {
	r.Counter = value
	return true
}

// gwsBarrier makes the wave wait until the number of waves that the resource's counter holds has arrived after it.
// The last wave sets the counter, so that the next barrier may have another size.
func gwsBarrier(w *state.Wave, r *executor.Resource, value uint32) bool {
	switch {
	case w.Wait == state.GWSBarrier: // the wave has arrived already
		return w.WaitPhase != r.Phase
	case r.Counter == 0:
		r.Phase++
		r.Counter = value
		return true
	}
	r.Counter--
	w.Wait, w.WaitPhase = state.GWSBarrier, r.Phase
	return false
}

// gwsP decrements the resource's credits, after waiting until there is one.
func gwsP(w *state.Wave, r *executor.Resource, _ uint32) bool {
	queued := w.Wait == state.GWSSemaphore
	switch {
	case r.Counter == 0 && !queued:
		r.Queued++
		w.Wait = state.GWSSemaphore
		return false
	case r.Counter == 0:
		return false
	case queued:
		r.Queued--
	}
	r.Counter--
	return true
}

func gwsV(_ *state.Wave, r *executor.Resource, _ uint32) bool {
	r.Counter++
	return true
}

func gwsBR(_ *state.Wave, r *executor.Resource, value uint32) bool {
	r.Counter += value
	return true
}

// gwsReleaseAll wakes the waves that wait at present.
func gwsReleaseAll(_ *state.Wave, r *executor.Resource, _ uint32) bool {
	r.Counter = r.Queued
	return true
}

// Fields of OFFSET1 of DS_ORDERED_COUNT (rule DS11).
const (
	orderedRelease = 1 << 8
	orderedDone    = 2 << 8
	orderedSwap    = 1 << 12
	orderedOps     = 3 << 12
)

// order executes DS_ORDERED_COUNT. The waves of a work-group, in the order of their creation, add a number to a
// counter in the GDS or swap it; all active lanes receive the old value (rule DS11). The counter is at M0[31:16] +
// OFFSET0, the number is in the first active lane.
func (o *op) order(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	switch {
	case p.Sync == nil:
		return executor.NewFault(state.FaultUnsupported, "the machine has no GDS")
	case o.off[0]&orderedOps > orderedSwap:
		return executor.NewFault(state.FaultIllegal,
			"ds_ordered_count knows only add and swap; offset 0x%x asks for another operation", o.off[0])
	}
	index, me := uint8(o.off[0]>>2&63), uint64(1)<<(w.ID&63)
	if before := me - 1; (p.Sync.Passed[index]|p.Sync.Done)&before != before {
		w.Wait, w.WaitIndex = state.OrderedTurn, index
		return executor.Blocked
	}
	w.Wait = state.NoWait
	if o.off[0]&orderedRelease != 0 {
		p.Sync.Passed[index] |= me
	}
	if o.off[0]&orderedDone != 0 {
		p.Sync.Done |= me
	}
	mem := add
	if o.off[0]&orderedSwap != 0 {
		mem.Atomic = isa.Swap
	}
	win := window{mem: &p.GDS, base: uint64(w.S[gcn.M0] >> 16), limit: p.GDS.Hi}
	return o.once(w, &mem, &win, o.off[0]&0xfc, o.value(w), a)
}
