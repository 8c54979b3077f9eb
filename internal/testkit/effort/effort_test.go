package effort_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

func TestShort(t *testing.T) {
	was := flag.Lookup("test.short").Value.String()
	t.Cleanup(func() { require.NoError(t, flag.Set("test.short", was)) })
	for _, c := range []struct {
		short  string
		rounds [4]int // of 0, 1, 20 and 70
		cases  int    // of 70
	}{
		{"false", [4]int{0, 1, 20, 70}, 70},
		{"true", [4]int{0, 1, 2, 10}, 10},
	} {
		require.NoError(t, flag.Set("test.short", c.short))
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

// A test with many cases tries a sample of them in short mode, and one at least.
func ExampleRounds() {
	for range effort.Rounds(1) {
		fmt.Println("one case")
	}
	// Output: one case
}
