package tile

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/simd"
)

// The largest coordinates of an equation, in bits. A T# can express 14 bits of width and height and 13 bits of depth
// (six faces for each cube); padding can add one bit.
const (
	xyBits = 16
	zBits  = 16
	sBits  = 3
)

// term is the contribution of one coordinate to an address.
type term = simd.Term

// rotation describes how the slice number changes the pipe and the bank, which is not linear in z. Source: rules TL5
// and SW7 for constant swizzles.
type rotation struct {
	zShift             uint8  // log2 of the number of slices with the same rotation
	pipeAt, bankAt     uint8  // positions of the pipe and bank bits in an address
	pipeMask, bankMask uint32 // number of pipes - 1, number of banks - 1
	pipe, bank         uint32 // the surface's swizzle of pipe and bank
	pipeStep, bankStep uint32 // pipes and banks added for each slice
	carryShift         uint8  // log2 of the number of pipes
	carryStep          uint32 // the bank increases by carryStep*z >> carryShift
}

func (r *rotation) xor(z uint32) uint64 {
	z >>= r.zShift
	pipe := (r.pipe + r.pipeStep*z) & r.pipeMask
	bank := (r.bank + r.bankStep*z + r.carryStep*z>>r.carryShift) & r.bankMask
	return uint64(pipe)<<r.pipeAt | uint64(bank)<<r.bankAt
}

// equation computes the addresses of a level: it has one term for each bit of each coordinate.
type equation struct {
	base uint64
	flip uint64 // XORed with all addresses
	x, y [xyBits]term
	z    [zBits]term
	s    [sBits]term
	rot  rotation
}

// mapping is a linear address rule: the term of a coordinate is the sum of the terms of its bits, and the coordinates
// contribute independently.
type mapping interface {
	at(x, y, z, s uint32) term
}

// fill calls m for the term of each bit.
func (e *equation) fill(m mapping) {
	for i := range e.x {
		e.x[i] = m.at(1<<i, 0, 0, 0)
		e.y[i] = m.at(0, 1<<i, 0, 0)
	}
	for i := range e.z {
		e.z[i] = m.at(0, 0, 1<<i, 0)
	}
	for i := range e.s {
		e.s[i] = m.at(0, 0, 0, 1<<i)
	}
}

func sum(terms []term, v uint32) term {
	var t term
	for ; v != 0; v &= v - 1 {
		t = t.Plus(terms[bits.TrailingZeros32(v)])
	}
	return t
}

// addr returns the address of an element. The coordinates must be within the limits of the equation.
func (e *equation) addr(x, y, z, s uint32) uint64 {
	t := sum(e.x[:], x).Plus(sum(e.y[:], y)).Plus(sum(e.z[:], z)).Plus(sum(e.s[:], s))
	return e.base + t.Add + (t.Xor ^ e.flip ^ e.rot.xor(z))
}

// basis is a set of linearly independent addresses, indexed by their highest bit.
type basis [64]uint64

// add adds the address of a coordinate bit. It returns false if the address is an XOR of addresses that are in b.
func (b *basis) add(t term) bool {
	for v := t.Add + t.Xor; v != 0; {
		top := 63 - bits.LeadingZeros64(v)
		if b[top] == 0 {
			b[top] = v
			return true
		}
		v ^= b[top]
	}
	return false
}

func parity(v uint32) uint32 { return uint32(bits.OnesCount32(v)) & 1 }

func log2(v uint32) int { return bits.Len32(v) - 1 }

func isPow2(v int) bool { return v > 0 && v&(v-1) == 0 }

func align(v, to int) int { return (v + to - 1) / to * to }

func alignTo(v, to uint64) uint64 { return (v + to - 1) / to * to }

func ceilPow2(v int) int {
	if v <= 1 {
		return 1
	}
	return 1 << bits.Len(uint(v-1))
}

func ceilDiv(v, by int) int { return (v + by - 1) / by }
