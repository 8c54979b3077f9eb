// Package disasm is how traces, records and reports write an instruction.
package disasm

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
)

// Text returns the disassembly of an instruction at pc, of a branch with where it goes.
// base is what PCs count from.
func Text(in *gcn.Inst, pc, base uint64) string {
	text := asm.Format(*in, asm.LLVM)
	if to, ok := in.BranchTarget(pc); ok {
		text += fmt.Sprintf(" -> 0x%04x", to-base)
	}
	return text
}
