package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// cutForms are accesses whose alignment depends on the mode.
var cutForms = []string{
	"buffer_load_dword v8, v0, s[0:3], 0 offen", "buffer_load_ushort v8, v0, s[0:3], s8 offen offset:1",
	"buffer_load_dwordx4 v[8:11], v[0:1], s[0:3], s8 idxen offen",
	"buffer_store_short v8, v0, s[0:3], s8 idxen offset:3", "buffer_load_ubyte v8, v0, s[0:3], 0 offen",
	"flat_load_dwordx2 v[8:9], v[2:3]", "flat_store_short v[2:3], v8", "flat_load_sbyte v8, v[2:3]",
}

// FuzzCutAddresses checks that a lane is in Cut if and only if its address differs in the mode that allows any
// address.
func FuzzCutAddresses(f *testing.F) {
	for i := range cutForms {
		f.Add(uint8(i), uint32(2), uint32(1), uint32(0), false)
		f.Add(uint8(i), uint32(3), uint32(7), uint32(12), true)
	}
	f.Fuzz(func(t *testing.T, form uint8, first, step, stride uint32, swizzle bool) {
		text := cutForms[int(form)%len(cutForms)]
		run := func(align state.Alignment) (a state.Access) {
			m := sim.New(gcn.GFX803)
			m.Align, m.Compare = align, true
			require.NoError(t, m.Watch(sim.Observer(func(e *sim.Event) { a = *e.Access })))
			buf, err := m.Map(1<<16, 1<<20)
			require.NoError(t, err)
			w := m.NewWave()
			w.SetBuffer(0, gcn.Buffer{Base: buf.Addr + uint64(first>>30), NumRecords: 1 << 12, Stride: stride % 64,
				Swizzle: swizzle, ElemSize: 4, IndexStride: 8})
			w.S[8] = step >> 28
			for i := range 4 {
				w.SetVGPR(i, lane.Of())
				for l := range w.V[i] {
					w.V[i][l] = (first + uint32(l)*step) % (1 << 12)
				}
			}
			for l := range w.V[2] {
				w.V[2][l] += uint32(buf.Addr)
				w.V[3][l] = 0
			}
			_, err = m.RunAsm(ctx, w, text)
			require.NoError(t, err)
			return a
		}
		cut, whole := run(state.AlignDword), run(state.AlignNone)
		require.Zero(t, whole.Cut)
		for l := range cut.Addr {
			require.Equal(t, cut.Addr[l] != whole.Addr[l], cut.Cut>>l&1 != 0, "lane %d: 0x%x and 0x%x", l, cut.Addr[l],
				whole.Addr[l])
		}
	})
}
