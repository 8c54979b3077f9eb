package sim_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
)

// TestResultAdd: the sum of two results has the notes of both, whatever the origin of the results, and copies do not
// change.
func TestResultAdd(t *testing.T) {
	run := func(text string) *sim.Result {
		m := sim.New(gcn.GFX803)
		res, err := m.RunAsm(ctx, m.NewWave(), text)
		require.NoError(t, err)
		require.NotEmpty(t, res.Fidelity)
		return res
	}
	a, b := run("v_sin_f32 v0, v1\nv_rcp_f32 v0, v1"), run("v_exp_f32 v0, v1\nv_rcp_f32 v0, v1\ns_memtime s[0:1]")
	before := slices.Clone(a.Fidelity)
	total := *a
	total.Add(b)
	require.Equal(t, before, a.Fidelity)
	require.Equal(t, a.Instructions+b.Instructions, total.Instructions)
	var names []string
	for _, n := range total.Fidelity {
		names = append(names, n.Mnemonic)
	}
	require.Equal(t, []string{"s_memtime", "v_exp_f32", "v_rcp_f32", "v_sin_f32"}, names)

	made := sim.Result{Fidelity: before} // a result that a caller has constructed
	made.Add(&sim.Result{})
	require.Equal(t, before, made.Fidelity)
	var sum sim.Result
	sum.Add(&made)
	require.Equal(t, before, sum.Fidelity)
	sum.Add(&sum)
	require.Equal(t, before, sum.Fidelity)
}
