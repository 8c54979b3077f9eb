// Package asm turns text into instructions and back, in the syntax of LLVM's llvm-mc
// or of CLRX's clrxasm.
//
// # The table
//
// The text of an instruction is its mnemonic and a list of parts: operands and modifiers. The
// table writings (part.go) has a row for each kind of part, as a source, hwreg() or dmask:, and
// two columns: LLVM and CLRX. A cell is a pair of functions: one prints the part, one parses it.
// Which parts an instruction has is a list too: operand_list.go has LLVM's operands and what CLRX
// changes in them, modifier_list.go the modifiers in two columns. Printer and parser walk the same
// list, so they agree; what is new in a syntax is a cell, and neither of them changes.
//
// # Text comes back
//
// What [Append] and [Format] print assembles to the same words, all bits of them, here and
// with llvm-mc 22 or clrxasm 0.1.9. llvm-mc and clrxdisasm print the same text, except where
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
//
// # What is taken
//
// [Assemble] takes programs as compilers write them (clang -S for amdhsa), and what people
// write for llvm-mc or clrxasm. LLVM syntax accepts what llvm-mc 22 accepts; what it refuses
// is refused, save instructions and encodings that only CLRX knows (V_MAC_LEGACY_F32 of GCN
// 1.2, DPP of compares, M0 as the destination of V_READLANE_B32) and TFE of typed buffers.
// Refused although llvm-mc takes it: instructions that a generation does not have, conditions
// as destinations (s_mov_b32 vccz, 0), numbers that it would cut off or round. CLRX syntax
// accepts what clrxasm 0.1.9 accepts, again without the numbers that it cuts off with a warning.
//
//   - Expressions: integers of 64 bits in any base, characters, floats where an operand is one;
//     names, labels, numbered labels (1b, 1f) and the place itself (.), which may be defined
//     later wherever llvm-mc or clrxasm know them then; the operators of each syntax, with its
//     levels; in LLVM syntax the relocations @rel32@lo, @rel32@hi, @gotpcrel32@lo, @gotpcrel32@hi,
//     @abs32@lo and @abs32@hi, and max, or, alignto, totalnumvgprs and extrasgprs; in CLRX syntax
//     names of registers (x = %s[4:7], then x[1]), forced expressions (@x) and the suffixes of
//     floats h, s and l.
//   - Symbols: name = value, .set, .equ, .equiv; .globl and its kin are checked. What is said to
//     linkers and debuggers, as .type, .size and .loc, is read past.
//   - Data: .byte, .short, .long, .quad, .octa, .float, .double, .ascii, .asciz, .uleb128, .sleb128
//     and their other names; .fill, .space, .org, .p2align, .balign and theirs.
//   - Sections: .text, .data, .bss, .rodata, .section with flags, .pushsection, .popsection,
//     .previous. What is not loaded, as debug information, is read past.
//   - Macros and conditions: .macro, .rept, .irp, .irpc, .exitm, .purgem, .altmacro, .noaltmacro, .if and its kin,
//     .else, .elseif, .error, .end, .include.
//   - Kernels: .amdhsa_kernel, .amd_kernel_code_t, .amdgpu_hsa_kernel, .amdgpu_lds, metadata, and
//     .amdgcn_target and its older forms, whose generation must match the target.
//
// In CLRX syntax .amdcl2, .amd, .gallium and .rocm begin a file, .kernel a kernel, and .config what describes it to a
// driver, which is read past: the code is that of clrxasm, without the descriptor of 256 bytes for which a text of
// .gallium or .rocm leaves room, which stays 0. A literal with an address of global data in .amdcl2 is 0x55555555, and
// one with an address of .scratchsym in .gallium is 4, as in clrxasm. A difference of two sections is the one between
// the sections here, not between those of the file that clrxasm would write.
//
// [Options].RDNA also takes the mnemonics of RDNA, such as buffer_load_u8, s_load_b32 and ds_load_b32, for the
// instruction of the target that does the same, with the operands and modifiers of that instruction. Where
// RDNA has another order or unit it is RDNA's: data of ds_cmpstore_b32, bytes as the offset of s_load_b32 on GCN 1.0
// and 1.1. buffer_load_lds_b32 and its kin stand for the modifier lds, and format:[BUF_FMT_8_UNORM] names both
// formats. An instruction without an equal is an error that names the nearest one, as v_add_nc_u32 before GCN 1.4.
// Mnemonics of GCN mean what they mean in LLVM syntax.
//
// Any other directive is an error, and so is .incbin, which would read a file. .include is an error unless
// [Options].Open reads what it names.
//
// # What comes out
//
// A [Program] is the code, and behind it the data, laid out as a linker would for a loader
// that puts all of it at one address: [Program.Words] and [Program.Sections], whose offsets
// count from the first word. [Program.Relocs] are the quad words of data that hold addresses,
// [Program.Kernels] what descriptors say of kernels, [Program.LDS] the variables in LDS and
// [Program.Metadata] the YAML of compilers. A program and the text that macros make may have
// 16 MiB each.
//
// # Where to begin to read
//
// What a part is, and the table: part.go. The parts of an instruction: form.go, operand_list.go,
// modifier_list.go. The two that walk them: print.go, parse.go, and check.go for what depends on
// several parts. Mnemonics of RDNA: rename.go. Then each part with its text in both syntaxes: source.go,
// register.go, constant.go, immediate.go, waitcnt.go, hwreg.go, sendmsg.go, memory.go, format.go (of MTBUF),
// lanes.go (DPP, SDWA, swizzle), export.go (with interpolation), modifier.go. Below them characters and numbers:
// lex.go, expr.go, eval.go. Above them programs: program.go, statement.go, directive.go, data.go, symbol.go,
// section.go, condition.go, macro.go, kernel.go, kernel_code.go, clrx.go, fixup.go. The functions that OpenCL C has
// built in: builtins.go.
package asm

import (
	"fmt"
	"iter"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// Syntax is an assembly dialect.
type Syntax uint8

// The dialects.
const (
	LLVM        Syntax = iota // what llvm-mc of LLVM 22 takes and prints
	CLRX                      // what clrxasm takes and clrxdisasm prints
	numSyntaxes = iota
)

var syntaxNames = [numSyntaxes]string{LLVM: "llvm", CLRX: "clrx"}

var _ = enum.Full[Syntax](syntaxNames[:])

// String returns "llvm" or "clrx".
func (s Syntax) String() string {
	return enum.Name(syntaxNames[:], s)
}

// Error says what is wrong with a text, and where.
type Error struct {
	Line, Col int    // from 1; Col counts bytes
	What      string // what was wrong, what was expected
	Err       error  // the cause, if it has a type of its own, as *gcn.Error
}

// Error shows line, column and reason.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.What) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Decoded is one step of [Disassemble].
type Decoded struct {
	Offset int      // bytes from the first word
	Inst   gcn.Inst // zero if Err is not nil
	Err    error    // *gcn.Error: the word is not an instruction; one word was skipped
}

// Disassemble decodes words one after the other. A word that is not an instruction is
// yielded with its error, and the next word is tried.
func Disassemble(t gcn.Target, words []uint32) iter.Seq[Decoded] {
	return func(yield func(Decoded) bool) {
		for at := 0; at < len(words); {
			in, err := isa.Decode(t, words[at:])
			d, size := Decoded{Offset: 4 * at, Inst: gcn.Inst(in), Err: err}, 1
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
