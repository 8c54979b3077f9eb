package gcntest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDiffNamesTheFirstDifference(t *testing.T) {
	assert.Empty(t, diff([]uint32{1, 2}, []uint32{1, 2}))
	assert.Equal(t, "want 2 elements, got 1", diff([]uint32{1, 2}, []uint32{1}))
	assert.Equal(t, "1 of 3 elements differ:\n  [1] want 0x00000002 (2) got 0x00000007 (7)",
		diff([]uint32{1, 2, 3}, []uint32{1, 7, 3}))
	assert.Equal(t, "1 of 1 elements differ:\n  [0] want 0x0a got 0xff", diff([]byte{10}, []byte{255}))
}

func TestDiffComparesFloatBits(t *testing.T) {
	nan := float32(math.NaN())
	assert.Empty(t, diff([]float32{nan}, []float32{nan}))
	negZero := math.Float32frombits(1 << 31)
	assert.Equal(t, "1 of 1 elements differ:\n  [0] want 0 (0x00000000) got -0 (0x80000000)",
		diff([]float32{0}, []float32{negZero}))
}

func TestDiffStopsListing(t *testing.T) {
	report := diff(make([]uint64, 20), []uint64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
	assert.Contains(t, report, "20 of 20 elements differ")
	assert.Contains(t, report, "and 12 more")
}
