package lane_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/state/lane"
)

// Values for vector registers.
func Example() {
	offsets, ones, few := lane.Times(4), lane.Float(1), lane.Of(7, 8)
	fmt.Println(offsets[63], ones[0] == 0x3f800000, few[1], few[2])
	// Output: 252 true 8 0
}
