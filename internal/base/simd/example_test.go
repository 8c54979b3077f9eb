package simd_test

import (
	"fmt"

	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/state/lane"
)

func Example() {
	a, b := lane.ID(), lane.All(10)
	simd.Int("mul")(&a, &a, &b, nil)
	carry := simd.Carry("add")(&b, &a, &a, 1<<2)
	fmt.Println(b[0], b[1], b[2], carry)
	// Output: 0 20 41 0
}
