// Package simd holds loops over the 64 lanes of a wave: operations on registers, addresses,
// and what moves dwords between registers and memory.
//
// Each has a text in Go, which says what it does, and on machines with AVX2 vector code that
// gives the same bits, some of it of sixteen lanes where there is AVX-512; the build tag purego
// leaves that out. [Int], [Float], [Convert], [Compare] and their like return operations by name,
// chosen once at start-up.
//
// To add one: write its text in Go, put what the machine does with a vector into the table
// in gen under the same name, and run "go generate ./internal/base/simd". The tests compare every
// name of the tables with its text.
package simd

//go:generate go -C gen run .

// NumLanes is the number of lanes.
const NumLanes = 64

const allLanes = ^uint64(0)

type (
	// Lanes is a register: 32 bits of each lane.
	Lanes = [NumLanes]uint32
	// Op computes d of the operands that it has, all 64 lanes; others may be nil. d may be one
	// of the operands.
	Op = func(d, a, b, c *Lanes)
	// FloatOp is an [Op] on float32 that rounds to nearest even. in and out hold the bits that
	// denormal operands and results lose: [Flush], or 0.
	FloatOp = func(d, a, b, c *Lanes, in, out uint32)
	// CompareOp returns the lanes in which a comparison holds. Denormal float operands lose the
	// bits of in; integers ignore it.
	CompareOp = func(a, b *Lanes, in uint32) uint64
	// CarryOp computes d of a, b and a carry, or borrow, into each lane, and returns those out of
	// them. d may be one of the operands.
	CarryOp = func(d, a, b *Lanes, in uint64) (out uint64)
	// WideOp computes 64 bits, dhi:dlo, of hi:lo and n. The results may be among the operands,
	// each register for itself.
	WideOp = func(dlo, dhi, lo, hi, n *Lanes)
)

// Flush makes a denormal zero with its sign.
const Flush = 1<<31 - 1

// Int returns an operation on integers.
func Int(name string) Op { return pick(ints, intAVX2, nil, name) }

// Float returns an operation on float32.
func Float(name string) FloatOp { return pick(floats, floatAVX2, floatAVX512, name) }

// Half returns an operation on float16. Its arguments in and out are [FlushHalf] or 0.
func Half(name string) FloatOp { return pick(halves, halfAVX2, nil, name) }

// Convert returns a conversion between integers and float32.
func Convert(name string) Op { return pick(conversions, convertAVX2, nil, name) }

// Compare returns a comparison.
func Compare(name string) CompareOp { return pick(comparisons, compareAVX2, compareAVX512, name) }

// Carry returns an operation with carries.
func Carry(name string) CarryOp { return pick(carries, carryAVX2, carryAVX512, name) }

// Wide returns a shift of 64 bits.
func Wide(name string) WideOp { return pick(wides, wideAVX2, nil, name) }

// pick returns the vector code of an operation that this machine runs, of sixteen lanes before
// that of eight, else the plain text. It panics if there is no such operation.
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
