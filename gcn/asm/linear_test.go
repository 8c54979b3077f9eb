package asm

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
)

// allocated returns how many bytes assembling src takes from the heap. Errors do not matter.
func allocated(src string, s Syntax) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _ = Assemble(gcn.GFX900, src, s)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestManyAreLinear checks that what keeps names does not look at all of them for each: eight
// times as many take about eight times as long.
func TestManyAreLinear(t *testing.T) {
	took := func(unit string, n int) time.Duration {
		var src strings.Builder
		for i := range n {
			src.WriteString(strings.ReplaceAll(unit, "#", strconv.Itoa(i)))
		}
		begin := time.Now()
		_, err := Assemble(gcn.GFX900, src.String(), LLVM)
		require.NoError(t, err)
		return time.Since(begin)
	}
	for _, unit := range []string{
		".section .a#\n.text\n", "k#:\n.amd_kernel_code_t\n.end_amd_kernel_code_t\n", "x# = 1\n", "l#: s_branch l#\n", ".macro m#\n.endm\n", ".amdgpu_lds v#, 0\n",
		"k#: s_endpgm\n.amdhsa_kernel k#\n.amdhsa_next_free_vgpr 1\n.amdhsa_next_free_sgpr 1\n.end_amdhsa_kernel\n",
	} {
		const n = 400
		short := max(took(unit, n), took(unit, n), 500*time.Microsecond)
		require.Condition(t, func() bool { // 1024 times as long if each looks at all
			return took(unit, 32*n) < 160*short || took(unit, 32*n) < 160*short || took(unit, 32*n) < 160*short
		}, "%q: %v for %d, more than 160 times that for %d", unit, short, n, 32*n)
	}
}

// TestLongLinesAreLinear checks that a line eight times as long takes about eight times the
// memory: what copies the rest of a line, or what is read of it, at each step takes 64 times.
func TestLongLinesAreLinear(t *testing.T) {
	const size = 1 << 12
	for _, unit := range []string{
		";", "#", "x#", "a:", "s_nop 0;", "s_nop 0\n", "/* */", "/*", "\"", "'", "'\\", "(", "-", "1+", "x+", "x=x+1;", "[v0,", "v0,", "|", "s[", "@", "%", ".long 1;",
		".set x,1;", ".if 1;", "neg:", "sext(", "vmcnt(0)&", "lit(",
	} {
		for _, before := range []string{"", "s_mov_b32 s0, ", "v_add_f32 v0, v1, v2 ", "x = ", ".long "} {
			for _, s := range []Syntax{LLVM, CLRX} {
				short := allocated(before+strings.Repeat(unit, size/len(unit)), s)
				long := allocated(before+strings.Repeat(unit, 8*size/len(unit)), s)
				if long > 24*short && long > 16<<20 {
					t.Errorf("%v: %q and %q again and again: %d bytes for %d KiB, %d for %d KiB", s, before, unit, short, size>>10, long, 8*size>>10)
				}
			}
		}
	}
}
