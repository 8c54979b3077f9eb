package timing_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
)

// TestDispatchesFollowOneAnother: one model times several dispatches. Work-groups with equal numbers are distinct,
// time continues, caches keep their contents, and new code at an old address has its own times.
func TestDispatchesFollowOneAnother(t *testing.T) {
	p, err := timing.Preset("fiji")
	require.NoError(t, err)
	model, err := timing.New(gcn.GFX803, p)
	require.NoError(t, err)
	m := sim.New(gcn.GFX803)
	data, code := m.Alloc(4096), m.Alloc(4096)
	put := func(text string) {
		program, err := asm.Assemble(m.Target, text, asm.LLVM)
		require.NoError(t, err)
		code.SetUint32s(program.Words...)
	}
	c := sim.Compute{
		Initiator: sim.ShaderEnable, End: [3]uint32{1, 1, 1}, NumThread: [3]uint32{64, 1, 1}, Program: code.Addr,
		RSRC: gcn.RSRC{0, 4 << 1},
	}
	require.NoError(t, c.Watch(model))
	copy(c.UserData[:], gcn.Buffer{Base: data.Addr, NumRecords: 4096}.Words())
	var at uint64
	run := func() uint64 {
		t.Helper()
		_, err := m.Compute(context.Background(), c)
		require.NoError(t, err)
		now, err := model.Next()
		require.NoError(t, err)
		require.Greater(t, now, at)
		took := now - at
		at = now
		return took
	}
	put("buffer_load_dword v1, off, s[0:3], 0\ns_waitcnt vmcnt(0)\ns_endpgm")
	cold, warm := run(), run()
	assert.Greater(t, cold, warm+100, "from DRAM, then from a cache")
	put("s_nop 7\ns_nop 7\ns_endpgm")
	assert.Less(t, run(), warm)
	res, err := model.Finish()
	require.NoError(t, err)
	assert.Equal(t, at, res.Cycles)
	assert.EqualValues(t, 3, count(res, "SQ_WAVES"))
}

// TestDispatchesWait: a dispatch begins when the previous one has ended, whether or not Next is called.
func TestDispatchesWait(t *testing.T) {
	var results [2]*timing.Result
	for i, ask := range []bool{true, false} {
		k := newRandomKernel(1)
		d := newDispatch(t, &k)
		model, err := timing.New(k.target, k.params)
		require.NoError(t, err)
		require.NoError(t, d.compute.Watch(model))
		for range 3 {
			_, err = d.machine.Compute(t.Context(), d.compute)
			require.NoError(t, err)
			if ask {
				_, err = model.Next()
				require.NoError(t, err)
			}
		}
		results[i], err = model.Finish()
		require.NoError(t, err)
	}
	require.Equal(t, results[0], results[1])
}
