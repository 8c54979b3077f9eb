package gcn_test

import (
	"errors"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
)

// An instruction is decoded from its machine words.
func ExampleDecode() {
	in, err := gcn.Decode(gcn.GFX803, []uint32{0xe0501000, 0x80000100})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(in.Op, in.Enc, in.Target, in.Size)
	words, n := in.Encode()
	fmt.Printf("%08x\n", words[:n])
	// Output:
	// buffer_load_dword MUBUF gfx803 8
	// [e0501000 80000100]
}

// An error says what is missing, and suggests something similar if there is any.
func ExampleError() {
	_, err := gcn.Decode(gcn.GFX803, []uint32{0xffffffff})
	var e *gcn.Error
	if errors.As(err, &e) {
		fmt.Println(e.Kind == gcn.NoInstruction, e)
	}
	_, err = gcn.ParseTarget("gfx1030")
	fmt.Println(errors.As(err, &e) && e.Kind == gcn.UnknownTarget)
	// Output:
	// true cannot decode ffffffff on gfx803: no encoding has this prefix
	// true
}

// A buffer resource is described by its fields; a shader holds it as four dwords in SGPRs.
func ExampleBuffer() {
	b := gcn.Buffer{Base: 0x10000, Stride: 16, NumRecords: 64, DataFormat: gcn.Data32, NumFormat: gcn.NumFLOAT}
	fmt.Printf("%08x\n", b.Words())
	back := gcn.VSharp(b.Words()).Fields()
	fmt.Println(back.Stride, back.NumRecords, back.DstSel)
	// Output:
	// [00010000 00100000 00000040 00027fac]
	// 16 64 [R G B A]
}
