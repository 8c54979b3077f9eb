package state_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// A wave's registers can be set and read.
func ExampleWave() {
	w := state.NewWave(gcn.GFX803, 8)
	w.SetSGPRs(4, 0x10, 0x20)
	w.SetExec(0xff)
	w.SetScalar64(gcn.VCC, 1<<40)
	w.V[2][3] = 7
	fmt.Printf("s5 0x%x, v2 lane 3 %d, lanes %#x, vcc %#x, MODE %#x\n", w.S[5], w.VGPR(2)[3], w.Exec(),
		w.Scalar64(gcn.VCC), w.Mode)
	// Output: s5 0x20, v2 lane 3 7, lanes 0xff, vcc 0x10000000000, MODE 0xc0
}
