package listing

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/base/block"
)

// TestBlock asks what becomes of the inner loop of a product of matrices.
func TestBlock(t *testing.T) {
	if why := block.Available(); why != "" {
		t.Skip(why)
	}
	src, err := os.ReadFile("../../../testdata/kernels/matmul.fiji.co")
	require.NoError(t, err)
	text, err := Block(src, "0x1724")
	require.NoError(t, err)
	require.Regexp(t, `^block at 0x16e4: 27 instructions, \d+ bytes of machine code; the run loop enters it\n`, text)
	require.Contains(t, text, "v_mul_lo_u32 v2, v10, v12\n")
	require.Regexp(t, `t\d+ = mul t\d+ t\d+\n`, text)
	_, err = Block(src, "0x1725")
	require.ErrorContains(t, err, "no instruction begins")
}
