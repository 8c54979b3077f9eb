package spec_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim/compare"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// add returns a dispatch that adds a buffer of eight equal random numbers to one of zeros, with the kernel of a file.
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

// A mismatch names the wrong element and the store that wrote it.
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

// An Exec is a program with its initial registers.
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

// The results of two compilers, or of two processors, can be compared.
func ExampleDispatch_Program() {
	a, b := add("vadd.fiji.co"), add("vadd.gfx900.co")
	res, err := compare.Programs(context.Background(), a.Program(nil), b.Program(nil))
	if err != nil {
		log.Fatal(err)
	}
	v, _ := res.Verdict()
	fmt.Println(v)
	// Output:
	// same
}
