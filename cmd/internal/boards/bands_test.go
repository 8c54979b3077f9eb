package boards_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gcnsim/gcnsim/cmd/internal/boards"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
)

// TestBands: 85 of 100 figures of a class are predicted within what answers say.
func TestBands(t *testing.T) {
	for _, b := range timing.Bands {
		var errs []float64
		for _, f := range boards.Compared() {
			if f.Class() == b.Class {
				errs = append(errs, math.Abs(f.Error()))
			}
		}
		if assert.NotEmpty(t, errs, b.Class) {
			slices.Sort(errs)
			at := errs[int(math.Ceil(0.85*float64(len(errs))))-1]
			assert.Equal(t, b.Percent, int(math.Ceil(100*at)), b.Class)
		}
	}
}
