//go:build linux && amd64 && !purego

package block

import (
	"golang.org/x/sys/cpu"

	"github.com/gcnsim/gcnsim/internal/base/vector"
)

// lanesOfMachine returns the number of lanes of a vector: sixteen with AVX-512, else eight. Both widths use the same
// instructions, encoded as VEX or EVEX, except for those in this file: with AVX-512, comparisons and masked accesses
// use a mask register. Between instructions masks are vectors in both widths.
var lanesOfMachine = func() int {
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ {
		return 16
	}
	return 8
}()

// allLanes has the bit of each lane of a strip set.
func (a *asm) allLanes() int32 { return 1<<a.lanes - 1 }

// nextStrip emits the step to the next strip.
func (a *asm) nextStrip() {
	a.byImm(byADD, rcx, int32(4*a.lanes))
	a.byImm(byADD, r8, int32(a.lanes/8))
}

// laneMask emits the load of a strip's bits of the lane mask at a displacement from the scalar registers.
func (a *asm) laneMask(reg, disp int) {
	code := opMOVZXB
	if a.lanes == 16 {
		code = opMOVZXW
	}
	a.op(false, code, reg, stripOf(rsi, disp), 0)
}

// storeMask emits the store of a strip's bits in RAX to a register or, if it is -1, to memory.
func (a *asm) storeMask(reg int, m mem) {
	code := opMOVB
	if a.lanes == 16 {
		a.emit(operandSize)
		code = opMOV
	}
	if reg >= 0 {
		a.regs(false, code, rax, reg)
	} else {
		a.op(false, code, rax, m, 0)
	}
}

// Instructions that exist for 512 bits only. Mask register 1 is a temporary.
var (
	maskOfLanes = form{2, 2, 0x39, false} // VPMOVD2M
	maskOfBytes = form{2, 2, 0x29, false} // VPMOVB2M
	lanesOfMask = form{2, 2, 0x38, false} // VPMOVM2D
	bytesOfMask = form{2, 2, 0x28, false} // VPMOVM2B
)

// isQuad reports whether f operates on elements of 64 bits, for which EVEX has a bit.
func (f form) isQuad() bool {
	switch f {
	case binary2[vector.MulEvenU], binary2[vector.MulEvenS], shiftQuad.form, binary2[vector.DivPD], unary[vector.SqrtPD],
		toSingles:
		return true
	}
	return false
}

// zeroes is the bit that, beside a mask, makes the other lanes of a result 0.
const zeroes = 1 << 7

// evex emits an instruction of 512 bits; vex emits those of 256 bits. mask is the number of a mask register.
func (a *asm) evex(f form, mask byte, reg, vvvv, rm int, m mem, imm ...byte) {
	x, b, quad := high(m.index), high(m.base), byte(0)
	if rm >= 0 {
		x, b = 0, high(rm)
	}
	if f.isQuad() {
		quad = 1 << 7
	}
	a.emit(0x62, (1-high(reg))<<7|(1-x)<<6|(1-b)<<5|1<<4|f.mm, quad|byte(15-vvvv)<<3|1<<2|f.pp, mask|2<<5|1<<3, f.code)
	if rm >= 0 {
		a.emit(0xc0 | byte(reg&7)<<3 | byte(rm&7))
	} else {
		a.modrm(reg, m, len(imm))
	}
	a.emit(imm...)
}

// toMask emits a move of the signs of lanes or bytes to mask register 1.
func (a *asm) toMask(f form, v int) { a.evex(f, 0, 1, 0, v, mem{}) }

// bitsToMask emits a move of the bits in RAX to mask register 1.
func (a *asm) bitsToMask() { a.emit(kmovwToMask...) }

// expand emits code that sets all bits of each lane whose bit in RAX is set.
func (a *asm) expand(k int) {
	if a.lanes == 16 {
		a.bitsToMask()
		a.vex(lanesOfMask, k, 0, 1, mem{})
		return
	}
	bits := a.pooled(laneBits)
	a.vex(vmovd, k, 0, rax, mem{})
	a.vex(vspread, k, 0, k, mem{})
	a.vex(vand, k, k, -1, bits)
	a.vex(vequal, k, k, -1, bits)
}

// laneBits is the bit of each lane of a strip of eight.
var laneBits = func() (c pooled) {
	for i := range 8 {
		c[4*i] = 1 << i
	}
	return c
}()

// signs emits a move of the signs of a vector's lanes to a register.
func (a *asm) signs(reg, v int) {
	if a.lanes == 16 {
		a.toMask(maskOfLanes, v)
		a.kmovw(reg)
		return
	}
	a.vex(vmovmskps, reg, 0, v, mem{})
}

// some emits a test that sets the zero flag if x and y (or m) have no bit in common.
func (a *asm) some(x, y int, m mem) {
	if a.lanes == 16 {
		a.evex(vptestmd, 0, 1, x, y, m)
		a.emit(kortestw...)
		return
	}
	a.vex(vptest, x, 0, y, m)
}

// ones emits code that sets all bits.
func (a *asm) ones(k int) {
	if a.lanes == 16 {
		a.vex(vpternlogd, k, k, k, mem{}, 0xff)
		return
	}
	a.vex(vequal, k, k, k, mem{})
}

// compare emits code that sets all bits of the lanes, or bytes, in which a comparison holds.
func (a *asm) compare(f form, d, x, y int, m mem, imm ...byte) {
	if a.lanes == 8 {
		a.vex(f, d, x, y, m, imm...)
		return
	}
	back := lanesOfMask
	if f == two(vector.EqualB) || f == two(vector.GreaterB) {
		back = bytesOfMask
	}
	a.evex(f, 0, 1, x, y, m, imm...)
	a.vex(back, d, 0, 1, mem{})
}

// blending selects lanes or bytes: the instruction for a mask in a vector, the one for a mask register, and the one
// that moves the vector's signs to the mask register.
type blending struct{ byVector, byMask, toMask form }

var (
	ofLanes = blending{vblendvps, vpblendmd, maskOfLanes}
	ofBytes = blending{vpblendvb, vpblendmb, maskOfBytes}
)

// blend emits a selection of y in lanes where the sign of z is set, else of x.
func (a *asm) blend(f blending, d, x, y int, m mem, z int) {
	if a.lanes == 16 {
		a.toMask(f.toMask, z)
		a.evex(f.byMask, 1, d, x, y, m)
		return
	}
	a.vex(f.byVector, d, x, y, m, byte(z<<4))
}

// oddOf emits a selection of the odd lanes of y and the even ones of x.
func (a *asm) oddOf(d, x, y int, m mem) {
	if a.lanes == 16 {
		a.value(rax, 0xaaaa)
		a.bitsToMask()
		a.evex(ofLanes.byMask, 1, d, x, y, m)
		return
	}
	a.vex(two(vector.OddOf), d, x, y, m, 0xaa)
}

// upperHalf emits a copy of the upper half of x to the lower half of d.
func (a *asm) upperHalf(d, x int) {
	half := vextractf128
	if a.lanes == 16 {
		half = vextractf32x8
	}
	a.vex(half, x, 0, d, mem{}, 1)
}

// halves emits code that joins the lower half of x and, as the upper half of d, the lower half of y.
func (a *asm) halves(d, x, y int) {
	both := vinsertf128
	if a.lanes == 16 {
		both = vinsertf32x8
	}
	a.vex(both, d, x, y, mem{}, 1)
}

// loadMasked emits a load of the lanes whose sign in z is set; other lanes become 0.
func (a *asm) loadMasked(k, z int, m mem) {
	if a.lanes == 16 {
		a.toMask(maskOfLanes, z)
		a.evex(vmovups, 1|zeroes, k, 0, -1, m)
		return
	}
	a.vex(vmaskmovps, k, z, -1, m)
}

// storeMasked emits a store of the lanes whose sign in z is set.
func (a *asm) storeMasked(k, z int, m mem) {
	if a.lanes == 16 {
		a.toMask(maskOfLanes, z)
		a.evex(vmovupsTo, 1, k, 0, -1, m)
		return
	}
	a.vex(vmaskmovTo, k, z, -1, m)
}

// gather emits a load of the lanes whose sign in z is set; it may destroy z. The index of m is a vector.
func (a *asm) gather(k, z int, m mem) {
	if a.lanes == 16 {
		a.toMask(maskOfLanes, z)
		a.evex(vpgatherdd, 1, k, 0, -1, m)
		return
	}
	a.vex(vpgatherdd, k, z, -1, m)
}

// scatter emits a store of the lanes whose sign in z is set, the highest one last. The index of m is a vector. Only
// vectors of sixteen lanes have scatter.
func (a *asm) scatter(k, z int, m mem) {
	a.toMask(maskOfLanes, z)
	a.evex(vpscatterdd, 1, k, 0, -1, m)
}
