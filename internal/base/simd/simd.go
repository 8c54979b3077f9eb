// Package simd has loops over the 64 lanes of a wave: operations on registers, addresses, and moves of dwords between
// registers and memory.
//
// Each operation has a Go version, which defines the result. On hosts with AVX2 there is vector code with
// bit-identical results, in some cases for sixteen lanes with AVX-512; the build tag purego excludes it. [Int],
// [Float], [Convert], [Compare] and similar functions return operations by name, selected once at start-up.
//
// To add an operation, write its Go version, add the vector instructions to the table in gen under the same name, and
// run "go generate ./internal/base/simd". The tests compare every name in the tables with its Go version.
package simd

//go:generate go -C gen run .

// NumLanes is the number of lanes.
const NumLanes = 64

const allLanes = ^uint64(0)

type (
	// Lanes is a register: 32 bits of each lane.
	Lanes = [NumLanes]uint32
	// Op computes d from the operands that the operation has, in all 64 lanes; the others may be nil. d may be one of
	// the operands.
	Op = func(d, a, b, c *Lanes)
	// FloatOp is an [Op] on float32 that rounds to nearest even. in and out are the bits that denormal operands and
	// denormal results lose: [Flush], or 0.
	FloatOp = func(d, a, b, c *Lanes, in, out uint32)
	// CompareOp returns the lanes in which a comparison is true. Denormal float operands lose the bits of in; integers
	// ignore it.
	CompareOp = func(a, b *Lanes, in uint32) uint64
	// CarryOp computes d from a, b and a carry, or borrow, into each lane, and returns the carries out of the lanes. d
	// may be one of the operands.
	CarryOp = func(d, a, b *Lanes, in uint64) (out uint64)
	// WideOp computes 64 bits, dhi:dlo, from hi:lo and n. Each result register may be one of the operands.
	WideOp = func(dlo, dhi, lo, hi, n *Lanes)
)

// Flush has the bits that a denormal loses to become zero with its sign.
const Flush = 1<<31 - 1

// Int returns the operation on integers with that name.
func Int(name string) Op { return pick(ints, intAVX2, nil, name) }

// Float returns the operation on float32 with that name.
func Float(name string) FloatOp { return pick(floats, floatAVX2, floatAVX512, name) }

// Half returns the operation on float16 with that name. Its arguments in and out are [FlushHalf] or 0.
func Half(name string) FloatOp { return pick(halves, halfAVX2, nil, name) }

// Convert returns the conversion between integers and float32 with that name.
func Convert(name string) Op { return pick(conversions, convertAVX2, nil, name) }

// Compare returns the comparison with that name.
func Compare(name string) CompareOp { return pick(comparisons, compareAVX2, compareAVX512, name) }

// Carry returns the operation with carries with that name.
func Carry(name string) CarryOp { return pick(carries, carryAVX2, carryAVX512, name) }

// Wide returns the shift of 64 bits with that name.
func Wide(name string) WideOp { return pick(wides, wideAVX2, nil, name) }

// pick returns the vector code of an operation that this host supports, for sixteen lanes before that for eight, else
// the Go version. It panics if there is no such operation.
func pick[T any](plain, eight, sixteen map[string]T, name string) T {
	op, ok := plain[name]
	if !ok {
		panic("simd: there is no operation " + name)
	}
	if v, ok := sixteen[name]; ok && avx512 {
		return v
	}
	if v, ok := eight[name]; ok && avx2 {
		return v
	}
	return op
}
