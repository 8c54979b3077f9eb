package sim_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Faults and events have the source line, whatever the load address.
func TestSourceLines(t *testing.T) {
	data, err := os.ReadFile("../internal/sim/codeobj/testdata/lines.clang22.fiji.co")
	require.NoError(t, err)
	for _, p := range []uint64{0, 1} {
		m := sim.New(gcn.GFX803)
		m.Placement = p
		mod, err := m.LoadObject(data)
		require.NoError(t, err)
		out, in := m.Alloc(256), m.Alloc(16)
		seen := map[string]bool{}
		l := sim.Launch{Module: mod, Kernel: "lines", Grid: [3]uint32{64}, Group: [3]uint32{64},
			Args: []sim.Arg{sim.BufferArg(out), sim.BufferArg(in), sim.U32(4)}}
		require.NoError(t, l.Watch(sim.Observer(func(e *sim.Event) { seen[e.Program.Source(e.PC)] = true })))
		_, err = m.Dispatch(ctx, l)
		require.NoError(t, err)
		for _, line := range []string{"lines.cl:9", "lines.cl:11", "lines.cl:3", "lines.cl:4", "lines.cl:12"} {
			assert.True(t, seen[line], line)
		}
		l.Args[1] = sim.U64(64) // a value that is not an address
		_, err = m.Dispatch(ctx, l)
		var f *state.Fault
		require.ErrorAs(t, err, &f)
		assert.Equal(t, "lines.cl:11", f.Source)
		assert.Contains(t, f.Error(), "(flat_load_dword v1, v[1:2]), lines.cl:11, group 0,0,0")
	}
	assert.Empty(t, sim.NewProgram(gcn.GFX803, 0, []uint32{0xbf810000}, 1).Source(0))
}
