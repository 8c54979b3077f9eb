package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestQuickstart(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(&out))
	for _, line := range []string{
		"ran on gfx803: 1024 work-items in 16 waves, 432 instructions",
		"sum[999] = 999 + 998001 = 999000; all 1000 sums are right",
		"0x0000  16     16     64     global  s_load_dword s0, s[4:5], 0x18",
		"0x0058  16     1000   4000   global  flat_load_dword v4, v[4:5]",
		"0x007c  16     1000   4000   global  flat_store_dword v[0:1], v2",
	} {
		assert.Contains(t, out.String(), line+"\n")
	}
}
