// Package block compiles vector instructions, the scalar instructions between them and branches to machine code that
// computes the same bits as the executors. It reads instructions as values of [Instr], which the executors make
// beside the function that executes; operations on lanes are lists of package vector. At an instruction that a block
// cannot contain, the code returns to the run loop, which enters it again at the next entry.
package block

import (
	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Instr describes one instruction. One of its fields is set.
type Instr struct {
	Vector *Vector
	Scalar *Scalar
	Branch *Branch
	Access *Access
	Wait   *Wait
	Stop   Stop
	Nop    bool // no effect that the wave shows
	// Report is 0 or a number below [MaxReports]; [Context.Reported] returns it once the instruction has executed.
	Report uint8
	issued *Load // the load whose counter is incremented after the run
}

// MaxReports is the maximum number of reports of a program.
const MaxReports = 64

// Reaches reports whether in accesses memory or LDS, or waits for an access.
func (in *Instr) Reaches() bool {
	return in.Access != nil || in.Wait != nil || in.Vector != nil && in.Vector.Load != nil
}

// SourceKind is the kind of a source.
type SourceKind uint8

// The kinds of sources.
const (
	Constant SourceKind = iota // the number Value
	VGPR                       // vector register Code
	SGPR                       // scalar register Code
)

// Source is an operand of an instruction.
type Source struct {
	Kind  SourceKind
	Code  uint32
	Value uint64
	// A vector source is a field: Bits bits from bit Shift on, extended with their sign if Signed is set; 0 bits stand
	// for all. After that Abs clears bit 31, and Neg inverts it.
	Shift, Bits      uint8
	Signed, Abs, Neg bool
}

// Load reads dwords of LDS. The address of a lane is the sum of a VGPR and Off in 32 bits.
type Load struct {
	Addr uint32    // VGPR of the address
	Off  uint32    // added to it
	N    int       // number of dwords
	Disp [4]uint32 // offset of each dword from the address
	Regs [4]uint32 // destination VGPRs
	End  uint32    // offset of the end of the last dword
	Low  uint32    // bits that must be 0 in addresses
	// ByM0 is set if M0 bounds the addresses, too.
	ByM0 bool
	// Most is the largest value of LGKMCNT, which the load increments.
	Most uint8
	// Apart is the load in the form of an access, in which it is traced.
	Apart *Access
}

// Access is a load or a store whose elements all lie in one range of memory, known before it executes: the address of
// a lane is its VGPR plus the Add of the [Site].
type Access struct {
	// Scalar is set if the access loads scalar registers, from Regs[0] on: N dwords of memory at the pair of scalar
	// registers Addr, without its two low bits, plus Disp[0].
	Scalar bool
	Addr   uint32 // VGPR of the address
	High   bool   // the next VGPR is the upper half of the address, equal in all lanes
	// Keys are the scalar registers that the address depends on.
	Keys  []Key
	Store bool
	// Atomic is the operation of an atomic access to one dword, which is a store, too. Regs[0] is the operand, Regs[1]
	// the second one if the operation needs it. No other goroutine accesses the memory. If Returns is set, VGPR Back
	// receives the old value.
	Atomic  isa.AtomicOp
	Returns bool
	Back    uint32
	Size    int // bytes of an element: 1, 2 or 4
	// Elements of 1 or 2 bytes are sign-extended if Signed is set.
	Signed bool
	N      int       // number of elements
	Disp   [4]uint32 // offset of each element from the address of the lane
	Regs   [4]uint32 // VGPRs that are loaded or stored
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

// maxKeys is the maximum number of keys of an access.
const maxKeys = 4

// Issue describes the increment of a counter: by By, to at most Most.
type Issue struct{ By, Most uint8 }

// AccessClass is the class under which an access is counted.
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

// Site is the memory range of an access while its keys and, if there is one, the upper half of its addresses stay the
// same. Lane l is at offset V[l]+Add, in 32 bits, and First is the first offset of the range. No offset may be above
// Last, or have a bit of Low.
type Site struct {
	First          *byte
	Add, Last, Low uint32
	High           uint32 // the upper half of addresses
	// Base is the address of First. Offsets of scalar loads count from it, and none of their dwords may begin beyond
	// Last.
	Base uint64
}

// Vector is a vector instruction whose operands have 32 bits and whose result is written unchanged, or a load from
// LDS. One of Op, Float, Compare, Carry, Wide, Select and Load is set.
type Vector struct {
	Load    *Load
	Op      *vector.Op
	Float   *Float
	Compare *Compare
	Carry   *vector.Carry
	// Wide writes its result to Dst and the next VGPR. Src has the halves of operands of 64 bits.
	Wide   *vector.Wide
	Select bool // the result is SRC1 in the lanes of MaskIn, else SRC0

	Src             [4]Source
	N               int    // number of sources
	Dst             uint32 // destination VGPR; compares have none
	Half            bool   // the instruction reads the lane mask MaskIn
	Masked          bool   // the instruction writes the lane mask MaskOut
	Gives           bool   // the instruction writes EXEC as well
	Exec            bool   // it writes EXEC as well
	MaskIn, MaskOut uint32
	Reversed        bool // Src is reversed already: SRC1 is the first operand of the operation
}

// Float is an operation on float32 that rounds to nearest even.
type Float struct {
	Op *vector.Float
	// Flush returns the bits that denormal operands and results lose in a mode.
	Flush func(m state.Mode) (in, out uint32)
	// Extreme is set if the result for a NaN operand is another one in IEEE mode.
	Extreme bool
}

// Compare is a comparison. Swap swaps its operands, and Invert inverts its result.
type Compare struct {
	Op           *vector.Comparison // nil: true in no lane
	Swap, Invert bool
}

// Branch jumps to another instruction.
type Branch struct {
	Cond Cond
	Far  int64 // bytes from the next instruction
}

// Cond is the condition under which a branch is taken.
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

// Values of Stop.
const (
	GoesOn Stop = iota
	Ends
	AtBarrier // the wave waits for the other waves
)

// Wait waits until the counters of outstanding operations are at most these.
type Wait struct{ VM, EXP, LGKM uint8 }

// Scalar is a scalar instruction on registers of 32 or, if Wide is set, 64 bits.
type Scalar struct {
	Op   ScalarOp
	Wide bool
	A, B Source
	Dst  uint32 // operand code; without a meaning if the operation sets only SCC
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

	// Comparisons set only SCC.
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

	// The old EXEC is written to Dst, and a function of A and the old EXEC to EXEC; SCC is set if that function is not
	// 0.
	SaveAnd
	SaveOr
	SaveXor
	SaveAndNot // A &^ EXEC
)

// SetsSCC reports whether op changes SCC.
func (op ScalarOp) SetsSCC() bool { return op != Move && op != Multiply && op != Select }

// readsSCC reports whether the result depends on SCC.
func (op ScalarOp) readsSCC() bool { return op == Select || op == AddCarry || op == SubBorrow }

// Compares reports whether op sets only SCC.
func (op ScalarOp) Compares() bool { return op >= Equal && op <= GreaterEqualSigned }

// Shifts reports whether B is a count of 32 bits.
func (op ScalarOp) Shifts() bool { return op >= ShiftLeft && op <= ShiftSigned }

// unary reports whether op has no B.
func (op ScalarOp) unary() bool { return op == Move || op == Not || op.saves() }

// saves reports whether op writes EXEC and saves the old one.
func (op ScalarOp) saves() bool { return op >= SaveAnd && op <= SaveAndNot }
