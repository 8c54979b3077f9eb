package flat_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/flat"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// SpaceOf returns the memory that a FLAT address lies in, here with the apertures that drivers set up.
func ExampleSpaceOf() {
	w := state.NewWave(gcn.GFX900, 1)
	for _, addr := range []uint64{0x1000, 1<<48 + 64, 2<<48 + 64} {
		fmt.Printf("0x%x %v\n", addr, flat.SpaceOf(w, addr))
	}
	// Output:
	// 0x1000 global
	// 0x1000000000040 lds
	// 0x2000000000040 scratch
}
