// Package asm turns text into instructions and back, in the syntax of LLVM's llvm-mc
// or of CLRX's clrxasm.
//
// # The table
//
// The text of an instruction is its mnemonic and a list of parts: operands and modifiers. The
// table writings (part.go) has a row for each kind of part (a source, hwreg(), dmask:, ...) and
// two columns: LLVM and CLRX. A cell is a pair of functions: one prints the part, one parses it.
// The parts of an instruction are a list, too. operand_list.go has LLVM's operands and the changes
// for CLRX, modifier_list.go has the modifiers in two columns. Printer and parser walk the same list,
// so that they agree. A new form in a syntax is a new cell, without changes to printer and parser.
//
// # Printed text assembles to the same words
//
// The text of [Append] and [Format] assembles to the same words, bit for bit, here and with
// llvm-mc 22 or clrxasm 0.1.9. llvm-mc and clrxdisasm print the same text, except where their
// text loses bits. In LLVM syntax, another spelling preserves the bits of
//
//   - S_WAITCNT with bits that belong to no counter: s_waitcnt 0x80e5;
//   - DS_SWIZZLE_B32 with one of several equivalent masks, or with bits that its mode does
//     not use: offset:33;
//   - floating-point constants of 16-bit integers: 4.0. llvm-mc prints their bits and reads
//     these as a literal.
//
// Other words become data with the text of the instruction as a comment: reserved bits; fields
// that the instruction does not use, although this package parses the form of clrxdisasm
// (vdata1=0x7); operand codes without a meaning; register tuples that are misaligned or end
// beyond the last register; forbidden operands, such as a second scalar
// register; and forms that the other assembler does not have: for LLVM, instructions of CLRX alone,
// DPP of compares, SDWA of multiply-add, TFE of typed and stored buffers, CLAMP without a
// meaning and XNACK_MASK of processors without XNACK; for CLRX, DPP controls without a name and
// immediates of instructions that have none.
//
// # Accepted text
//
// [Assemble] accepts programs of compilers (clang -S for amdhsa) and programs that people
// write for llvm-mc or clrxasm. LLVM syntax accepts and refuses the same text as llvm-mc 22. It also
// accepts instructions and encodings that only CLRX knows (V_MAC_LEGACY_F32 of GCN
// 1.2, DPP of compares, M0 as the destination of V_READLANE_B32) and TFE of typed buffers.
// It refuses some text that llvm-mc accepts: instructions that a generation does not have, conditions
// as destinations (s_mov_b32 vccz, 0), and numbers that would be truncated or rounded. CLRX syntax
// accepts the text of clrxasm 0.1.9, except for numbers that clrxasm truncates with a warning.
//
//   - Expressions: integers of 64 bits in any base, characters, floats where an operand is one;
//     names, labels, numbered labels (1b, 1f) and the current place (.), which may be defined
//     later if llvm-mc or clrxasm allow that; the operators of each syntax, with its
//     levels; in LLVM syntax the relocations @rel32@lo, @rel32@hi, @gotpcrel32@lo, @gotpcrel32@hi,
//     @abs32@lo and @abs32@hi, and max, or, alignto, totalnumvgprs and extrasgprs; in CLRX syntax
//     names of registers (x = %s[4:7], then x[1]), forced expressions (@x) and the suffixes of
//     floats h, s and l.
//   - Symbols: name = value, .set, .equ, .equiv; .globl and similar directives are checked. Directives
//     for linkers and debuggers, such as .type, .size and .loc, are ignored.
//   - Data: .byte, .short, .long, .quad, .octa, .float, .double, .ascii, .asciz, .uleb128, .sleb128
//     and their other names; .fill, .space, .org, .p2align, .balign and theirs.
//   - Sections: .text, .data, .bss, .rodata, .section with flags, .pushsection, .popsection,
//     .previous. Sections that are not loaded, such as debug information, are ignored.
//   - Macros and conditions: .macro, .rept, .irp, .irpc, .exitm, .purgem, .altmacro, .noaltmacro, .if and similar ones,
//     .else, .elseif, .error, .end, .include.
//   - Kernels: .amdhsa_kernel, .amd_kernel_code_t, .amdgpu_hsa_kernel, .amdgpu_lds, metadata, and
//     .amdgcn_target and its older forms, whose generation must match the target.
//
// In CLRX syntax .amdcl2, .amd, .gallium and .rocm begin a file, .kernel begins a kernel, and .config begins its
// description for a driver, which is ignored. The code is the same as that of clrxasm. If a text of .gallium or .rocm
// reserves 256 bytes for a descriptor, these bytes stay 0. A literal with an address of global data in .amdcl2 is
// 0x55555555, and one with an address of .scratchsym in .gallium is 4, as in clrxasm. A difference of two sections is
// computed for the layout here, not for the layout of the file that clrxasm would write.
//
// [Options].RDNA also accepts the mnemonics of RDNA, such as buffer_load_u8, s_load_b32 and ds_load_b32, for the
// instruction of the target that does the same, with the operands and modifiers of that instruction. If RDNA has
// another order or unit, the text has RDNA's: data of ds_cmpstore_b32, bytes as the offset of s_load_b32 on GCN 1.0
// and 1.1. buffer_load_lds_b32 and similar names mean the modifier lds, and format:[BUF_FMT_8_UNORM] names both
// formats. If there is no equivalent instruction, the error names the nearest one (v_add_nc_u32 before GCN 1.4).
// Mnemonics of GCN mean what they mean in LLVM syntax.
//
// Any other directive is an error. .incbin is an error, too, because it would read a file. .include is an error unless
// [Options].Open reads its file.
//
// # The assembled program
//
// A [Program] is the code followed by the data. The layout is that of a linker for a loader
// that loads all of it at one address: [Program.Words] and [Program.Sections], whose offsets
// count from the first word. [Program.Relocs] are the quad words of data that hold addresses,
// [Program.Kernels] the contents of descriptors of kernels, [Program.LDS] the variables in LDS and
// [Program.Metadata] the YAML of compilers. A program and the text that macros make may have
// 16 MiB each.
//
// # Order of reading
//
// The parts and the table: part.go. The parts of an instruction: form.go, operand_list.go,
// modifier_list.go. Printer and parser: print.go, parse.go, and check.go for rules about
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
	LLVM        Syntax = iota // the syntax of llvm-mc of LLVM 22
	CLRX                      // the syntax of clrxasm and clrxdisasm
	numSyntaxes = iota
)

var syntaxNames = [numSyntaxes]string{LLVM: "llvm", CLRX: "clrx"}

var _ = enum.Full[Syntax](syntaxNames[:])

// String returns "llvm" or "clrx".
func (s Syntax) String() string {
	return enum.Name(syntaxNames[:], s)
}

// Error is an error at a position of a text.
type Error struct {
	Line, Col int    // both begin at 1; Col counts bytes
	What      string // what is wrong and what was expected
	Err       error  // the cause if it has its own type, such as *gcn.Error
}

// Error returns the line, the column and the reason.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.What) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Decoded is an element that [Disassemble] yields.
type Decoded struct {
	Offset int      // byte offset from the first word
	Inst   gcn.Inst // zero if Err is not nil
	Err    error    // *gcn.Error if the word is not an instruction; the word is skipped
}

// Disassemble decodes words in order. If a word is not an instruction, it yields the error
// and continues with the next word.
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
