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
	require.Regexp(t, `^block at 0x16e4: 28 instructions, \d+ bytes of machine code; the run loop enters it\n`, text)
	require.Contains(t, text, "v_mul_lo_u32 v2, v10, v12\n")
	require.Regexp(t, `t\d+ = mul t\d+ t\d+\n`, text)
	for at, want := range map[string]string{
		"0x1600": "s8 = dword at place\n",
		"0x16a8": "leave if v13 of an active lane is not the upper half of the site\n      load v2, 4 bytes a lane, at place + 0\n",
	} {
		text, err = Block(src, at)
		require.NoError(t, err)
		require.Contains(t, text, want)
	}
	_, err = Block(src, "0x1725")
	require.ErrorContains(t, err, "no instruction begins")
}
