package asm

import (
	"runtime"
	"strings"
	"testing"

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
