package spec

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/testkit/elftest"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// ordered returns a dispatch of eight work-groups of one lane. The text starts with the address of the buffer in
// s[4:5] and v[0:1], and the number of the work-group in s2 and v2.
func ordered(text string) *Dispatch {
	return &Dispatch{
		Object: elftest.Kernel("gfx803", `
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v0, s4
	v_mov_b32 v1, s5
	v_mov_b32 v2, s2
`+text),
		Kernel: "k", Grid: [3]uint32{8, 1, 1}, Group: [3]uint32{1, 1, 1},
		Args:     []Arg{{Buffer: &Buffer{Size: 256}}},
		Settings: Settings{MaxInstructions: 10000},
	}
}

const (
	lastText   = "flat_store_dword v[0:1], v2"
	countText  = "v_mov_b32 v3, 1\nflat_atomic_add v[0:1], v3"
	ticketText = `v_mov_b32 v3, 1
	flat_atomic_add v3, v[0:1], v3 glc
	s_lshl_b32 s6, s2, 2
	s_add_u32 s6, s6, 64
	v_add_u32 v4, vcc, s6, v0
	v_addc_u32 v5, vcc, 0, v1, vcc
	s_waitcnt vmcnt(0) lgkmcnt(0)
	flat_store_dword v[4:5], v3`
	// Each work-group except the last waits for the one after it.
	nextText = `s_lshl_b32 s6, s2, 2
	v_add_u32 v4, vcc, s6, v0
	v_addc_u32 v5, vcc, 0, v1, vcc
	s_cmp_eq_u32 s2, 7
	s_cbranch_scc1 done
	v_add_u32 v6, vcc, 4, v4
	v_addc_u32 v7, vcc, 0, v5, vcc
again:
	flat_load_dword v3, v[6:7] glc
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_readfirstlane_b32 s7, v3
	s_cmp_eq_u32 s7, 0
	s_cbranch_scc1 again
done:
	v_mov_b32 v3, 1
	flat_store_dword v[4:5], v3`
)

// TestOrderOfLanes: the order of a wave's lanes in an atomic is not defined, so that results which depend on it are
// not a difference between two programs; other results are.
func TestOrderOfLanes(t *testing.T) {
	const lanes = "v_mbcnt_lo_u32_b32 v5, -1, 0\nv_mbcnt_hi_u32_b32 v5, -1, v5\nv_mov_b32 v3, 1\n"
	appends := func(lo, hi, slot string) string {
		return "s_mov_b32 exec_lo, " + lo + "\ns_mov_b32 exec_hi, " + hi +
			"\nflat_atomic_add v4, v[0:1], v3 glc\ns_waitcnt vmcnt(0) lgkmcnt(0)\n" +
			"v_add_u32 v6, vcc, v0, " + slot + "\nv_addc_u32 v7, vcc, 0, v1, vcc\nv_add_u32 v6, vcc, 64, v6\n" +
			"v_addc_u32 v7, vcc, 0, v7, vcc\nflat_store_byte v[6:7], v5\n"
	}
	for _, c := range []struct {
		name, a, b string
		open       bool
	}{
		{"odd lanes last", appends("-1", "-1", "v4"), appends("0x55555555", "-1", "v4") + appends("0xaaaaaaaa", "0", "v4"), true},
		{"another value", appends("-1", "-1", "v5"), "v_add_u32 v5, vcc, 1, v5\n" + appends("-1", "-1", "v5"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := ordered(lanes+c.a), ordered(lanes+c.b)
			for _, d := range []*Dispatch{a, b} {
				d.Grid[0], d.Group[0] = state.NumLanes, state.NumLanes
			}
			got, err := compare.Programs(t.Context(), compare.SetupOf(a.Program(nil)), compare.SetupOf(b.Program(nil)))
			require.NoError(t, err)
			require.NotNil(t, got.Difference)
			assert.Equal(t, c.open, got.Difference.A.Varies && got.Difference.B.Varies)
		})
	}
}

// TestSchedules: a dispatch has equal results in each order of its waves, or the answer has the difference and the
// accesses that cause it.
func TestSchedules(t *testing.T) {
	all := []sim.Schedule{sim.RoundRobin, sim.Reverse, "random:1", "random:2"}
	for name, c := range map[string]struct {
		text  string
		list  []sim.Schedule
		other int
		races bool
		says  string
	}{
		"a sum of atomics": {countText, all, 0, false, "same in 4 schedules: round-robin, reverse, random:1, random:2\n"},
		"the last store": {lastText, all, 1, true, "the order of waves shows: argument 0, byte 0: 0x00000007 with " +
			"round-robin, 0x00000000 with reverse; 1 byte in all\n"},
		"the same order twice": {lastText, []sim.Schedule{"random:7", "random:7"}, 0, false,
			"same in 2 schedules: random:7, random:7\n"},
		"tickets": {ticketText, all, 1, false, "the order of waves shows: argument 0, byte 64: 0x00000000 with round-robin, " +
			"0x00000007 with reverse; 8 bytes in all\nno two accesses race: atomics, or waves that wait for one another, decide\n"},
		"a wait for the next": {nextText, []sim.Schedule{sim.Reverse, sim.RoundRobin, ""}, 2, true,
			"the order of waves shows: with reverse the run ends, with one work-group after another it fails: "},
		"a fault of each": {"v_mov_b32 v0, 0\nv_mov_b32 v1, v2\nflat_load_dword v3, v[0:1]", all, 0, false,
			"the same fault in 4 schedules: "},
		"a wait that fails twice": {nextText, []sim.Schedule{"", ""}, 0, false, "the same fault in 2 schedules: "},
	} {
		t.Run(name, func(t *testing.T) {
			d := ordered(c.text)
			d.Check = []string{"uninit"}
			d.Args[0].Buffer.NoInit = name == "the last store"
			got, err := d.Schedules(t.Context(), nil, c.list)
			require.NoError(t, err)
			assert.Equal(t, c.other, got.Other)
			assert.Equal(t, c.races, len(got.Races) > 0, "%v", got.Races)
			for _, f := range got.Races {
				assert.Equal(t, check.Race, f.Kind)
			}
			var text strings.Builder
			require.NoError(t, got.Write(&text))
			assert.True(t, strings.HasPrefix(text.String(), c.says), text.String())
		})
	}
	_, err := ordered(lastText).Schedules(t.Context(), nil, []sim.Schedule{sim.Reverse, "sideways"})
	require.ErrorContains(t, err, `Schedule is "sideways"; it must be round-robin, reverse, cooperative, or random:SEED`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = ordered(lastText).Schedules(ctx, nil, all)
	require.ErrorIs(t, err, context.Canceled)
}

// TestSensitivity: each run in the answer equals a run with the parameter set, also if the specification has checks,
// undefined memory and expectations. The rest of the answer does not change.
func TestSensitivity(t *testing.T) {
	e := &Exec{
		Target: gcn.GFX803, Asm: "s_mov_b32 s0, 0\ns_mov_b32 s1, 0\ns_load_dword s2, s[0:1], 0x1000\n" +
			"v_lshlrev_b32 v1, 2, v0\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\ns_endpgm",
		Mem:      []Buffer{{Addr: new(uint64(0x1000)), Size: 64, NoInit: true}},
		Settings: Settings{Params: new(timing.Default(gcn.GFX803)), Check: []string{"uninit"}, Sensitivity: true},
	}
	res, err := e.Run(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for _, s := range res.Sensitivity {
		names = append(names, s.Name)
		for _, m := range []*Moved{s.Less, s.More} {
			if m == nil {
				continue
			}
			p := *e.Params
			require.NoError(t, p.Set(s.Name, int64(m.Value)))
			alone := *e
			alone.Params, alone.Sensitivity = &p, false
			other, err := alone.Run(t.Context(), nil)
			require.NoError(t, err)
			assert.Equal(t, other.Times.Cycles, m.Cycles, s.Name)
			assert.InDelta(t, float64(m.Cycles), float64(res.Times.Cycles)*(1+m.Percent/100), 1e-6, s.Name)
			assert.Equal(t, other.Findings, res.Findings)
		}
	}
	assert.ElementsMatch(t, slices.Compact(names), names)
	var assumed []string
	for _, f := range e.Params.Fields() {
		if f.Assumed {
			assumed = append(assumed, f.Name)
		}
	}
	assert.ElementsMatch(t, assumed, names)
	assert.Contains(t, names[:3], "L2Latency")
	assert.NotZero(t, res.Sensitivity[0].Most())
	assert.True(t, slices.IsSortedFunc(res.Sensitivity, func(a, b Sensitivity) int { return int(b.Most() - a.Most()) }))

	e.Params = nil
	_, err = e.Run(t.Context(), nil)
	assert.EqualError(t, err, `sensitivity has no effect without timing; give "timing":true`)
}

// TestSensitivityEnds: cancelling the context during the further runs ends them; the results of the first run remain.
func TestSensitivityEnds(t *testing.T) {
	e := &Exec{Target: gcn.GFX803, Asm: "s_endpgm",
		Settings: Settings{Params: new(timing.Default(gcn.GFX803)), Sensitivity: true}}
	ctx, cancel := context.WithCancel(t.Context())
	first, err := e.Run(ctx, nil)
	require.NoError(t, err)
	cancel()
	_, err = e.sensitivity(ctx, &Options{}, e.Target, timing.ResultOf(first.Times), e.Run)
	assert.ErrorIs(t, err, context.Canceled)
}
