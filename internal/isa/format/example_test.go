package format_test

import (
	"fmt"
	"math"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/format"
)

// Two elements of 8_8_8_8 UNORM, R in the lowest byte.
func ExampleFormat_Unpack() {
	f, err := format.Lookup(gcn.Data8_8_8_8, gcn.NumUNORM)
	if err != nil {
		fmt.Println(err)
		return
	}
	words := [format.MaxComponents][]uint32{{0xff000080, 0x000000ff}}
	var rgba [format.MaxComponents][]uint32
	for c := range rgba {
		rgba[c] = make([]uint32, 2)
	}
	f.Unpack(&rgba, &words)
	for i := range 2 {
		fmt.Print("element ", i)
		for c := range rgba {
			fmt.Print(" ", math.Float32frombits(rgba[c][i]))
		}
		fmt.Println()
	}
	// Output:
	// element 0 0.5019608 0 0 1
	// element 1 1 0 0 0
}

// Formats that no document defines are an error.
func ExampleLookup() {
	_, err := format.Lookup(4, 0)
	fmt.Println(err)
	// Output: 32 with UNORM has no meaning that a document states
}
