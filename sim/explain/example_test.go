package explain_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim/explain"
)

// Words returns the description of an instruction.
func ExampleWords() {
	x, err := explain.Words("inst", gcn.GFX803, []uint32{0x7e000300}) // machine words
	if err != nil {
		panic(err)
	}
	fmt.Print(x)
	// Output:
	// v_mov_b32_e32 v0, v0
	//
	// does      for each lane of EXEC: writes v0 (b32) from S0 = v0 (b32): S0
	// encoding  VOP1, 4 bytes, opcode 1
	// executes  gfx6, gfx7, gfx8, gfx900, gfx906: exact
	//
	// bits   field     value  meaning
	// 0-8    SRC0      256    v0, b32
	// 9-16   OP        1      v_mov_b32
	// 17-24  VDST      0      v0, b32, written
	// 25-31  ENCODING  63     VOP1
}
