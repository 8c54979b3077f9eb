// Package disasm is how traces, records and reports write an instruction, and how texts of programs are read.
package disasm

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/state"
)

// Assemble translates a program in LLVM syntax that is to run by rules: by those of RDNA it may have mnemonics of
// RDNA. The error comes from [asm.Assemble].
func Assemble(t gcn.Target, src string, rules state.Rules) (*asm.Program, error) {
	if rules == state.RDNARules {
		return asm.AssembleWith(t, src, &asm.Options{RDNA: true})
	}
	return asm.Assemble(t, src, asm.LLVM)
}

// Text returns the disassembly of an instruction at pc, of a branch with where it goes.
// base is the address that PCs count from.
func Text(in *isa.Inst, pc, base uint64) string {
	text := asm.Format(gcn.Inst(*in), asm.LLVM)
	if to, ok := in.BranchTarget(pc); ok {
		text += fmt.Sprintf(" -> 0x%04x", to-base)
	}
	return text
}
