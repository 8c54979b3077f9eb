// Package block compiles straight runs of vector instructions, the scalar instructions between them and branches to
// machine code that executes them as the executors do, bit for bit. It knows instructions as values of [Instr], which
// the executors make beside the function that executes; operations on lanes are lists of package vector. What a block
// lacks leaves to the run loop, which comes back at the next entry.
package block

import (
	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Instr says what one instruction does. One of its parts is set.
type Instr struct {
	Vector *Vector
	Scalar *Scalar
	Branch *Branch
	Access *Access
	Wait   *Wait
	Stop   Stop
	Nop    bool // nothing that the wave shows
	// Report is 0 or a number below [MaxReports], which [Context.Reported] tells once the instruction has executed.
	Report uint8
	issued *Load // the counter of a load: what a block does after the run that has the load
}

// MaxReports is how many reports a program has at most.
const MaxReports = 64

// Reaches reports whether in reaches memory or LDS, or waits for what does.
func (in *Instr) Reaches() bool {
	return in.Access != nil || in.Wait != nil || in.Vector != nil && in.Vector.Load != nil
}

// SourceKind says where a source is.
type SourceKind uint8

// The kinds of sources.
const (
	Constant SourceKind = iota // Value
	VGPR                       // vector register Code
	SGPR                       // scalar register Code
)

// Source is an operand of an instruction.
type Source struct {
	Kind  SourceKind
	Code  uint32
	Value uint64
	// Of vector sources, Bits bits from bit Shift on are taken, with their sign if Signed is set; 0 is all of them.
	// After that Abs clears bit 31, and Neg inverts it.
	Shift, Bits      uint8
	Signed, Abs, Neg bool
}

// Load reads dwords of LDS. Those of a lane are at a place, the sum of a VGPR and Off in 32 bits.
type Load struct {
	Addr uint32    // VGPR
	Off  uint32    // added to it
	N    int       // dwords
	Disp [4]uint32 // where the dwords are, from the place on
	Regs [4]uint32 // VGPRs that they go to
	End  uint32    // where the last one ends
	Low  uint32    // bits that places must not have
	// ByM0 is set if M0 bounds the addresses, too.
	ByM0 bool
	// Most is the largest value of LGKMCNT, which the load increments.
	Most uint8
	// Apart is the load as an access, as which it is traced.
	Apart *Access
}

// Access is a load or a store whose elements all lie in one range of memory, near a place that is known before it
// executes: a lane's is at its VGPR and what the [Site] adds.
type Access struct {
	// Scalar is set if scalar registers, from Regs[0] on, are loaded: N dwords, of memory at the pair of scalar
	// registers Addr without its two low bits, and Disp[0].
	Scalar bool
	Addr   uint32 // VGPR
	High   bool   // the next VGPR is the upper half of the address, the same in all lanes
	// Keys are the scalar registers that the place depends on.
	Keys  []Key
	Store bool
	// Atomic is the operation of an atomic access to one dword, which is a store, too: Regs[0] and, if it needs a
	// second one, Regs[1] are its operands. No other goroutine reaches the memory. If Returns is set VGPR Back gets the
	// old value.
	Atomic  isa.AtomicOp
	Returns bool
	Back    uint32
	Size    int // bytes of an element: 1, 2 or 4
	// Signed elements of 1 or 2 bytes are extended with their sign.
	Signed bool
	N      int       // elements
	Disp   [4]uint32 // where they are, from the place of the lane on
	Regs   [4]uint32 // VGPRs that they go to or come from
	Issues [3]Issue  // VMCNT, EXPCNT, LGKMCNT
	Class  AccessClass
}

// HasAtomic reports whether an access can have an atomic operation.
func HasAtomic(op isa.AtomicOp) bool {
	switch op {
	case isa.Swap, isa.CmpSt, isa.Add, isa.Sub, isa.RSub, isa.SMin, isa.UMin, isa.SMax, isa.UMax, isa.And, isa.Or, isa.Xor,
		isa.Inc, isa.Dec, isa.MskOr:
		return true
	}
	return false
}

// Key is a scalar register, or a pair of them if Wide is set.
type Key struct {
	Code uint32
	Wide bool
}

// maxKeys is how many keys an access has at most.
const maxKeys = 4

// Issue says by how much a counter grows, to at most Most.
type Issue struct{ By, Most uint8 }

// AccessClass is as what an access counts.
type AccessClass uint8

// The classes.
const (
	ClassDS AccessClass = iota
	ClassFLAT
	ClassGLOBAL
	ClassMUBUF
	ClassSMEM
	numClasses
)

// Site is where the lanes of an access lie, as long as the keys and, if there is one, the upper half are the same: at
// V[lane]+Add in 32 bits, from First on. No lane may be beyond Last, nor have bits of Low.
type Site struct {
	First          *byte
	Add, Last, Low uint32
	High           uint32 // the upper half of addresses
	// Base is the address of First. Scalar loads count from it, and no dword of them may begin beyond Last.
	Base uint64
}

// Vector is a vector instruction whose operands are in 32 bits and whose result is written as it is, or a load from
// LDS.
// One of Op, Float, Compare, Carry, Wide, Select and Load is set.
type Vector struct {
	Load    *Load
	Op      *vector.Op
	Float   *Float
	Compare *Compare
	Carry   *vector.Carry
	// Wide has its result in Dst and the next VGPR. Src has the halves of operands of 64 bits.
	Wide   *vector.Wide
	Select bool // SRC1 in the lanes of MaskIn, else SRC0

	Src             [4]Source
	N               int    // sources
	Dst             uint32 // VGPR, but of compares
	Half            bool   // of the result of Op, bits 31:16 become 0
	Masked          bool   // it reads a lane mask: MaskIn
	Gives           bool   // it writes a lane mask: MaskOut
	Exec            bool   // it writes EXEC as well
	MaskIn, MaskOut uint32
	Reversed        bool // Src is in reverse order already: the operation takes SRC1 first
}

// Float is an operation on float32 that rounds to nearest even.
type Float struct {
	Op *vector.Float
	// Flush returns the bits that denormal operands and results lose in a mode.
	Flush func(m state.Mode) (in, out uint32)
	// Extreme is set if a NaN among the operands gives something else in IEEE mode.
	Extreme bool
}

// Compare is a comparison of operands that are swapped if Swap is set; its result is inverted if Invert is set.
type Compare struct {
	Op           *vector.Comparison // nil: no lane
	Swap, Invert bool
}

// Branch goes to another instruction.
type Branch struct {
	Cond Cond
	Far  int64 // bytes from the next instruction
}

// Cond says when a branch is taken.
type Cond uint8

// The conditions.
const (
	Always Cond = iota
	SCC0
	SCC1
	VCCZero
	VCCNotZero
	ExecZero
	ExecNotZero
)

// Stop says whether a wave continues after an instruction.
type Stop uint8

// Whether it does.
const (
	GoesOn Stop = iota
	Ends
	AtBarrier // it waits for the other waves
)

// Wait lowers the counters of outstanding operations to at most these.
type Wait struct{ VM, EXP, LGKM uint8 }

// Scalar is a scalar instruction on registers of 32 or, if Wide is set, 64 bits.
type Scalar struct {
	Op   ScalarOp
	Wide bool
	A, B Source
	Dst  uint32 // operand code; without a meaning if the operation gives only SCC
}

// ScalarOp is the operation of a scalar instruction on A and B, its left and its right operand.
type ScalarOp uint8

// The operations. Those up to Xnor set SCC if the result is not 0.
const (
	NoScalar ScalarOp = iota
	And
	Or
	Xor
	AndNot
	OrNot
	Nand
	Nor
	Xnor
	Not
	ShiftLeft
	ShiftRight
	ShiftSigned

	Move
	Multiply
	Select // A if SCC is set, else B

	AddUnsigned // SCC is the carry
	SubUnsigned
	AddCarry // A + B + SCC
	SubBorrow
	AddSigned // SCC is the overflow
	SubSigned

	// Comparisons give only SCC.
	Equal
	NotEqual
	LessUnsigned
	LessEqualUnsigned
	GreaterUnsigned
	GreaterEqualUnsigned
	LessSigned
	LessEqualSigned
	GreaterSigned
	GreaterEqualSigned

	// The old EXEC goes to Dst, a function of A and the old EXEC to EXEC; SCC is set if that is not 0.
	SaveAnd
	SaveOr
	SaveXor
	SaveAndNot // A &^ EXEC
)

// SetsSCC reports whether op changes SCC.
func (op ScalarOp) SetsSCC() bool { return op != Move && op != Multiply && op != Select }

// readsSCC reports whether the result depends on SCC.
func (op ScalarOp) readsSCC() bool { return op == Select || op == AddCarry || op == SubBorrow }

// Compares reports whether op gives only SCC.
func (op ScalarOp) Compares() bool { return op >= Equal && op <= GreaterEqualSigned }

// Shifts reports whether B is a count of 32 bits.
func (op ScalarOp) Shifts() bool { return op >= ShiftLeft && op <= ShiftSigned }

// unary reports whether op has no B.
func (op ScalarOp) unary() bool { return op == Move || op == Not || op.saves() }

// saves reports whether op writes EXEC and saves the old one.
func (op ScalarOp) saves() bool { return op >= SaveAnd && op <= SaveAndNot }
