// Package disasm returns the text of an instruction for traces, records and reports, and assembles programs.
package disasm

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/state"
)

// Assemble assembles a program in LLVM syntax that will execute under rules. Under the rules of RDNA it may use RDNA
// mnemonics. The error comes from [asm.Assemble].
func Assemble(t gcn.Target, src string, rules state.Rules) (*asm.Program, error) {
	if rules == state.RDNARules {
		return asm.AssembleWith(t, src, &asm.Options{RDNA: true})
	}
	return asm.Assemble(t, src, asm.LLVM)
}

// Text returns the disassembly of an instruction at pc. The target of a branch is relative to base.
func Text(in *isa.Inst, pc, base uint64) string {
	text := asm.Format(gcn.Inst(*in), asm.LLVM)
	if to, ok := in.BranchTarget(pc); ok {
		text += fmt.Sprintf(" -> 0x%04x", to-base)
	}
	return text
}
