package effort_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

func TestSample(t *testing.T) {
	for _, c := range []struct {
		tests  string // GCNSIM_TESTS
		rounds [4]int // results for 0, 1, 20 and 70
		cases  int    // number of executed cases of 70
	}{
		{"full", [4]int{0, 1, 20, 70}, 70},
		{"", [4]int{0, 1, 2, 10}, 10},
	} {
		t.Setenv("GCNSIM_TESTS", c.tests)
		assert.Equal(t, c.rounds, [4]int{effort.Rounds(0), effort.Rounds(1), effort.Rounds(20), effort.Rounds(70)})
		cases := 0
		for i := range 70 {
			if !effort.LeavesOut(i) {
				cases++
			}
		}
		assert.Equal(t, c.cases, cases)
	}
}

// A test with many cases executes a sample of them, at least one.
func ExampleRounds() {
	for range effort.Rounds(1) {
		fmt.Println("one case")
	}
	// Output: one case
}
