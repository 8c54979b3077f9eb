// Package asm turns text into instructions and back, in the syntax of LLVM's llvm-mc
// or of CLRX's clrxasm.
//
// One description, the parts of a form (shape.go), says which operands and modifiers
// an instruction has and in which order. Printer and parser both walk it, so they agree.
//
// # Text comes back
//
// What [Append] and [Format] print assembles to the same words, all bits of them, here and
// with llvm-mc 22 or clrxasm 0.1.9. It is what llvm-mc and clrxdisasm print, save where
// that loses bits. In LLVM syntax another spelling keeps them in
//
//   - S_WAITCNT with bits that belong to no counter: s_waitcnt 0x80e5;
//   - DS_SWIZZLE_B32 with one of several masks that do the same, or with bits that its mode
//     does not use: offset:33;
//   - floating-point constants of 16-bit integers: 4.0, where llvm-mc prints the bits and
//     reads them as a literal.
//
// All else is data with the text of the instruction as a comment: reserved bits; fields the
// instruction does not use, though this package reads how clrxdisasm shows them
// (vdata1=0x7); operand codes without a meaning; register tuples that are misaligned or end
// beyond the last register; operands the instruction must not have, as a second scalar
// register; and what the other assembler does not know: for LLVM instructions of CLRX alone,
// DPP of compares, SDWA of multiply-add, TFE of typed and stored buffers, CLAMP without a
// meaning and XNACK_MASK of processors without XNACK; for CLRX DPP controls without a name and immediates of
// instructions that have none.
package asm

import (
	"fmt"
	"iter"

	"github.com/gcnsim/gcnsim/gcn"
)

// Syntax is an assembly dialect.
type Syntax uint8

// The dialects.
const (
	LLVM Syntax = iota // what llvm-mc of LLVM 22 takes and prints
	CLRX               // what clrxasm takes and clrxdisasm prints
)

var syntaxNames = [...]string{LLVM: "llvm", CLRX: "clrx"}

// String returns "llvm" or "clrx".
func (s Syntax) String() string {
	if int(s) < len(syntaxNames) {
		return syntaxNames[s]
	}
	return fmt.Sprintf("asm.Syntax(%d)", uint8(s))
}

// ParseSyntax returns the dialect called name.
func ParseSyntax(name string) (Syntax, error) {
	for s, n := range syntaxNames {
		if n == name {
			return Syntax(s), nil
		}
	}
	return 0, fmt.Errorf("unknown syntax %q; known are llvm and clrx", name)
}

// Error says what is wrong with a text, and where.
type Error struct {
	Line, Col int    // from 1; Col counts bytes
	What      string // what was wrong, what was expected
	Err       error  // the cause, if it has a type of its own, as *gcn.UnknownMnemonicError
}

// Error shows line, column and reason.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.What) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Decoded is one step of [Disassemble].
type Decoded struct {
	Offset int      // bytes from the first word
	Inst   gcn.Inst // zero if Err is not nil
	Err    error    // *gcn.DecodeError: the word is no instruction; one word was skipped
}

// Disassemble decodes words one after the other. A word that is no instruction is
// yielded with its error, and the next word is tried.
func Disassemble(t gcn.Target, words []uint32) iter.Seq[Decoded] {
	return func(yield func(Decoded) bool) {
		for at := 0; at < len(words); {
			in, err := t.Decode(words[at:])
			d, size := Decoded{Offset: 4 * at, Inst: in, Err: err}, 1
			if err == nil {
				size = int(in.Size) / 4
			}
			if !yield(d) {
				return
			}
			at += size
		}
	}
}
