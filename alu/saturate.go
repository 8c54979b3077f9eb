package alu

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/base/vector"
)

func saturate16(v int64) int16   { return int16(min(max(v, math.MinInt16), math.MaxInt16)) }
func saturateU16(v int64) uint32 { return uint32(min(max(v, 0), math.MaxUint16)) }
func saturate32(v int64) uint32  { return uint32(min(max(v, math.MinInt32), math.MaxInt32)) }
func saturateU32(v int64) uint32 { return uint32(min(max(v, 0), math.MaxUint32)) }

func s16(v uint32) int64 { return int64(int16(v)) }
func u16(v uint32) int64 { return int64(uint16(v)) }
func s32(v uint32) int64 { return int64(int32(v)) }

// sums are the sums and differences. Some have a carry in certain rows. The mnemonics of the carry adds
// differ between generations; their operation does not.
var sums = executor.Bindings[mayCarry]{
	"v_add_u32": {
		saturating[kernel]{addU32, each2(func(a, b uint32) uint32 { return saturateU32(int64(a) + int64(b)) })},
		saturating[kernel]{addCarry, ceiling(addCarry)},
	},
	"v_sub_u32": {
		saturating[kernel]{subU32, each2(func(a, b uint32) uint32 { return saturateU32(int64(a) - int64(b)) })},
		saturating[kernel]{subBorrow, floor(subBorrow)},
	},
	"v_subrev_u32": {
		saturating[kernel]{subrevU32, each2(func(a, b uint32) uint32 { return saturateU32(int64(b) - int64(a)) })},
		saturating[kernel]{subrevBorrow, floor(subrevBorrow)},
	},
	"v_add_i32": {saturating[kernel]{addU32, each2(func(a, b uint32) uint32 { return saturate32(s32(a) + s32(b)) })}, addCarry},
	"v_sub_i32": {saturating[kernel]{subU32, each2(func(a, b uint32) uint32 { return saturate32(s32(a) - s32(b)) })}, subBorrow},
}

// saturatedOps are the other integer operations that CLAMP saturates (GCN 1.2 and later: CLRX GcnInstrsVop2 and Vop3;
// AMD GCN3 ISA manual, "Integer clamp").
var saturatedOps = executor.Bindings[saturating[kernel]]{
	"v_add_u16":    {addU32, each2(func(a, b uint32) uint32 { return saturateU16(u16(a) + u16(b)) })},
	"v_sub_u16":    {subU32, each2(func(a, b uint32) uint32 { return saturateU16(u16(a) - u16(b)) })},
	"v_subrev_u16": {subrevU32, each2(func(a, b uint32) uint32 { return saturateU16(u16(b) - u16(a)) })},
	"v_add_i16":    {addU32, each2(func(a, b uint32) uint32 { return uint32(saturate16(s16(a) + s16(b))) })},
	"v_sub_i16":    {subU32, each2(func(a, b uint32) uint32 { return uint32(saturate16(s16(a) - s16(b))) })},

	"v_mad_u16": {madLo, each3(madU16Saturated)}, "v_mad_legacy_u16": {madLo, each3(madU16Saturated)},
	"v_mad_i16": {madLo, each3(madI16Saturated)}, "v_mad_legacy_i16": {madLo, each3(madI16Saturated)},
	"v_mad_u32_u16": {
		intOp("mad u16"),
		each3(func(a, b, c uint32) uint32 { return saturateU32(u16(a)*u16(b) + int64(c)) }),
	},
	"v_mad_i32_i16": {
		intOp("mad i16"),
		each3(func(a, b, c uint32) uint32 { return saturate32(s16(a)*s16(b) + s32(c)) }),
	},
	"v_mad_u32_u24": {
		intOp("mad u24"),
		each3(func(a, b, c uint32) uint32 { return saturateU32(int64(a&0xffffff)*int64(b&0xffffff) + int64(c)) }),
	},
	"v_mad_i32_i24": {
		intOp("mad i24"),
		each3(func(a, b, c uint32) uint32 { return saturate32(int64(sext24(a))*int64(sext24(b)) + s32(c)) }),
	},

	"v_sad_u8":    added("sad u8", sad8),
	"v_sad_hi_u8": added("sad hi u8", func(a, b uint32) uint32 { return sad8(a, b) << 16 }),
	"v_sad_u16": added("sad u16", func(a, b uint32) uint32 {
		return absDiff(a&0xffff, b&0xffff) + absDiff(a>>16,
			b>>16)
	}),
	"v_sad_u32": added("sad u32", absDiff),
	"v_msad_u8": added("msad u8", msad8),
}

// added returns an operation that computes f(SRC0, SRC1) + SRC2. plain is the same operation without CLAMP.
//
//go:noinline
func added(plain string, f func(a, b uint32) uint32) saturating[kernel] {
	return saturating[kernel]{
		intOp(plain),
		lanesOp(func(d, a, b, c *lanes) {
			for i := range d {
				d[i] = saturateU32(int64(c[i]) + int64(f(a[i], b[i])))
			}
		}),
	}
}

func madU16Saturated(a, b, c uint32) uint32 { return saturateU16(u16(a)*u16(b) + u16(c)) }
func madI16Saturated(a, b, c uint32) uint32 { return uint32(saturate16(s16(a)*s16(b) + s16(c))) }

// saturatedCarryOps are the other adds with carry. With CLAMP the result saturates; the carry out is still that of
// the exact sum.
var saturatedCarryOps = executor.Bindings[saturating[kernel]]{
	"v_add_co_u32": {addCarry, ceiling(addCarry)},
	"v_addc_u32":   {addCarry, ceiling(addCarry)}, "v_addc_co_u32": {addCarry, ceiling(addCarry)},
	"v_sub_co_u32":    {subBorrow, floor(subBorrow)},
	"v_subrev_co_u32": {subrevBorrow, floor(subrevBorrow)},
	"v_subb_u32":      {subBorrow, floor(subBorrow)}, "v_subb_co_u32": {subBorrow, floor(subBorrow)},
	"v_subbrev_u32": {subrevBorrow, floor(subrevBorrow)}, "v_subbrev_co_u32": {subrevBorrow, floor(subrevBorrow)},
}

// newSum returns the operation of package simd with that name.
func newSum(name string) sumOp {
	return sumOp{simd.Carry(name), simd.Carry(name + " one"), &block.Vector{Carry: vector.CarryOp(name)}}
}

// ceiling and floor replace the result by the largest or the smallest value where op carries.
func ceiling(op sumOp) sumOp { return onCarry(op, math.MaxUint32) }
func floor(op sumOp) sumOp   { return onCarry(op, 0) }

//go:noinline
func onCarry(op sumOp, limit uint32) sumOp {
	return sumOp{all: func(d, a, b *lanes, in uint64) uint64 {
		out := op.all(d, a, b, in)
		for m := out; m != 0; m &= m - 1 {
			d[bits.TrailingZeros64(m)&63] = limit
		}
		return out
	}}
}
