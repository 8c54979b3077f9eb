package sim_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/unseen"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// roundRobin is a watcher that gives all work-groups turns of some instructions each.
type roundRobin struct {
	sim.NoWatcher
	each  int
	at    func() // called before each instruction, if not nil
	order []uint32
	now   unseen.Group
	n     int
}

func (*roundRobin) Needs() sim.Needs { return sim.Needs{} }

func (r *roundRobin) Unseen() any {
	return unseen.Needs[*sim.Event]{Scheduler: r.turns}
}

func (r *roundRobin) turns(next func() (unseen.Group, bool)) {
	var open []unseen.Group
	for g, _ := next(); g != nil; g, _ = next() {
		open = append(open, g)
	}
	for len(open) > 0 {
		r.now, r.n = open[0], 0
		open = open[1:]
		if !r.now.Run() {
			open = append(open, r.now)
		}
	}
}

func (r *roundRobin) Retire(e *sim.Event) {
	if r.at != nil {
		r.at()
	}
	r.order = append(r.order, e.Wave.Group[0])
	if r.n++; r.n%r.each == 0 {
		r.now.Pause()
	}
}

// skipper is a watcher that sees every fourth work-group; the others execute unseen.
type skipper struct {
	sim.NoWatcher
	seen     []uint32
	executed uint64
	refused  bool
}

func (*skipper) Needs() sim.Needs { return sim.Needs{} }

func (s *skipper) Unseen() any {
	return unseen.Needs[*sim.Event]{Scheduler: func(next func() (unseen.Group, bool)) {
		for g, more := next(); more; g, more = next() {
			for !g.Run() {
			}
			n, ok := g.RunNext(min(3, g.Left()))
			s.executed += n
			s.refused = s.refused || !ok && g.Left() > 0
			if _, ok := g.RunNext(g.Left() + 1); ok {
				panic("more ran than are left")
			}
		}
	}}
}

func (s *skipper) Retire(e *sim.Event) {
	if e.Wave.Ended {
		s.seen = append(s.seen, e.Wave.Group[0])
	}
}

// hasty is a watcher whose Scheduler returns before all work-groups have executed.
type hasty struct{ sim.NoWatcher }

func (hasty) Needs() sim.Needs { return sim.Needs{} }

func (hasty) Unseen() any {
	return unseen.Needs[*sim.Event]{Scheduler: func(next func() (unseen.Group, bool)) {
		g, _ := next()
		g.Run()
	}}
}

// turnsBench returns a kernel whose work-groups store 10, 11, 12 and so on after a loop.
func turnsBench(t *testing.T, text string) (*computeBench, sim.Compute) {
	b := newComputeBench(t, gcn.GFX803)
	b.put(0, text)
	return b, sim.Compute{
		Initiator: sim.ShaderEnable, End: [3]uint32{6, 1, 1}, NumThread: [3]uint32{64, 1, 1}, Program: 0x10000,
		RSRC: rsrc(2, 1, 1),
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
	turns := &roundRobin{each: 3}
	require.NoError(t, c.Watch(turns))
	done := 0
	c.Progress = func(n, _ int) { done = n }
	got, err := b.Compute(ctx, c)
	require.NoError(t, err)
	assert.Equal(t, want.Instructions, got.Instructions)
	assert.Equal(t, []uint32{10, 11, 12, 13, 14, 15}, b.words()[:6])
	assert.Equal(t, []uint32{0, 0, 0, 1, 1, 1, 2, 2, 2}, turns.order[:9])
	assert.Equal(t, 6, done)
}

// TestRunNext: work-groups that the watcher with a Scheduler does not see have the same results, and other watchers
// see them.
func TestRunNext(t *testing.T) {
	for _, others := range []bool{false, true} {
		b, c := turnsBench(t, turnsText)
		want, err := b.Compute(ctx, c)
		require.NoError(t, err)
		clear(b.data)
		s, all := &skipper{}, []uint32{}
		require.NoError(t, c.Watch(s))
		if others {
			require.NoError(t, c.Watch(sim.SparseObserver(func(e *sim.Event) {
				if e.Wave.Ended {
					all = append(all, e.Wave.Group[0])
				}
			})))
		}
		got, err := b.Compute(ctx, c)
		require.NoError(t, err)
		assert.Equal(t, want.Instructions, got.Instructions)
		assert.Equal(t, []uint32{10, 11, 12, 13, 14, 15}, b.words()[:6])
		assert.Equal(t, []uint32{0, 4}, s.seen)
		assert.Equal(t, want.Instructions*4/6, s.executed)
		assert.False(t, s.refused)
		if others {
			assert.Equal(t, []uint32{0, 1, 2, 3, 4, 5}, all)
		}
	}
}

// TestRunNextWithoutScratch: if only one work-group at a time has scratch, no other executes beside it.
func TestRunNextWithoutScratch(t *testing.T) {
	b, c := turnsBench(t, turnsText)
	c.RSRC[1] |= 1
	c.TmpRing = 1 | 1<<12
	s := &skipper{}
	require.NoError(t, c.Watch(s))
	_, err := b.Compute(ctx, c)
	require.NoError(t, err)
	assert.Equal(t, []uint32{0, 1, 2, 3, 4, 5}, s.seen)
	assert.True(t, s.refused)
}

// TestRunNextFaults: a fault of an unseen work-group is the error of the dispatch.
func TestRunNextFaults(t *testing.T) {
	b, c := turnsBench(t, "s_cmp_eq_u32 s2, 2\ns_cbranch_scc0 on\ns_trap 1\non:\n"+turnsText)
	require.NoError(t, c.Watch(&skipper{}))
	_, err := b.Compute(ctx, c)
	var f *state.Fault
	require.ErrorAs(t, err, &f)
	assert.Equal(t, uint32(2), f.Group[0])
}

// TestTheFirstFaultCounts: if work-groups that take turns fault, the error is the fault of the first in the grid,
// even if a later one faulted earlier.
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
	require.NoError(t, c.Watch(&roundRobin{each: 1}))
	_, err := b.Compute(ctx, c)
	var f *state.Fault
	require.ErrorAs(t, err, &f)
	assert.Equal(t, [3]uint32{2}, f.Group)
}

func TestTurnsThatFail(t *testing.T) {
	b, c := turnsBench(t, turnsText)
	unwatched := c
	require.NoError(t, c.Watch(hasty{}))
	_, err := b.Compute(ctx, c)
	require.ErrorContains(t, err, "the watcher sim_test.hasty panicked in its Scheduler: it left work-groups out")

	turns := &roundRobin{each: 2}
	turns.at = func() {
		if len(turns.order) == 5 {
			panic("boom")
		}
	}
	c = unwatched
	require.NoError(t, c.Watch(turns))
	_, err = b.Compute(ctx, c)
	require.ErrorContains(t, err, "the watcher *sim_test.roundRobin panicked: boom")

	stopped, cancel := context.WithCancel(ctx)
	turns.order, turns.at = nil, func() {
		if len(turns.order) == 5 {
			cancel()
		}
	}
	_, err = b.Compute(stopped, c)
	require.ErrorIs(t, err, context.Canceled)

	_, err = b.Compute(ctx, unwatched)
	require.NoError(t, err, "the machine is as it was")
}

// TestTurnsAreNotTaken: work-groups execute one after another if a watcher sees instructions before they execute, or
// if two watchers have a Scheduler.
func TestTurnsAreNotTaken(t *testing.T) {
	for _, other := range []sim.Watcher{&inspection{}, &roundRobin{each: 1}} {
		b, c := turnsBench(t, turnsText)
		turns := &roundRobin{each: 3}
		require.NoError(t, c.Watch(turns, other))
		seen := []uint32(nil)
		require.NoError(t, c.Watch(sim.Observer(func(e *sim.Event) { seen = append(seen, e.Wave.Group[0]) })))
		turns.each = 1 << 20 // so that no work-group pauses
		if r, ok := other.(*roundRobin); ok {
			r.each = 1 << 20
		}
		_, err := b.Compute(ctx, c)
		require.NoError(t, err)
		require.True(t, slices.IsSorted(seen), "%T", other)
	}
}
