package alu_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/alu"
)

// DPPLane returns the lanes that row_shr:1, row_mirror and quad_perm:[3,2,1,0] read.
func ExampleDPPLane() {
	for _, ctrl := range []uint32{0x111, 0x140, 0x1b} {
		var from [6]int
		for i := range from {
			from[i], _ = alu.DPPLane(ctrl, i)
		}
		fmt.Println(from)
	}
	// Output:
	// [-1 0 1 2 3 4]
	// [15 14 13 12 11 10]
	// [3 2 1 0 7 6]
}

// S_SETREG has no effect on STATUS.
func ExampleRegister() {
	fmt.Println(alu.Register(1))
	fmt.Println(alu.Register(2))
	// Output:
	// MODE false
	// STATUS true
}
