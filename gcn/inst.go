package gcn

import "github.com/gcnsim/gcnsim/internal/isa"

// Inst is one encoded instruction: its Words (the first one in bits 31:0), the instruction Op, the encoding Enc,
// the processor Target, and its Size in bytes. Two Insts are equal if and only if ==. Package gcn/asm
// has an Inst as text.
type Inst isa.Inst

// Decode reads the instruction that words begin with, on processor t. It looks at one
// word or two. The error is an *[Error] of kind [NoInstruction] if nothing gives the words
// a meaning or if they end too early.
func Decode(t Target, words []uint32) (Inst, error) {
	i, err := isa.Decode(t, words)
	return Inst(i), err
}

// Encode returns the words of i: one or two of them, and how many.
func (i Inst) Encode() (words [2]uint32, n int) { return isa.Inst(i).Encode() }

// Op is an instruction without its operands. Op.String returns the mnemonic.
type Op = isa.Op

// Encoding is the format of the words of an instruction. Encoding.String returns its name in the
// manuals, as in "MUBUF".
type Encoding = isa.Encoding

// Operand codes of registers that programs share with whoever starts them.
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

// Fidelity says how sure we are that an executed instruction does what hardware does.
// Fidelity.String returns the name that the fidelity report uses.
type Fidelity = isa.Fidelity

// The levels. The zero value means that the instruction does not execute.
const (
	NotExecuted = isa.NotExecuted
	Exact       = isa.Exact       // follows a document that states it, and vectors confirm it
	Approximate = isa.Approximate // right up to a stated error
	Assumed     = isa.Assumed     // no source states it; the reason says what was assumed
)

// Error is the error type of the functions of this package.
type Error = isa.Error

// ErrorKind says what is missing: a mnemonic, an encoding, a field, and so on.
type ErrorKind = isa.ErrorKind

// The kinds of errors.
const (
	UnknownTarget   = isa.UnknownTarget   // a processor of that name
	UnknownMnemonic = isa.UnknownMnemonic // an instruction of that name on the processor
	NoForm          = isa.NoForm          // an encoding of the instruction on the processor
	NoField         = isa.NoField         // a field of the encoding, or one that the value fits
	NoInstruction   = isa.NoInstruction   // an instruction that the words are
)

// RSRC are the registers COMPUTE_PGM_RSRC1 to 3: what a wave is given at its start. RSRC.Fields
// returns what their fields mean on a processor.
type RSRC = isa.RSRC

// Resources holds the meaning of the fields of COMPUTE_PGM_RSRC.
type Resources = isa.Resources
