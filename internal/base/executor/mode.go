package executor

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// GPRIndexing reports whether GPR indexing is enabled. Generations without it ignore the bit of MODE.
func GPRIndexing(w *state.Wave) bool {
	return w.Mode&state.ModeGPRIdxEn != 0 && isa.TraitsOf(w.Target).GPRIndexing
}

// Relative returns register n + M0, the first of count registers in a file of size registers. If one of them does not
// exist, it returns register 0, which replaces a source, and ok is false (rule ST23).
func Relative(w *state.Wave, n, count uint32, size int) (at uint32, ok bool) {
	return within(uint64(n)+uint64(w.S[gcn.M0]), count, size)
}

// Indexed returns the VGPR that GPR indexing selects for VGPR n, the first of count registers: n + M0[7:0] if bit
// operand of M0[15:12] is set (rule ST9). A VGPR that the wave does not have is treated as in [Relative].
func Indexed(w *state.Wave, n, operand, count uint32) (at uint32, ok bool) {
	m0 := w.S[gcn.M0]
	if m0>>(12+operand)&1 == 0 {
		return n, true
	}
	return within(uint64(n+m0&0xff), count, w.NumVGPRs)
}

func within(at uint64, count uint32, size int) (uint32, bool) {
	if at+uint64(count) > uint64(size) { //nolint:gosec // a count of registers
		return 0, false
	}
	return uint32(at), true
}

// RelativeSGPRs returns the number of SGPRs that S_MOVREL can access in w: those allocated to the wave; in a trap
// handler all of them, else those with an operand code (rules ST21 and ST23).
func RelativeSGPRs(w *state.Wave) int {
	t := isa.TraitsOf(w.Target)
	n := t.SGPRs
	if w.Privileged() {
		n = (n + t.SGPRGranule - 1) / t.SGPRGranule * t.SGPRGranule
	}
	if w.NumSGPRs != 0 {
		n = min(n, w.NumSGPRs)
	}
	return n
}
