package spec

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
)

// TestSensitivity: each run of the answer is the run that one has with the parameter set, also where the
// specification has checks, undefined memory and what it expects; the rest of the answer stays.
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

// TestSensitivityEnds: a context that ends during the further runs ends them; what the run itself found stays.
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
