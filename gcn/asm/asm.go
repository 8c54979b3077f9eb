// Package asm turns text into instructions and back, in the syntax of LLVM's llvm-mc or of CLRX's clrxasm. What it
// prints assembles to the same words. The documentation of internal/isa/asm says what it takes beyond instructions:
// labels, expressions, macros and directives.
package asm

import (
	"iter"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
)

// Syntax is an assembly dialect.
type Syntax = asm.Syntax

// The dialects.
const (
	LLVM = asm.LLVM // what llvm-mc of LLVM 22 takes and prints
	CLRX = asm.CLRX // what clrxasm takes and clrxdisasm prints
)

// Error says what is wrong with a text, and where.
type Error = asm.Error

// Program is an assembled text.
type Program struct {
	Words  []uint32       // the code
	Labels map[string]int // byte offset of each label of the code from the first word
}

// Assemble translates a whole program. The error is an *[Error].
func Assemble(t gcn.Target, text string, s Syntax) (*Program, error) {
	p, err := asm.Assemble(t, text, s)
	if err != nil {
		return nil, err
	}
	return &Program{Words: p.Words, Labels: p.Labels}, nil
}

// Decoded is one step of [Disassemble].
type Decoded = asm.Decoded

// Disassemble decodes words one after the other. A word that is not an instruction is yielded with its error, and the
// next word is tried.
func Disassemble(t gcn.Target, words []uint32) iter.Seq[Decoded] { return asm.Disassemble(t, words) }

// Format returns the text of in, a line that assembles to the words of in again. Words that no text of the instruction
// stands for become data, and the text of the instruction a comment.
func Format(in gcn.Inst, s Syntax) string { return asm.Format(in, s) }
