package timing_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/texture"
	"github.com/gcnsim/gcnsim/state"
)

// imageFormats has DATA_FORMAT and NUM_FORMAT of an image by the bytes of a texel: 8, 8_8_8_8, 16_16_16_16 and
// 32_32_32_32, unorm or float.
var imageFormats = map[int][2]uint8{1: {1, 0}, 4: {10, 0}, 8: {12, 7}, 16: {14, 7}}

// imageKernel is a program whose waves access a linear image of 8 KiB.
type imageKernel struct {
	inst    string // image_load, or an instruction with the same operands
	size    int    // bytes per texel
	at      func(lane uint32) uint32
	sampler []uint32 // S#, for instructions that have one
}

const imageWidth = 64

// run executes turns iterations of a loop with the instruction on waves waves, and returns the times.
func (k *imageKernel) run(t testing.TB, waves, turns int) *timing.Result {
	t.Helper()
	text := k.inst + " v[4:7], v[0:1], s[0:7]"
	switch {
	case k.sampler != nil:
		text += ", s[8:11] dmask:0xf unorm"
	case strings.HasPrefix(k.inst, "image_atomic"):
		text = k.inst + " v4, v[0:1], s[0:7] dmask:0x1 unorm"
	default:
		text += " dmask:0xf unorm"
	}
	program, err := asm.Assemble(gcn.GFX803, fmt.Sprintf(loopOf(text), turns), asm.LLVM)
	require.NoError(t, err)
	m := sim.New(gcn.GFX803)
	height := 8192 / k.size / imageWidth
	f := imageFormats[k.size]
	if strings.HasPrefix(k.inst, "image_atomic") {
		f = [2]uint8{gcn.Data32, gcn.NumUINT}
	}
	img, err := texture.New(m, gcn.Image{DataFormat: f[0], NumFormat: f[1], Width: imageWidth, Height: height,
		TileMode: 8})
	require.NoError(t, err)
	model, err := timing.New(gcn.GFX803, timing.Default(gcn.GFX803))
	require.NoError(t, err)
	require.NoError(t, m.Watch(model))
	for id := range waves {
		w := state.NewWave(gcn.GFX803, kernelVGPRs)
		w.ID = id
		w.SetSGPRs(0, img.Words()...)
		w.SetSGPRs(8, k.sampler...)
		var x, y state.Lanes
		for lane := range x {
			texel := k.at(uint32(lane)) % uint32(imageWidth*height)
			x[lane], y[lane] = texel%imageWidth, texel/imageWidth
			if k.sampler != nil { // sample between texels
				x[lane], y[lane] = math.Float32bits(float32(x[lane])+1), math.Float32bits(float32(y[lane])+1)
			}
		}
		w.SetVGPR(0, x)
		w.SetVGPR(1, y)
		_, err := m.Run(context.Background(), w, program.Words)
		require.NoError(t, err)
	}
	res, err := model.Finish()
	require.NoError(t, err)
	return res
}

// throughput returns the clocks per instruction when several waves execute it.
func (k *imageKernel) throughput(t testing.TB) float64 {
	t.Helper()
	const waves = 8
	short, long := k.run(t, waves, 2), k.run(t, waves, 10)
	return float64(long.Cycles-short.Cycles) / float64(8*unrolled*waves)
}

// texels returns a function for the throughput of an image instruction on texels of size bytes.
func texels(inst string, size int, at func(uint32) uint32) func(testing.TB) float64 {
	return func(t testing.TB) float64 { return (&imageKernel{inst: inst, size: size, at: at}).throughput(t) }
}

// bilinear returns a function for the throughput of image_sample with a bilinear filter.
func bilinear(size int) func(testing.TB) float64 {
	return sampled(size, gcn.SamplerState{Unnormalized: true, MagFilter: 1, MinFilter: 1})
}

func sampled(size int, s gcn.SamplerState) func(testing.TB) float64 {
	return func(t testing.TB) float64 {
		k := imageKernel{inst: "image_sample", size: size, at: times(1), sampler: s.Words(gcn.GCN12)}
		return k.throughput(t)
	}
}

// TestImageInstructionsTakeTheirRates checks rates without a published figure against those with one.
func TestImageInstructionsTakeTheirRates(t *testing.T) {
	for _, test := range []struct {
		what string
		want float64
		got  func(testing.TB) float64
	}{
		{"point sampling is a load", 24, sampled(16, gcn.SamplerState{Unnormalized: true})},
		{"half the bytes, half the time", 32, bilinear(8)},
		{"a store, as of buffers", 64, texels("image_store", 16, times(1))},
		{"an atomic, as of buffers", 16, texels("image_atomic_add", 4, times(1))},
		{"with the lanes in turn", 64, texels("image_atomic_add", 4, times(0))},
	} {
		require.InDelta(t, test.want, test.got(t), 0.1*test.want, test.what)
	}
}
