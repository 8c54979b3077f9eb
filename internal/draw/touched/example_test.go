package touched_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/internal/draw/touched"
	"github.com/gcnsim/gcnsim/state"
)

// Two lanes touch dwords of two lines, a third one is out of range.
func Example() {
	a := &state.Access{Exec: 0b111, Elem: 4, Count: 1, Out: [4]uint64{0b100}}
	a.Addr[1], a.Addr[2] = 64, 128
	fmt.Println(touched.Dwords(a), touched.Lines(a))
	// Output: map[0:[0] 16:[1]] 2
}
