package isa

import "github.com/gcnsim/gcnsim/internal/tool/enum"

// AtomicOp is the operation of an atomic instruction. Source: rule DP9.
type AtomicOp uint8

// The atomic operations.
const (
	NoAtomic AtomicOp = iota
	Swap
	CmpSwap // MUBUF, FLAT, SMEM: the source precedes the compare value
	CmpSt   // DS: the compare value precedes the source
	Add
	Sub
	RSub
	SMin
	UMin
	SMax
	UMax
	And
	Or
	Xor
	Inc
	Dec
	FCmpSwap
	FCmpSt
	FMin
	FMax
	FAdd
	MskOr
	Wrap
	CondXchg
	NumAtomicOps = iota
)

// atomicFacts describes an atomic operation, except for its function, which is in package internal/base/executor.
// [Mem] has the same names for the facts of a row's operation.
type atomicFacts struct {
	name                       string // description in words
	second, compares, commutes bool
	note                       *Note // why it is not exact; nil if it is exact
}

var atomics = [NumAtomicOps]atomicFacts{
	NoAtomic: {name: "none"},
	Swap:     {name: "swap"},
	CmpSwap:  {name: "compare and swap", second: true, compares: true},
	CmpSt:    {name: "compare and store", second: true, compares: true},
	Add:      {name: "add", commutes: true},
	Sub:      {name: "sub", commutes: true},
	RSub:     {name: "reverse sub"},
	SMin:     {name: "signed min", commutes: true},
	UMin:     {name: "unsigned min", commutes: true},
	SMax:     {name: "signed max", commutes: true},
	UMax:     {name: "unsigned max", commutes: true},
	And:      {name: "and", commutes: true},
	Or:       {name: "or", commutes: true},
	Xor:      {name: "xor", commutes: true},
	Inc:      {name: "wrapping increment"},
	Dec:      {name: "wrapping decrement"},
	FCmpSwap: {name: "float compare and swap", second: true, compares: true, note: floatOrder},
	FCmpSt:   {name: "float compare and store", second: true, compares: true, note: floatOrder},
	FMin:     {name: "float min", note: floatOrder},
	FMax:     {name: "float max", note: floatOrder},
	FAdd:     {name: "float add", note: floatSum},
	MskOr:    {name: "masked or", second: true},
	Wrap:     {name: "wrap", second: true},
	CondXchg: {name: "conditional exchange"},
}

var _ = enum.Full[AtomicOp](atomics[:])

// String returns the operation in words, for example "signed min".
func (a AtomicOp) String() string {
	if a < NumAtomicOps {
		return atomics[a].name
	}
	return enum.Number(a)
}
