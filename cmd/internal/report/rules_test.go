package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSuggest(t *testing.T) {
	assert.Equal(t, "there are L1 to L6", suggest("l99"))
	assert.Contains(t, suggest("swizzled"), "A5, A7")
	assert.Empty(t, suggest("nonsense"))
	assert.Empty(t, suggest(""))
}
