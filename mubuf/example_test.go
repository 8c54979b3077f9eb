package mubuf_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/mubuf"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// Addresses computes, without a machine, the addresses of buffer_load_dword with idxen in a structured buffer, and
// which lanes are out of range.
func ExampleAddresses() {
	v := gcn.VSharp(gcn.Buffer{Base: 0x10000, Stride: 16, NumRecords: 3}.Words())
	index := lane.ID()
	a := state.Access{Exec: 0x1f, Elem: 4, Count: 1}
	mubuf.Addresses(state.SeedRules, gcn.GCN12, &mubuf.Form{IdxEn: true, Offset: 4, Elem: 4, Count: 1},
		&mubuf.Operands{V: &v, VAddr: [2]*state.Lanes{&index}}, &a)
	for i := range 5 {
		fmt.Printf("lane %d: 0x%x, out of range %t\n", i, a.At(0, i), a.Out[0]>>i&1 != 0)
	}
	// Output:
	// lane 0: 0x10004, out of range false
	// lane 1: 0x10014, out of range false
	// lane 2: 0x10024, out of range false
	// lane 3: 0x10034, out of range true
	// lane 4: 0x10044, out of range true
}
