package sim_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// roundRobin returns turns that let all work-groups have some instructions each, in turn, and
// the observer that goes with them. order gets the work-group of each instruction.
func roundRobin(each int, order *[]uint32) (func(func() (*sim.Group, bool)), func(sim.Event)) {
	var now *sim.Group
	n := 0
	turns := func(next func() (*sim.Group, bool)) {
		var open []*sim.Group
		for g, _ := next(); g != nil; g, _ = next() {
			open = append(open, g)
		}
		for len(open) > 0 {
			now, n = open[0], 0
			open = open[1:]
			if now.Run() {
				open = append(open, now)
			}
		}
	}
	return turns, func(e sim.Event) {
		*order = append(*order, e.Wave.Group[0])
		if n++; n%each == 0 {
			now.Pause()
		}
	}
}

// turnsBench is a kernel whose work-groups store 10, 11, 12 and so on after a loop.
func turnsBench(t *testing.T, text string) (*computeBench, sim.Compute) {
	b := newComputeBench(t, gcn.GFX803)
	b.put(0, text)
	return b, sim.Compute{
		Initiator: sim.ShaderEnable, End: [3]uint32{6, 1, 1}, NumThread: [3]uint32{64, 1, 1}, Program: 0x10000, RSRC: rsrc(2, 1, 1),
	}
}

const turnsText = `
	s_movk_i32 s10, 5
loop:
	s_sub_u32 s10, s10, 1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 loop
	s_add_u32 s3, s2, 10
	v_mov_b32 v3, s3
	s_lshl_b32 s4, s2, 2
	s_add_u32 s4, s4, 0x20000
	v_mov_b32 v1, s4
	v_mov_b32 v2, 0
	flat_store_dword v[1:2], v3
	s_endpgm`

func TestWorkGroupsTakeTurns(t *testing.T) {
	b, c := turnsBench(t, turnsText)
	want, err := b.Compute(ctx, c)
	require.NoError(t, err)
	clear(b.data)
	var order []uint32
	c.Turns, c.Observer = roundRobin(3, &order)
	done := 0
	c.Progress = func(n, _ int) { done = n }
	got, err := b.Compute(ctx, c)
	require.NoError(t, err)
	assert.Equal(t, want.Instructions, got.Instructions)
	assert.Equal(t, []uint32{10, 11, 12, 13, 14, 15}, b.words()[:6])
	assert.Equal(t, []uint32{0, 0, 0, 1, 1, 1, 2, 2, 2}, order[:9])
	assert.Equal(t, 6, done)
}

// TestTheFirstFaultCounts: of work-groups that take turns it is that of the first in the grid,
// though a later one faults before it.
func TestTheFirstFaultCounts(t *testing.T) {
	b, c := turnsBench(t, `
	s_sub_u32 s10, 6, s2
loop:
	s_sub_u32 s10, s10, 1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 loop
	s_cmp_lt_u32 s2, 2
	s_cbranch_scc1 ok
	v_mov_b32 v1, 0
	v_mov_b32 v2, 0
	flat_load_dword v3, v[1:2]
ok:
	s_endpgm`)
	var order []uint32
	c.Turns, c.Observer = roundRobin(1, &order)
	_, err := b.Compute(ctx, c)
	var f *state.Fault
	require.ErrorAs(t, err, &f)
	assert.Equal(t, [3]uint32{2}, f.Group)
}

func TestTurnsThatFail(t *testing.T) {
	b, c := turnsBench(t, turnsText)
	c.Turns = func(next func() (*sim.Group, bool)) {
		g, _ := next()
		g.Run()
	}
	_, err := b.Compute(ctx, c)
	require.ErrorContains(t, err, "Launch.Turns panicked: it left work-groups out")

	var order []uint32
	turns, observer := roundRobin(2, &order)
	c.Turns, c.Observer = turns, func(e sim.Event) {
		if len(order) == 5 {
			panic("boom")
		}
		observer(e)
	}
	_, err = b.Compute(ctx, c)
	require.ErrorContains(t, err, "the observer panicked: boom")

	stopped, cancel := context.WithCancel(ctx)
	order = nil
	c.Turns, c.Observer = turns, func(e sim.Event) {
		if len(order) == 5 {
			cancel()
		}
		observer(e)
	}
	_, err = b.Compute(stopped, c)
	require.ErrorIs(t, err, context.Canceled)

	c.Turns, c.Observer = nil, nil
	_, err = b.Compute(ctx, c)
	require.NoError(t, err, "the machine is as it was")
}
