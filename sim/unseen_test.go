package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/texture"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// Loads and stores write no access record if no watcher reads it. The result must be the same; the doubts of an
// earlier instruction must not be reported for them.
func TestUnseen(t *testing.T) {
	m := sim.New(gcn.GFX900)
	// an sRGB texture, whose rounding is in doubt
	tex, err := texture.New(m, gcn.Image{DataFormat: 10, NumFormat: 9, Width: 16, Height: 16})
	require.NoError(t, err)
	buf := m.Alloc(1024)
	run := func(watchers ...sim.Watcher) (*sim.Result, *state.Wave) {
		require.NoError(t, m.Watch(watchers...))
		w := m.NewWave()
		w.SetSGPRs(0, tex.Words()...)
		w.SetBuffer(8, gcn.Buffer{Base: buf.Addr, NumRecords: 1024})
		w.SetVGPR(2, lane.Times(4))
		res, err := m.RunAsm(ctx, w, `image_load v4, v[0:1], s[0:7] dmask:1
			s_waitcnt vmcnt(0)
			buffer_store_dword v4, v2, s[8:11], 0 offen
			buffer_load_dword v5, v2, s[8:11], 0 offen
			s_waitcnt vmcnt(0)
			s_endpgm`)
		require.NoError(t, err)
		return res, w
	}
	unseen, w := run()
	accesses := 0
	seen, watched := run(sim.Observer(func(e *sim.Event) {
		if e.Access.Op != gcn.NoMem {
			accesses++
		}
	}))
	require.Equal(t, 3, accesses)
	require.Equal(t, seen, unseen)
	require.Equal(t, watched.V, w.V)
	require.NotEmpty(t, unseen.Fidelity)
	for _, n := range unseen.Fidelity {
		require.Equal(t, "image_load", n.Mnemonic)
	}
}
