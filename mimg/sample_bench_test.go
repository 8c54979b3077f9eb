package mimg_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// sampled are the look-ups whose time and allocations are measured.
var sampled = []struct {
	name, inst string
	data, num  uint8
	smp        gcn.SamplerState
}{
	{"point", "image_sample_lz", gcn.Data8_8_8_8, gcn.NumUNORM, gcn.SamplerState{}},
	{"bilinear lz", "image_sample_lz", gcn.Data8_8_8_8, gcn.NumUNORM, gcn.SamplerState{MagFilter: 1, MinFilter: 1}},
	{"bilinear", "image_sample", gcn.Data8_8_8_8, gcn.NumUNORM, gcn.SamplerState{MagFilter: 1, MinFilter: 1}},
	{"bilinear, every other lane", "image_sample", gcn.Data8_8_8_8, gcn.NumUNORM, gcn.SamplerState{MagFilter: 1, MinFilter: 1}},
	{"bilinear clamped", "image_sample", gcn.Data8_8_8_8, gcn.NumUNORM, gcn.SamplerState{MagFilter: 1, MinFilter: 1, Clamp: [3]gcn.Clamp{2, 2, 2}}},
	{"bilinear f16", "image_sample", 12, gcn.NumFLOAT, gcn.SamplerState{MagFilter: 1, MinFilter: 1}},
	{"trilinear", "image_sample", gcn.Data8_8_8_8, gcn.NumUNORM, gcn.SamplerState{MagFilter: 1, MinFilter: 1, MipFilter: 2}},
	{"trilinear l", "image_sample_l", gcn.Data8_8_8_8, gcn.NumUNORM, gcn.SamplerState{MagFilter: 1, MinFilter: 1, MipFilter: 2}},
	{"aniso", "image_sample", gcn.Data8_8_8_8, gcn.NumUNORM, gcn.SamplerState{MagFilter: 3, MinFilter: 3, MipFilter: 2, MaxAniso: 3}},
	{"gather", "image_gather4_lz", gcn.Data8_8_8_8, gcn.NumUNORM, gcn.SamplerState{}},
	{"shadow", "image_sample_c_lz", gcn.Data32, gcn.NumFLOAT, gcn.SamplerState{MagFilter: 1, MinFilter: 1, Compare: 3}},
	{"lod", "image_get_lod", gcn.Data8_8_8_8, gcn.NumUNORM, gcn.SamplerState{MagFilter: 1, MinFilter: 1, MipFilter: 2}},
}

// lookups calls f for each look-up in a 256x256 image with 9 levels: 8x8 pixels that are rotated and 1.4 texels
// apart.
func lookups(tb testing.TB, f func(name string, b *bench, in *isa.Inst)) {
	for _, m := range sampled {
		for _, target := range []gcn.Target{gcn.GFX803, gcn.GFX900} {
			g := target.Gen()
			k := newBench(tb, target, gcn.Image{DataFormat: m.data, NumFormat: m.num, Width: 256, Height: 256, LastLevel: 8,
				MaxMip: 8, TileMode: tiled(g)})
			r := rand.New(rand.NewPCG(1, 2))
			for i := range k.span.Words {
				k.span.Words[i] = r.Uint32() &^ 0xc000c000 // no infinities and NaNs
			}
			m.smp.MaxLOD = 15
			k.w.SetSGPRs(8, m.smp.On(g).Words(g)...)
			in := k.inst(m.inst, memtest.Fields{isa.SSAMP: 2})
			first := 0
			if m.name == "shadow" {
				k.w.V[0] = state.Lanes{}
				first, in = 1, k.inst(m.inst, memtest.Fields{isa.SSAMP: 2, isa.DMASK: 1})
			}
			if m.name == "gather" {
				in = k.inst(m.inst, memtest.Fields{isa.SSAMP: 2, isa.DMASK: 1})
			}
			for i := range state.NumLanes {
				x, y := float64(i%2+i/4%4*2), float64(i/2%2+i/16*2)
				k.w.V[first][i] = math.Float32bits(float32((90.337 + 1.219*x - 0.681*y) / 256))
				k.w.V[first+1][i] = math.Float32bits(float32((120.813 + 0.681*x + 1.219*y) / 256))
				k.w.V[first+2][i] = math.Float32bits(0.4)
			}
			if m.name == "bilinear, every other lane" {
				k.w.SetExec(memtest.EveryOther)
			}
			f(fmt.Sprintf("%s/%v", m.name, target), k, &in)
		}
	}
}

// BenchmarkBilinear measures look-ups, with a bilinear one in plain Go as the reference.
func BenchmarkBilinear(b *testing.B) {
	lookups(b, func(name string, k *bench, in *isa.Inst) {
		kind, ok := strings.CutSuffix(name, "/"+gcn.GFX803.String())
		if !ok {
			return
		}
		exec := executor.Find(in).Exec
		b.Run(kind, func(b *testing.B) {
			for b.Loop() {
				if f := exec(k.w, k.p, in, &k.a); f != nil {
					b.Fatal(f)
				}
			}
		})
	})
	k := newBench(b, gcn.GFX803, gcn.Image{DataFormat: gcn.Data8_8_8_8, Width: 256, Height: 256, TileMode: 8})
	for i := range state.NumLanes {
		k.w.V[0][i], k.w.V[1][i] = math.Float32bits(float32(i)/97), math.Float32bits(float32(i)/71)
	}
	b.Run("plain Go", func(b *testing.B) {
		for b.Loop() {
			plainBilinear(k)
		}
	})
}

// plainBilinear does what IMAGE_SAMPLE_LZ of a repeating linear 8_8_8_8 UNORM image does, in plain Go.
func plainBilinear(k *bench) {
	texel := func(x, y int) uint32 { return k.span.Words[y&255*256+x&255] }
	for i, u := range k.w.V[0] {
		x, y := math.Float32frombits(u)*256-0.5, math.Float32frombits(k.w.V[1][i])*256-0.5
		x0, y0 := math.Floor(float64(x)), math.Floor(float64(y))
		fx, fy := x-float32(x0), y-float32(y0)
		ix, iy := int(x0), int(y0)
		a, b, c, d := texel(ix, iy), texel(ix+1, iy), texel(ix, iy+1), texel(ix+1, iy+1)
		for j := range 4 {
			get := func(v uint32) float32 { return float32(v >> (8 * j) & 255) }
			top, bottom := get(a)+fx*(get(b)-get(a)), get(c)+fx*(get(d)-get(c))
			k.w.V[4+j][i] = math.Float32bits((top + fy*(bottom-top)) / 255)
		}
	}
}

func TestSamplesDoNotAllocate(t *testing.T) {
	lookups(t, func(name string, k *bench, in *isa.Inst) {
		impl := executor.Find(in)
		require.NotNil(t, impl.Exec, impl.Why)
		for _, mask := range []uint64{state.FullExec, 0x5555} {
			k.w.SetExec(mask)
			require.Zero(t, testing.AllocsPerRun(10, func() { _ = impl.Exec(k.w, k.p, in, &k.a) }), name)
		}
	})
}
