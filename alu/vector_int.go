package alu

import (
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// lanesOps are the integer operations on operands of up to 32 bits.
var lanesOps = executor.Bindings[kernel]{
	"v_mov_b32 v_mov_fed_b32 v_mov_prsv_b32": described{lanesOp(moveLanes), block.Vector{Op: vector.Int("mov")}},

	"v_not_b32": intOp("not"), "v_and_b32": intOp("and"), "v_or_b32": intOp("or"),
	"v_xor_b32": intOp("xor"), "v_xnor_b32": intOp("xnor"),

	"v_mul_lo_u16 v_mul_lo_u32 v_mul_lo_i32": intOp("mul"),

	"v_mul_hi_u32": intOp("mul hi u32"), "v_mul_hi_i32": intOp("mul hi i32"),
	"v_mul_hi_u32_u24": intOp("mul hi u24"), "v_mul_hi_i32_i24": intOp("mul hi i24"),
	"v_mul_u32_u24": intOp("mul u24"), "v_mul_i32_i24": intOp("mul i24"),

	"v_lshl_b32": intOp("shl"), "v_lshr_b32": intOp("shr"), "v_ashr_i32": intOp("sar"),
	"v_lshlrev_b32": intOp("shlrev"), "v_lshrrev_b32": intOp("shrrev"), "v_ashrrev_i32": intOp("sarrev"),
	"v_lshlrev_b16": intOp("shlrev 16"), "v_lshrrev_b16": intOp("shrrev 16"), "v_ashrrev_i16": intOp("sarrev 16"),

	"v_add3_u32": intOp("add3"), "v_add_lshl_u32": intOp("add shl"), "v_lshl_add_u32": intOp("shl add"),
	"v_lshl_or_b32": intOp("shl or"), "v_and_or_b32": intOp("and or"), "v_or3_b32": intOp("or3"),
	"v_xad_u32": intOp("xor add"),
}

// moveLanes copies a register, unless source and destination are the same.
func moveLanes(d, a, _, _ *lanes) {
	if d != a {
		movB32(d, a, nil, nil)
	}
}

// The kernels that are used under another name, or by several rows.
var (
	movB32    = simd.Int("mov")
	addU32    = intOp("add")
	subU32    = intOp("sub")
	subrevU32 = intOp("subrev")
	madLo     = intOp("mad")

	addCarry, subBorrow, subrevBorrow = newSum("add"), newSum("sub"), newSum("subrev")
)

func sext24(v uint32) int32 { return int32(v<<8) >> 8 }

// pairsOps are the integer operations with a 64-bit operand.
var pairsOps = executor.Bindings[described]{
	"v_lshl_b64":    shifted(shift, "shl"),
	"v_lshr_b64":    shifted(shift, "shr"),
	"v_ashr_i64":    shifted(shift, "sar"),
	"v_lshlrev_b64": shifted(shiftBack, "shl").swapped(),
	"v_lshrrev_b64": shifted(shiftBack, "shr").swapped(),
	"v_ashrrev_i64": shifted(shiftBack, "sar").swapped(),
}

// shifted returns a shift of 64 bits, named as in package simd.
func shifted(by func(simd.WideOp) pairsOp, name string) described {
	return described{by(simd.Wide(name)), block.Vector{Wide: vector.WideOp(name)}}
}

// shift and shiftBack shift SRC0 by SRC1, and SRC1 by SRC0.
//
//go:noinline
func shift(op simd.WideOp) pairsOp {
	return func(d, a, b, _ pair, _ state.Mode) { op(d.lo, d.hi, a.lo, a.hi, b.lo) }
}

//go:noinline
func shiftBack(op simd.WideOp) pairsOp {
	return func(d, a, b, _ pair, _ state.Mode) { op(d.lo, d.hi, b.lo, b.hi, a.lo) }
}

// at returns the 64 bits of lane i.
func (p pair) at(i int) uint64 { return uint64(p.lo[i]) | uint64(p.hi[i])<<32 }

// set writes the 64 bits of lane i.
func (p pair) set(i int, v uint64) { p.lo[i], p.hi[i] = uint32(v), uint32(v>>32) }

// carryOps are the operations that have 64-bit operands, or several steps, and read or write a lane mask.
var carryOps = executor.Bindings[kernel]{
	"v_mad_u64_u32": described{carryOp(func(d, a, b, c pair, _ uint64, _ state.Mode, _ uint64) uint64 {
		return simd.MulAdd64(d.lo, d.hi, a.lo, b.lo, c.lo, c.hi)
	}), block.Vector{Wide: vector.WideOp("mad u64")}},
	"v_div_scale_f32": divScaleOp(isa.F32), "v_div_scale_f64": divScaleOp(isa.F64),
	"v_div_fmas_f32": divFmasOp(isa.F32), "v_div_fmas_f64": divFmasOp(isa.F64),
	// The flag is the signed overflow of the sum. CLRX does not define it.
	"v_mad_i64_i32": carryOp(func(d, a, b, c pair, _ uint64, _ state.Mode, _ uint64) (out uint64) {
		for i := range d.lo {
			p, z := s32(a.lo[i])*s32(b.lo[i]), int64(c.at(i))
			sum := p + z
			d.set(i, uint64(sum))
			out |= uint64((p^sum)&(z^sum)) >> 63 << i
		}
		return out
	}),
}

// chainOps are the operations on 32 bits that read or write a lane mask and do not saturate. The mnemonics of the
// carry adds differ between generations; their operation does not.
var chainOps = executor.Bindings[kernel]{
	"v_subrev_i32": subrevBorrow, // on GCN 1.4 this is the mnemonic of another operation
	"v_cndmask_b32": described{chainOp(func(d, a, b *lanes, in uint64) uint64 {
		simd.Select(d, a, b, in)
		return 0
	}), block.Vector{Select: true}},
}
