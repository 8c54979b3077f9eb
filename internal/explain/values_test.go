package explain_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/explain"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// An instruction's operation and effects, as values.
func ExampleInstruction() {
	in, err := isa.Decode(gcn.GFX600, []uint32{0xe0701000, 0x80000100})
	if err != nil {
		panic(err)
	}
	x := explain.Instruction(in)
	fmt.Println(x.Text)
	fmt.Println(x.Does)
	fmt.Printf("%+v\n", x.Counts)
	for _, e := range x.Effects {
		if e.Role == isa.RoleResource {
			fmt.Printf("its V# is in %d SGPRs from s%d on\n", e.Dwords, e.Code)
		}
	}
	// Output:
	// buffer_store_dword v1, v0, s[0:3], 0 offen
	// stores 1 dword a lane to the buffer
	// {VM:1 EXP:1 LGKM:0}
	// its V# is in 4 SGPRs from s0 on
}

// A buffer that the two rule sets address differently.
func ExampleVSharp() {
	v := gcn.Buffer{Base: 0x10000, Stride: 16, NumRecords: 256, DataFormat: gcn.Data32, NumFormat: gcn.NumFLOAT}
	x := explain.VSharp(gcn.GCN12, gcn.VSharp(v.Words()))
	for _, a := range x.Access {
		if a.Form == "idxen" {
			fmt.Printf("%s: %d bytes\n", a.Rules, a.Size())
		}
	}
	for _, note := range x.Notes {
		fmt.Println(note)
	}
	// Output:
	// seed: 4096 bytes
	// driver: 256 bytes
	// NUM_RECORDS counts records by the seed rules and bytes by the driver rules
	// STRIDE is not 0: without an index the offset is not checked
}

// The positions of an image's levels.
func ExampleTSharp() {
	i := gcn.Image{Base: 0x100000, Type: gcn.Image2D, DataFormat: gcn.Data8_8_8_8, Width: 64, Height: 64, Pitch: 64,
		LastLevel: 2,
		TileMode:  13, Pow2Pad: true, DstSel: [4]gcn.Sel{gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA}}
	x := explain.TSharp(gcn.GFX803, gcn.TSharp(i.Words(gcn.GCN12)), false)
	for n, level := range x.Layout.Levels() {
		fmt.Printf("level %d: %v at byte 0x%x\n", n, level.Mode, level.Offset)
	}
	fmt.Println("notes:", len(x.Notes))
	// Output:
	// level 0: 1D_THIN1 at byte 0x0
	// level 1: 1D_THIN1 at byte 0x4000
	// level 2: 1D_THIN1 at byte 0x5000
	// notes: 0
}

// The fields of an S# and their meanings.
func ExampleSSharp() {
	s := gcn.SamplerState{MagFilter: gcn.FilterBilinear, MinFilter: gcn.FilterBilinear, MaxLOD: 15, MaxAniso: 5}
	x := explain.SSharp(gcn.GCN12, gcn.SSharp(s.Words(gcn.GCN12)))
	for _, f := range x.Fields {
		if f.Name == "XY_MAG_FILTER" || f.Name == "MAX_ANISO_RATIO" {
			fmt.Printf("%s = %d: %s\n", f.Name, f.Value, f.Meaning)
		}
	}
	for _, note := range x.Notes {
		fmt.Println("note:", note)
	}
	// Output:
	// MAX_ANISO_RATIO = 5: up to 32
	// XY_MAG_FILTER = 1: bilinear, for LOD <= 0
	// note: MAX_ANISO_RATIO does not matter: no filter is anisotropic
	// note: MAX_ANISO_RATIO 5 is more than 16 times, the most there is
}
