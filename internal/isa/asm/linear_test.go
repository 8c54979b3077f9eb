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

// allocated returns the heap bytes that assembling src allocates. It ignores errors.
func allocated(src string, s Syntax) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _ = Assemble(gcn.GFX900, src, s)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestManyAreLinear checks that tables of names are not searched linearly. Many names take 20 to 100 ms.
// With linear searches they took 10 s and more.
func TestManyAreLinear(t *testing.T) {
	const hang = 5 * time.Second // far from both times on any machine
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
		for try := 0; try < 3 && took >= hang; try++ { // other programs may slow the machine down
			begin := time.Now()
			_, err := Assemble(gcn.GFX900, src.String(), LLVM)
			require.NoError(t, err)
			took = time.Since(begin)
		}
		require.Less(t, took, hang, "%d times %q", n, unit)
	}
}

// TestLongLinesAreLinear checks that a line of eight times the length needs about eight times the memory.
// An assembler that copies the rest of the line at each step needs 64 times the memory.
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
