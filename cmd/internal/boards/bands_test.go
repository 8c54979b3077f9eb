package boards_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gcnsim/gcnsim/cmd/internal/boards"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
)

// TestBands: bands are those that the figures give, and bands made without a benchmark contain 85 of 100 of its
// figures.
func TestBands(t *testing.T) {
	bands, held := boards.Bands(boards.Compared())
	assert.Equal(t, timing.Bands[:], bands)
	assert.GreaterOrEqual(t, held, 0.85)
	for _, f := range boards.Compared() {
		assert.NotEmpty(t, f.Kept, f.ID)
	}
}
