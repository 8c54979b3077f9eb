package gcn_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
)

// An instruction is a row of the table of instructions and its machine words.
func ExampleTarget_Decode() {
	in, err := gcn.GFX803.Decode([]uint32{0xe0501000, 0x80000100})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(in.Row().Name, in.Row().Enc)
	fmt.Println("offen", in.Bool(gcn.OFFEN), "vdata", in.Get(gcn.VDATA), "counts", in.Counts())
	fmt.Printf("%08x\n", in.Words)
	// Output:
	// buffer_load_dword MUBUF
	// offen true vdata 1 counts {1 0 0}
	// 80000100e0501000
}

// A buffer resource by its fields, and the four dwords that a shader holds in SGPRs.
func ExampleBuffer() {
	b := gcn.Buffer{Base: 0x10000, Stride: 16, NumRecords: 64, DataFormat: gcn.Data32, NumFormat: gcn.NumFLOAT}
	fmt.Printf("%08x\n", b.Words())
	back := gcn.VSharp(b.Words()).Fields()
	fmt.Println(back.Stride, back.NumRecords, back.DstSel)
	// Output:
	// [00010000 00100000 00000040 00027fac]
	// 16 64 [R G B A]
}
