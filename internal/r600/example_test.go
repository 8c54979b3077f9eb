package r600_test

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/internal/r600"
)

// A vertex fetch and a texture fetch copy two texels.
func Example() {
	load := func(text string) *r600.Program {
		words, _, err := r600.Assemble(r600.R600, text)
		if err != nil {
			panic(err)
		}
		p, err := r600.Load(r600.R600, words)
		if err != nil {
			panic(err)
		}
		return p
	}
	picture := func() *r600.Image {
		f, err := format.Lookup(gcn.Data8_8_8_8, gcn.NumUNORM)
		if err != nil {
			panic(err)
		}
		img, err := r600.NewImage(f, 4, 1, 0)
		if err != nil {
			panic(err)
		}
		return img
	}
	src, dst := picture(), picture()
	for i := range src.Data {
		src.Data[i] = byte(i)
	}
	var records []byte // x and y of each corner, and the texel's
	for _, v := range []float32{0, 0, 1, 0, 0, 1, 1, 1, 2, 1, 3, 1} {
		records = binary.LittleEndian.AppendUint32(records, math.Float32bits(v))
	}
	m := &r600.Machine{
		Buffers:  []r600.Buffer{{Data: records, Stride: 16}},
		Textures: []*r600.Image{src}, Samplers: []r600.Sampler{{}}, Targets: []*r600.Image{dst},
		Trace: func(e r600.Event) {
			fmt.Print(e.Slot, " ", e.Inst.Name)
			if dst, _, ok := e.Inst.Field("DST_GPR"); ok {
				fmt.Print(" to R", dst)
			}
			fmt.Println()
		},
	}
	corners, err := m.Vertices(load(r600.CopyVS), []uint32{0, 1, 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = m.Rect(load(r600.CopyPS), [3]r600.Output(corners))
	fmt.Printf("%d %v\n", dst.Data[:12], err)
	// Output:
	// 0 VTX
	// 4 FETCH to R1
	// 6 FETCH to R0
	// 1 EXPORT_DONE
	// 2 EXPORT_DONE
	// 0 TEX
	// 2 SAMPLE to R0
	// 1 EXPORT_DONE
	// [4 5 6 7 8 9 10 11 0 0 0 0] <nil>
}
