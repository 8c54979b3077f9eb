package asm

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// allocated returns how many bytes assembling src takes from the heap. Errors do not matter.
func allocated(src string, s Syntax) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _ = Assemble(gcn.GFX900, src, s)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestManyAreLinear checks that what keeps names does not look at all of them for each: that
// many take 20 to 100 ms, and took 10 s and more where each looked at all.
func TestManyAreLinear(t *testing.T) {
	const hang = 5 * time.Second // far from both on any machine
	n := effort.Rounds(25_000)
	for _, unit := range []string{
		".section .a#\n.text\n", "k#:\n.amd_kernel_code_t\n.end_amd_kernel_code_t\n", "x# = 1\n", "l#: s_branch l#\n",
		".macro m#\n.endm\n", ".amdgpu_lds v#, 0\n",
		"k#: s_endpgm\n.amdhsa_kernel k#\n.amdhsa_next_free_vgpr 1\n.amdhsa_next_free_sgpr 1\n.end_amdhsa_kernel\n",
	} {
		var src strings.Builder
		for i := range n {
			src.WriteString(strings.ReplaceAll(unit, "#", strconv.Itoa(i)))
		}
		took := hang
		for try := 0; try < 3 && took >= hang; try++ { // the machine may have much else to do
			begin := time.Now()
			_, err := Assemble(gcn.GFX900, src.String(), LLVM)
			require.NoError(t, err)
			took = time.Since(begin)
		}
		require.Less(t, took, hang, "%d times %q", n, unit)
	}
}

// TestLongLinesAreLinear checks that a line eight times as long takes about eight times the
// memory: what copies the rest of a line, or what is read of it, at each step takes 64 times.
func TestLongLinesAreLinear(t *testing.T) {
	const size = 1 << 12
	for _, unit := range []string{
		";", "#", "x#", "a:", "s_nop 0;", "s_nop 0\n", "/* */", "/*", "\"", "'", "'\\", "(", "-", "1+", "x+", "x=x+1;",
		"[v0,", "v0,", "|", "s[", "@", "%", ".long 1;",
		".set x,1;", ".if 1;", "neg:", "sext(", "vmcnt(0)&", "lit(",
	} {
		for _, before := range []string{"", "s_mov_b32 s0, ", "v_add_f32 v0, v1, v2 ", "x = ", ".long "} {
			for _, s := range []Syntax{LLVM, CLRX} {
				short := allocated(before+strings.Repeat(unit, size/len(unit)), s)
				long := allocated(before+strings.Repeat(unit, 8*size/len(unit)), s)
				if long > 24*short && long > 16<<20 {
					t.Errorf("%v: %q and %q again and again: %d bytes for %d KiB, %d for %d KiB", s, before, unit, short, size>>10,
						long, 8*size>>10)
				}
			}
		}
	}
}
