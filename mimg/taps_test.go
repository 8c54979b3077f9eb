package mimg_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/mimg"
	"github.com/gcnsim/gcnsim/state"
)

// TestTapsAddUp: the weighted sum of the texels from Taps equals the executor's result, and the address of the first
// one is that in the access record.
func TestTapsAddUp(t *testing.T) {
	images := []gcn.Image{
		{Type: gcn.Image1D, Width: 8, LastLevel: 3},
		{Type: gcn.Image2D, Width: 8, Height: 8, LastLevel: 3},
		{Type: gcn.Image2D, Width: 8, Height: 8, LastLevel: 3, BaseLevel: 1},
		{Type: gcn.Image2DArray, Width: 8, Height: 4, Depth: 4, BaseArray: 1, LastArray: 3, LastLevel: 2},
		{Type: gcn.Image3D, Width: 8, Height: 8, Depth: 4, LastLevel: 3},
		{Type: gcn.ImageCube, Width: 8, Height: 8, Depth: 6, LastArray: 5, LastLevel: 3},
	}
	memtest.EveryTarget(t, func(t *testing.T, target gcn.Target) {
		r := rand.New(rand.NewPCG(14, uint64(target)))
		for range memtest.States(150) {
			img := images[r.IntN(len(images))]
			s := gcn.SamplerState{
				MagFilter: uint8(r.IntN(4)), MinFilter: uint8(r.IntN(4)), MipFilter: uint8(r.IntN(3)), ZFilter: uint8(r.IntN(3)),
				MaxAniso: uint8(r.IntN(3)), MaxLOD: 15,
				BorderColorType: gcn.BorderOpaqueWhite, LODBias: float32(r.IntN(4)) / 2, NoCubeWrap: r.IntN(2) == 0,
				TruncCoord: r.IntN(4) == 0,
			}
			for d := range s.Clamp {
				s.Clamp[d] = gcn.Clamp(r.IntN(8))
			}
			name := []string{"image_sample", "image_sample_l", "image_sample_lz", "image_sample_o",
				"image_gather4_lz"}[r.IntN(5)]
			if img.Type == gcn.Image3D && name == "image_gather4_lz" || img.Type == gcn.Image1D && name == "image_sample_o" {
				name = "image_sample"
			}
			k := newSampled(t, target, img, s)
			for lane := range state.NumLanes {
				for i := range 5 {
					k.w.V[i][lane] = math.Float32bits(3*r.Float32() - 1)
				}
				if name == "image_sample_o" {
					k.w.V[0][lane] = r.Uint32() & 0x3f3f3f
				}
			}
			fields := memtest.Fields{isa.SSAMP: 2, isa.VDATA: 8, isa.DMASK: 1, isa.DA: bit(isa.ShapeOf(img.Type).Layered)}
			before := *k.w
			in := k.inst(name, fields)
			regs, err := tile.ForTarget(target)
			require.NoError(t, err)
			taps, err := mimg.Taps((*gcn.Inst)(&in), k.w, regs)
			require.NoError(t, err)
			require.Equal(t, before.Mode, k.w.Mode)
			require.Nil(t, k.run(t, name, fields))
			value := func(p mimg.Tap) float64 {
				if p.Border {
					return 1
				}
				return float64(1000*p.Level + 100*p.Z + 10*p.Y + p.X)
			}
			for lane, all := range taps {
				about := fmt.Sprintf("%s, lane %d: %+v\n%+v\n%+v", name, lane, all, img, s)
				require.NotEmpty(t, all, about)
				if name == "image_gather4_lz" {
					if img.Type == gcn.ImageCube && !s.NoCubeWrap && len(all) > 4 {
						continue // a corner is a sum of three texels
					}
					require.Len(t, all, 4, about)
					for i, p := range all {
						require.Equal(t, value(p), float64(math.Float32frombits(k.w.V[8+i][lane])), about)
					}
					continue
				}
				sum, weights := 0.0, 0.0
				for _, p := range all {
					sum, weights = sum+p.Weight*value(p), weights+p.Weight
				}
				require.InDelta(t, 1, weights, 1e-9, about)
				require.InDelta(t, sum, float64(math.Float32frombits(k.w.V[8][lane])), 1e-3, about)
				if p := all[0]; !p.Border {
					at, err := k.l.Addr(p.Level, p.X, p.Y, p.Z, 0)
					require.NoError(t, err, about)
					if k.a.Exec>>lane&1 != 0 && len(all) == 1 {
						require.Equal(t, k.span.Base+at, k.a.Addr[lane], about)
					}
				}
			}
		}
	})
}

func TestTapsRefusals(t *testing.T) {
	k := newSampled(t, gcn.GFX803, gcn.Image{Width: 8, Height: 8}, bilinear)
	regs, err := tile.ForTarget(gcn.GFX803)
	require.NoError(t, err)
	taps := func(name string, fields memtest.Fields) ([state.NumLanes][]mimg.Tap, error) {
		in := k.inst(name, fields)
		return mimg.Taps((*gcn.Inst)(&in), k.w, regs)
	}
	sampler := memtest.Fields{isa.SSAMP: 2}
	var fault *state.Fault
	_, err = taps("image_sample", memtest.Fields{isa.SSAMP: 2, isa.ADDR: 255})
	require.ErrorAs(t, err, &fault)
	k.w.SetExec(2)
	all, err := taps("image_sample", sampler)
	require.NoError(t, err)
	require.Empty(t, all[0], "EXEC lacks the lane")
}

// TestTapsWithoutStorage: address registers that have no storage yet count as 0.
func TestTapsWithoutStorage(t *testing.T) {
	k := newSampled(t, gcn.GFX803, gcn.Image{Width: 8, Height: 8}, bilinear)
	regs, err := tile.ForTarget(gcn.GFX803)
	require.NoError(t, err)
	k.w.V, k.w.NumVGPRs = k.w.V[:4:4], state.MaxVGPRs
	for _, addr := range []int64{2, 4, 100, 250} {
		in := k.inst("image_sample", memtest.Fields{isa.SSAMP: 2, isa.ADDR: addr})
		lanes, err := mimg.Taps((*gcn.Inst)(&in), k.w, regs)
		require.NoError(t, err)
		require.NotEmpty(t, lanes[5])
		in = k.inst("image_load", memtest.Fields{isa.ADDR: addr})
		lanes, err = mimg.Taps((*gcn.Inst)(&in), k.w, regs)
		require.NoError(t, err)
		require.Len(t, lanes[5], 1)
		k.w.V = k.w.V[:4:4]
	}
}
