package compare

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Stores count although a later run has a smaller buffer.
func TestEffectAddKeepsLargerBuffers(t *testing.T) {
	large, small := Effect{sizes: []uint64{0, 4096}}, Effect{sizes: []uint64{0, 64}}
	large.written.set(1<<argShift|1000, 8)
	small.written.set(1<<argShift, 4)
	sum := Effect{}
	sum.Add(&large)
	sum.Add(&small)
	assert.EqualValues(t, 12, sum.Stored())
	sum = small
	sum.Add(&large)
	assert.EqualValues(t, 12, sum.Stored())
}
