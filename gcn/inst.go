package gcn

import "github.com/gcnsim/gcnsim/internal/isa"

// Inst is one encoded instruction: its Words (the first word in bits 31:0), the instruction Op, the encoding Enc, the
// processor Target, and its Size in bytes. Two Insts are the same instruction if and only if they are ==. Package
// gcn/asm formats an Inst as text.
type Inst isa.Inst

// Decode decodes the instruction at the start of words for processor t. It reads one word or two. The error is an
// *[Error] of kind [NoInstruction] if the words are not an instruction of t, or end too early.
func Decode(t Target, words []uint32) (Inst, error) {
	i, err := isa.Decode(t, words)
	return Inst(i), err
}

// Encode returns the words of i and their number, 1 or 2.
func (i Inst) Encode() (words [2]uint32, n int) { return isa.Inst(i).Encode() }

// Op identifies an instruction without its operands. Op.String returns the mnemonic.
type Op = isa.Op

// Encoding is the format of the words of an instruction. Encoding.String returns its name in the manuals, for example
// "MUBUF".
type Encoding = isa.Encoding

// Operand codes of registers that a launch or a debugger sets as well as the program.
const (
	VCC  = isa.VCC // VCC_LO, then VCC_HI
	M0   = isa.M0
	EXEC = isa.EXEC // EXEC_LO, then EXEC_HI
)

// MemOp is the operation of an instruction on memory.
type MemOp = isa.MemOp

// The operations on memory.
const (
	NoMem   = isa.NoMem
	Load    = isa.Load
	Store   = isa.Store
	Atomic  = isa.Atomic
	Special = isa.Special
)

// Fidelity grades the certainty that an instruction executes as on hardware. Fidelity.String returns the name in the
// fidelity report.
type Fidelity = isa.Fidelity

// The levels of fidelity. The zero value means that the instruction does not execute.
const (
	NotExecuted = isa.NotExecuted
	Exact       = isa.Exact       // a document states the behaviour, and test vectors confirm it
	Approximate = isa.Approximate // correct up to a stated error
	Assumed     = isa.Assumed     // no source states the behaviour; the reason says what was assumed
)

// Error is the error type of the functions of this package.
type Error = isa.Error

// ErrorKind classifies an [Error] by what is missing: a mnemonic, an encoding, a field, and so on.
type ErrorKind = isa.ErrorKind

// The kinds of errors. Each names the thing that does not exist.
const (
	UnknownTarget   = isa.UnknownTarget   // no processor has that name
	UnknownMnemonic = isa.UnknownMnemonic // the processor has no instruction of that name
	NoForm          = isa.NoForm          // the instruction has no such encoding on the processor
	NoField         = isa.NoField         // the encoding has no such field, or the value does not fit the field
	NoInstruction   = isa.NoInstruction   // the words are not an instruction
)

// RSRC holds the registers COMPUTE_PGM_RSRC1 to 3, which describe the registers and LDS that a wave starts with.
// RSRC.Fields decodes them for a processor.
type RSRC = isa.RSRC

// Resources holds the decoded fields of COMPUTE_PGM_RSRC1 to 3.
type Resources = isa.Resources
