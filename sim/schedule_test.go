package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

var schedules = []sim.Schedule{sim.RoundRobin, sim.Reverse, sim.Cooperative, "random:0", "random:1",
	"random:0xffffffffffffffff"}

// lookBackText waits in each work-group until the previous one has stored, stores that value plus one, and then
// stores its own number at an address that all work-groups share.
const lookBackText = `
	s_lshl_b32 s4, s2, 2
	s_add_u32 s4, s4, 0x20000
	v_mov_b32 v1, s4
	v_mov_b32 v2, 0
	v_mov_b32 v3, 1
	s_cmp_eq_u32 s2, 0
	s_cbranch_scc1 store
	s_sub_u32 s5, s4, 4
	v_mov_b32 v4, s5
	v_mov_b32 v5, 0
loop:
	flat_load_dword v3, v[4:5] glc
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_readfirstlane_b32 s6, v3
	s_cmp_eq_u32 s6, 0
	s_cbranch_scc1 loop
	v_add_u32 v3, vcc, 1, v3
store:
	flat_store_dword v[1:2], v3
	s_endpgm`

func TestLookBackEndsInEachSchedule(t *testing.T) {
	effort.Long(t)
	n := uint32(effort.Rounds(200))
	for _, s := range schedules {
		b, c := turnsBench(t, lookBackText)
		c.End[0], c.Schedule, c.Limit = n, s, 1<<24
		_, err := b.Compute(ctx, c)
		require.NoError(t, err, s)
		for i, got := range b.words()[:n] {
			require.Equal(t, uint32(i+1), got, s)
		}
	}
}

// raceText stores the number of each work-group at one address after some instructions.
const raceText = `
	s_movk_i32 s10, 30
loop:
	s_sub_u32 s10, s10, 1
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 loop
	v_mov_b32 v3, s2
	v_mov_b32 v1, 0x20000
	v_mov_b32 v2, 0
	flat_store_dword v[1:2], v3
	s_endpgm`

func TestARaceShowsAndIsTheSameBySeed(t *testing.T) {
	last := func(s sim.Schedule) uint32 {
		b, c := turnsBench(t, raceText)
		c.Schedule, c.Workers = s, 1
		_, err := b.Compute(ctx, c)
		require.NoError(t, err)
		return b.words()[0]
	}
	assert.EqualValues(t, 5, last(""))
	assert.EqualValues(t, 0, last(sim.Reverse))
	seen := map[uint32]bool{}
	for _, s := range []sim.Schedule{"random:1", "random:2", "random:3", "random:4", "random:5", "random:6"} {
		assert.Equal(t, last(s), last(s), s)
		seen[last(s)] = true
	}
	assert.Greater(t, len(seen), 1)
}

// TestASchedulesFaultEndsTheRun: a fault ends the run, because other work-groups would wait for the failed one
// forever.
func TestASchedulesFaultEndsTheRun(t *testing.T) {
	for _, s := range schedules {
		b, c := turnsBench(t, "s_cmp_eq_u32 s2, 0\ns_cbranch_scc0 go\nv_mov_b32 v1, 0\nv_mov_b32 v2, 0\n"+
			"flat_load_dword v3, v[1:2]\ngo:\n"+lookBackText)
		c.Schedule = s
		_, err := b.Compute(ctx, c)
		var f *state.Fault
		require.ErrorAs(t, err, &f, s)
		assert.Equal(t, state.FaultMemory, f.Kind, s)
		assert.Equal(t, [3]uint32{}, f.Group, s)
	}
}

// TestAScheduleThatCannotEnd: a wait for a flag that no wave sets is a fault of kind limit in each schedule.
func TestAScheduleThatCannotEnd(t *testing.T) {
	for _, s := range schedules {
		b, c := turnsBench(t, "loop:\ns_branch loop")
		c.Schedule, c.Limit = s, 1000
		_, err := b.Compute(ctx, c)
		var f *state.Fault
		require.ErrorAs(t, err, &f, s)
		assert.Equal(t, state.FaultLimit, f.Kind, s)
	}
}

func TestSchedulesThatThereAreNot(t *testing.T) {
	for _, s := range []sim.Schedule{"forward", "random", "random:", "random:x", "random:-1"} {
		b, c := turnsBench(t, raceText)
		c.Schedule = s
		_, err := b.Compute(ctx, c)
		assert.ErrorContains(t, err, "must be round-robin, reverse, cooperative, or random:SEED", s)
	}
}

// gridText increments a counter that all waves share, waits at a barrier of GWS resource 0 for all work-groups, and
// stores the counter; all of it twice. s2 is the number of the work-group, s3 the number of waves of the dispatch
// minus one.
const gridText = `
	v_mov_b32 v1, 0x22000
	v_mov_b32 v2, 0
	v_mov_b32 v3, 1
	v_mov_b32 v4, s3
	s_mov_b32 m0, 0
	s_cmp_lg_u32 s2, 0
	s_cbranch_scc1 begin
	ds_gws_init v4 gds
begin:
	s_mov_b32 exec_lo, 1
	s_mov_b32 exec_hi, 0
	flat_atomic_add v[1:2], v3
	s_waitcnt vmcnt(0) lgkmcnt(0)
	ds_gws_barrier v4 gds
	s_waitcnt lgkmcnt(0)
	flat_load_dword v5, v[1:2] glc
	s_waitcnt vmcnt(0) lgkmcnt(0)
	ds_gws_barrier v4 gds
	s_lshl_b32 s4, s2, 2
	s_add_u32 s4, s4, 0x20000
	v_mov_b32 v6, s4
	v_mov_b32 v7, 0
	flat_store_dword v[6:7], v5
	s_endpgm`

// TestWorkGroupsMeet: the work-groups of a cooperative launch can use barriers of global wave sync, even if they are
// more than take turns otherwise. If one never arrives, that is a deadlock.
func TestWorkGroupsMeet(t *testing.T) {
	const n = 200
	run := func(s sim.Schedule, waves string) ([]uint32, error) {
		b, c := turnsBench(t, "s_movk_i32 s3, "+waves+gridText)
		c.End[0], c.Schedule = n, s
		_, err := b.Compute(ctx, c)
		return b.words()[:n], err
	}
	got, err := run(sim.Cooperative, "199")
	require.NoError(t, err)
	for i, v := range got {
		require.EqualValues(t, n, v, "work-group %d", i)
	}
	for s, waves := range map[sim.Schedule]string{sim.Cooperative: "200", sim.RoundRobin: "199", "random:3": "199"} {
		_, err := run(s, waves)
		var f *state.Fault
		require.ErrorAs(t, err, &f, s)
		assert.Equal(t, state.FaultDeadlock, f.Kind, s)
		assert.Contains(t, f.What, "for the barrier of GWS resource 0", s)
	}
}
