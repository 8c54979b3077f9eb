package mimg_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// measured are the instructions whose time and allocations are measured.
var measured = []struct {
	name         string
	dmask        int64
	data, num    uint8
	glc, da, a16 int64
}{
	{name: "image_load", dmask: 15, data: gcn.Data8_8_8_8},
	{name: "image_load", dmask: 15, data: gcn.Data8_8_8_8, a16: 1},
	{name: "image_load", dmask: 1, data: gcn.Data32, num: gcn.NumFLOAT},
	{name: "image_load", dmask: 15, data: gcn.Data32_32_32_32, num: gcn.NumFLOAT},
	{name: "image_load", dmask: 1, data: gcn.Data8},
	{name: "image_load", dmask: 15, data: 12, num: gcn.NumFLOAT}, // 16_16_16_16
	{name: "image_load", dmask: 15, data: gcn.DataBC1},
	{name: "image_load_pck", dmask: 1, data: gcn.Data8_8_8_8},
	{name: "image_store", dmask: 15, data: gcn.Data8_8_8_8},
	{name: "image_store", dmask: 1, data: gcn.Data32, num: gcn.NumFLOAT},
	{name: "image_atomic_add", dmask: 1, data: gcn.Data32, num: gcn.NumUINT, glc: 1},
	{name: "image_get_resinfo", dmask: 15, data: gcn.Data8_8_8_8},
}

// setups calls f for each measured instruction, linear and tiled, on GCN 1.2 and 1.4.
func setups(tb testing.TB, f func(name string, b *bench, in *isa.Inst)) {
	for _, m := range measured {
		for _, target := range []gcn.Target{gcn.GFX803, gcn.GFX900} {
			if target == gcn.GFX803 && m.a16 != 0 {
				continue
			}
			for _, mode := range []struct {
				name string
				code int
			}{{"linear", linear(target.Gen())}, {"tiled", tiled(target.Gen())}} {
				k := newBench(tb, target, gcn.Image{DataFormat: m.data, NumFormat: m.num, Width: 256, Height: 256,
					TileMode: mode.code})
				fields := memtest.Fields{isa.DMASK: m.dmask, isa.GLC: m.glc}
				if m.name == "image_get_resinfo" { // it needs an image with one level
					fields[isa.ADDR] = 2
				}
				if m.a16 != 0 {
					fields[isa.A16] = 1
					for i := range k.w.V[0] {
						k.w.V[0][i] |= k.w.V[1][i] << 16
					}
				}
				in := k.inst(m.name, fields)
				name := fmt.Sprintf("%s/%d_%d_a16=%d/%v/%s", m.name, m.data, m.num, m.a16, target, mode.name)
				f(name, k, &in)
			}
		}
	}
}

// BenchmarkLoad8888 measures IMAGE_LOAD of 8_8_8_8, with plain Go as the reference.
func BenchmarkLoad8888(b *testing.B) {
	setups(b, func(name string, k *bench, in *isa.Inst) {
		kind, ok := strings.CutPrefix(name, fmt.Sprintf("image_load/%d_0_a16=0/", gcn.Data8_8_8_8))
		if !ok {
			return
		}
		exec := executor.Find(in).Exec
		for _, lanes := range []struct {
			name string
			exec uint64
		}{{"", state.FullExec}, {", every other lane", memtest.EveryOther}} {
			b.Run(strings.ReplaceAll(kind, "/", " ")+lanes.name, func(b *testing.B) {
				k.w.SetExec(lanes.exec)
				for b.Loop() {
					if f := exec(k.w, k.p, in, &k.a); f != nil {
						b.Fatal(f)
					}
				}
			})
		}
	})
	k := newBench(b, gcn.GFX803, gcn.Image{DataFormat: gcn.Data8_8_8_8, Width: 256, Height: 256, TileMode: 8})
	b.Run("plain Go", func(b *testing.B) {
		for b.Loop() {
			plainLoad(k)
		}
	})
}

// plainLoad does what IMAGE_LOAD of linear 8_8_8_8 UNORM does, in plain Go.
func plainLoad(k *bench) {
	for i, x := range k.w.V[0] {
		if y := k.w.V[1][i]; x < 256 && y < 256 {
			texel := k.span.Words[y*256+x]
			for c := range 4 {
				k.w.V[4+c][i] = math.Float32bits(float32(texel>>(8*c)&255) / 255)
			}
		}
	}
}

func TestNoAllocations(t *testing.T) {
	setups(t, func(name string, k *bench, in *isa.Inst) {
		impl := executor.Find(in)
		require.NotNil(t, impl.Exec, impl.Why)
		for _, mask := range []uint64{state.FullExec, 0x5555} {
			k.w.SetExec(mask)
			require.Zero(t, testing.AllocsPerRun(10, func() { _ = impl.Exec(k.w, k.p, in, &k.a) }), name)
		}
	})
}
