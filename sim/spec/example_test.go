package spec_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"log"
	"os"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// add returns a dispatch that adds a buffer of eight numbers, random ones that are all equal, to one of
// zeros, with the kernel of a file.
func add(file string) *spec.Dispatch {
	object, err := os.ReadFile("../../testdata/kernels/" + file)
	if err != nil {
		log.Fatal(err)
	}
	random := &spec.Random{Seed: 1, Min: "1", Max: "9", With: []string{"same"}}
	return &spec.Dispatch{
		Object: object, Kernel: "vadd", Grid: [3]uint32{8},
		Args: []spec.Arg{
			{Buffer: &spec.Buffer{Size: 32}}, {Buffer: &spec.Buffer{Size: 32, Random: random}},
			{Buffer: &spec.Buffer{Data: make([]byte, 32)}},
			{U32: new(uint32(8))},
		},
	}
}

// The element that is not as expected is named, with who stored it.
func ExampleDispatch_Run() {
	d := add("vadd.fiji.co")
	d.Expect = []spec.Expect{{Arg: 0, Want: []byte{20, 0, 0, 0}, As: spec.U32, Absolute: "2"}}
	res, err := d.Run(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Instructions, "instructions")
	fmt.Println(res.Mismatch)
	// Output:
	// 27 instructions
	// expect[0]: argument 0, byte 0, element 0: want 0x00000014, got 0x00000004; stored by work-item 0,0,0 with flat_store_dword v[0:1], v2 at 0x167c; 1 of 1 elements differ
}

// An exec is a program and the registers that it finds.
func ExampleExec_Run() {
	e := spec.Exec{
		Target:    gcn.GFX803,
		Asm:       "v_mul_f32 v1, v0, v0\ns_endpgm",
		Registers: spec.Registers{VGPRs: map[int][]uint32{0: {0x3f800000, 0x40000000, 0x40400000}}},
		Settings:  spec.Settings{Check: []string{"all"}},
	}
	res, err := e.Run(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	left := res.Waves[0].VGPR(1)
	fmt.Printf("%08x, %d findings\n", left[:3], len(res.Findings))
	// Output:
	// [3f800000 40800000 41100000], 0 findings
}

// Two compilers, or two processors, do the same.
func ExampleDiff() {
	c, err := spec.Diff(context.Background(), add("vadd.fiji.co"), add("vadd.gfx900.co"), &spec.DiffOptions{Seeds: 4})
	if err != nil {
		log.Fatal(err)
	}
	if err := c.Write(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// same: 4 runs; 32 of 32 bytes written; 0 of 27 instructions of a and 0 of 26 of b never executed; nothing was checked
}

// A compiler that subtracts instead of adding shows it with one work-item and one number.
func ExampleReduce() {
	right, wrong := add("vadd.fiji.co"), add("vadd.fiji.co")
	wrong.Object = bytes.Replace(wrong.Object, words("v_add_u32_e32 v2, vcc, v2, v4"),
		words("v_sub_u32_e32 v2, vcc, v2, v4"), 1)
	small, err := spec.Reduce(context.Background(), right, wrong, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(small.Grid, *small.Args[3].U32)
	for _, arg := range small.Args[:3] {
		fmt.Printf("%d bytes, not 0: [%x]\n", arg.Buffer.Size, arg.Buffer.Data)
	}
	// Output:
	// [1 1 1] 1
	// 4 bytes, not 0: []
	// 4 bytes, not 0: [01]
	// 4 bytes, not 0: []
}

// words returns the machine words of a text.
func words(text string) (b []byte) {
	p, err := asm.Assemble(gcn.GFX803, text, asm.LLVM)
	if err != nil {
		log.Fatal(err)
	}
	b, _ = binary.Append(nil, binary.LittleEndian, p.Words) // dwords have a size
	return b
}
