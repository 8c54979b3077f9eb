package mimg_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// A load returns the stored values, and storing them again changes nothing, for every format that supports stores in
// every tiling mode.
func TestRoundTrip(t *testing.T) {
	memtest.EveryTarget(t, func(t *testing.T, target gcn.Target) {
		t.Parallel()
		regs, err := tile.ForTarget(target)
		require.NoError(t, err)
		p := &executor.Ports{Images: &executor.Images{Regs: regs}}
		w := state.NewWave(target, 16)
		store, load := memtest.Inst(w.Target, "image_store", memtest.Fields{isa.VDATA: 4, isa.DMASK: 15, isa.DA: 1}),
			memtest.Inst(w.Target, "image_load", memtest.Fields{isa.VDATA: 8, isa.DMASK: 15, isa.DA: 1})
		run := map[*isa.Inst]executor.Exec{&store: executor.Find(&store).Exec, &load: executor.Find(&load).Exec}
		r, done := rand.New(rand.NewPCG(2, uint64(target))), map[*format.Format]bool{}
		var a state.Access
		for code := range 64 * 16 * 32 {
			if effort.LeavesOut(code) {
				continue
			}
			img := gcn.Image{
				Base: base, Type: gcn.Image2DArray, Width: 40, Height: 24, Depth: 2, LastArray: 1, DstSel: identity,
				DataFormat: uint8(code >> 9), NumFormat: uint8(code >> 5 & 15), TileMode: code & 31,
			}
			f, err := format.LookupImage(w.Target.Gen(), img.DataFormat, img.NumFormat)
			if err != nil || f.NoStore || isa.TraitsOf(target).UnsignedAlpha && f.UnsignedAlpha != f {
				continue // loads on these targets read alpha differently
			}
			s, err := tile.FromImage(w.Target.Gen(), &img)
			require.NoError(t, err)
			l, err := regs.Layout(s)
			if err != nil {
				continue
			}
			done[f] = true
			img.Pitch = l.Levels()[0].Pitch
			if isa.GenTraits(w.Target.Gen()).SwizzleModes {
				img.Pitch = l.EPitch
			}
			span := memtest.NewSpan(base, int(l.Size))
			p.Mem = memtest.Memory{span}
			w.SetSGPRs(0, img.On(w.Target.Gen()).Words(w.Target.Gen())...)
			for lane, at := range r.Perm(40 * 24 * 2)[:64] { // 64 texels
				w.V[0][lane], w.V[1][lane], w.V[2][lane] = uint32(at%40), uint32(at/40%24), uint32(at/40/24)
				for c := range 4 {
					w.V[4+c][lane] = r.Uint32()
					if f.Kind == format.Float && f.ExactStore && f.Size < 4*f.Components {
						w.V[4+c][lane] = f32(r.Float32()*2 - 1)
					}
				}
			}
			for i := range 2 {
				sent, before := slices.Clone(w.V[4:8]), slices.Clone(span.Bytes)
				require.Nil(t, run[&store](w, p, &store, &a), "%v", f)
				require.Nil(t, run[&load](w, p, &load, &a), "%v", f)
				if i == 1 || f.ExactStore && f.Size == 4*f.Components { // only components of 32 bits
					require.Equal(t, sent[:f.Components], w.V[8:8+f.Components], "%v, mode %d", f, img.TileMode)
				}
				if i == 1 {
					require.Equal(t, before, span.Bytes, "%v, mode %d", f, img.TileMode)
				}
				copy(w.V[4:8], w.V[8:12])
			}
		}
		require.Greater(t, len(done), 40)
	})
}
