package mimg_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// FuzzTSharp executes the instructions that words are on images that other words are:
// there is a result or a fault, never a panic.
func FuzzTSharp(f *testing.F) {
	for _, target := range memtest.Targets {
		g := target.Gen()
		for _, img := range []gcn.Image{
			{Base: base, Type: gcn.Image2D, DataFormat: gcn.Data8_8_8_8, Width: 20, Height: 10, Pitch: 256, TileMode: linear(g), DstSel: identity},
			{Base: base, Type: gcn.Image3D, DataFormat: gcn.DataBC1, Width: 20, Height: 10, Depth: 5, Pitch: 256, TileMode: tiled(g), LastLevel: 2, MaxMip: 2, Pow2Pad: true, DstSel: identity},
			{Base: base, Type: gcn.ImageCube, DataFormat: gcn.Data32, NumFormat: gcn.NumUINT, Width: 16, Height: 16, Depth: 6, Pitch: 256, LastArray: 5, TileMode: tiled(g), DstSel: identity},
		} {
			var b []byte
			for _, w := range img.On(g).Words(g) {
				b = binary.LittleEndian.AppendUint32(b, w)
			}
			for _, name := range []string{"image_load_mip", "image_store", "image_atomic_cmpswap", "image_get_resinfo",
				"image_load_pck"} {
				f.Add(uint8(g), memtest.Inst(g.Target(), name, memtest.Fields{gcn.VDATA: 4, gcn.DMASK: 15}).Words, b, uint32(1),
					uint32(2), uint32(3))
			}
		}
	}
	span := memtest.NewSpan(base, 1<<16)
	f.Fuzz(func(t *testing.T, gen uint8, words uint64, descriptor []byte, x, y, z uint32) {
		target := memtest.Targets[gen%gcn.NumGens]
		g := target.Gen()
		const prefix, mask = 0xf0000000, 0xfc000000
		in, err := g.Target().Decode([]uint32{uint32(words)&^mask | prefix, uint32(words >> 32)})
		if err != nil {
			return
		}
		impl := executor.Find(&in)
		if impl.Exec == nil {
			require.NotEmpty(t, impl.Why)
			return
		}
		if executor.Check(&in, state.MaxVGPRs, nil) != nil {
			return
		}
		regs, err := tile.ForTarget(target)
		require.NoError(t, err)
		w := state.NewWave(target, state.MaxVGPRs)
		for i := range w.V {
			for lane := range w.V[i] {
				w.V[i][lane] = [...]uint32{x, y, z}[i%3] + uint32(lane&3)
			}
		}
		at := in.Get(gcn.SRSRC) * 4
		for i := range min(len(descriptor)/4, gcn.NumScalarCodes-int(at)) {
			w.S[int(at)+i] = binary.LittleEndian.Uint32(descriptor[4*i:])
		}
		w.S[at], w.S[at+1] = uint32(base>>8), w.S[at+1]&^0xff // where memory is
		var a state.Access
		if fault := impl.Exec(w, &executor.Ports{Mem: memtest.Memory{span}, Images: &executor.Images{Regs: regs}}, &in,
			&a); fault != nil {
			require.NotEmpty(t, fault.What)
		}
	})
}
