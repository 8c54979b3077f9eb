package lds_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/lds"
	"github.com/gcnsim/gcnsim/state"
)

// Lanes that read every 32nd dword all access the same bank.
func ExampleBanks() {
	for _, stride := range []uint64{1, 2, 32, 33} {
		var addr [state.NumLanes]uint64
		for i := range addr {
			addr[i] = uint64(i) * stride * 4
		}
		use := lds.Banks(&addr, state.FullExec, 4, false)
		fmt.Println(stride, use.Worst)
	}
	// Output:
	// 1 1
	// 2 2
	// 32 32
	// 33 1
}
