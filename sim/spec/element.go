package spec

import "github.com/gcnsim/gcnsim/internal/sim/element"

// Element is the type of the elements of data.
type Element = element.Element

// The types of elements. All are little-endian.
const (
	U32 = element.U32
	I32 = element.I32
	F32 = element.F32
	F16 = element.F16
	F64 = element.F64
	U8  = element.U8
	I8  = element.I8
	U16 = element.U16
	I16 = element.I16
	U64 = element.U64
	I64 = element.I64
)

// Number is a number as text, as in "-1.5", "1e-6" or "0x10". The empty string means that no number is given.
type Number = element.Number
