package mimg_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/mimg"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// Taps returns the texels and weights of a bilinear filter near the left edge of an image that repeats along x. It
// needs no machine and no memory.
func ExampleTaps() {
	const target = gcn.GFX803
	p, err := asm.Assemble(target, "image_sample_lz v4, v[0:1], s[0:7], s[8:11] dmask:0x1", asm.LLVM)
	if err != nil {
		panic(err)
	}
	in, err := gcn.Decode(target, p.Words)
	if err != nil {
		panic(err)
	}
	regs, err := tile.ForTarget(target)
	if err != nil {
		panic(err)
	}
	w := state.NewWave(target, 8)
	w.SetSGPRs(0, gcn.Image{Type: gcn.Image2D, DataFormat: gcn.Data8_8_8_8, Width: 16, Height: 16, Pitch: 64,
		TileMode: 8}.Words(target.Gen())...)
	w.SetSGPRs(8, gcn.SamplerState{MagFilter: gcn.FilterBilinear, MinFilter: gcn.FilterBilinear,
		Clamp: [3]gcn.Clamp{gcn.ClampWrap, gcn.ClampLastTexel}}.Words(target.Gen())...)
	w.SetVGPR(0, lane.Float(1./64)) // a quarter of a texel
	w.SetVGPR(1, lane.Float(2.5/16))
	taps, err := mimg.Taps(&in, w, regs)
	if err != nil {
		panic(err)
	}
	for _, tap := range taps[0] {
		fmt.Printf("x %d, y %d: %v\n", tap.X, tap.Y, tap.Weight)
	}
	// Output:
	// x 15, y 2: 0.25
	// x 0, y 2: 0.75
}
