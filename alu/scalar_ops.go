package alu

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
)

// scalarOps are the scalar instructions whose result is a function of their operands.
var scalarOps = executor.Bindings[scalarOp]{

	"s_cmov_b32": cmov, "s_cmov_b64": cmov,
	"s_brev_b32": func(a, _ uint64, _ uint32) (uint64, bool) { return uint64(bits.Reverse32(uint32(a))), false },
	"s_brev_b64": func(a, _ uint64, _ uint32) (uint64, bool) { return bits.Reverse64(a), false },
	"s_abs_i32": func(a, _ uint64, _ uint32) (uint64, bool) {
		v := int32(a)
		return nz32(uint64(max(v, -v)))
	},
	"s_wqm_b32":      func(a, _ uint64, _ uint32) (uint64, bool) { return nz(wholeQuads(a)) },
	"s_wqm_b64":      func(a, _ uint64, _ uint32) (uint64, bool) { return nz(wholeQuads(a)) },
	"s_quadmask_b32": func(a, _ uint64, _ uint32) (uint64, bool) { return nz(quadMask(a)) },
	"s_quadmask_b64": func(a, _ uint64, _ uint32) (uint64, bool) { return nz(quadMask(a)) },

	"s_bcnt0_i32_b32": func(a, _ uint64, _ uint32) (uint64, bool) { return nz(uint64(32 - bits.OnesCount64(a))) },
	"s_bcnt0_i32_b64": func(a, _ uint64, _ uint32) (uint64, bool) { return nz(uint64(64 - bits.OnesCount64(a))) },
	"s_bcnt1_i32_b32": func(a, _ uint64, _ uint32) (uint64, bool) { return nz(uint64(bits.OnesCount64(a))) },
	"s_bcnt1_i32_b64": func(a, _ uint64, _ uint32) (uint64, bool) { return nz(uint64(bits.OnesCount64(a))) },

	"s_ff0_i32_b32":   func(a, _ uint64, _ uint32) (uint64, bool) { return firstOne(uint64(^uint32(a))), false },
	"s_ff0_i32_b64":   func(a, _ uint64, _ uint32) (uint64, bool) { return firstOne(^a), false },
	"s_ff1_i32_b32":   func(a, _ uint64, _ uint32) (uint64, bool) { return firstOne(a), false },
	"s_ff1_i32_b64":   func(a, _ uint64, _ uint32) (uint64, bool) { return firstOne(a), false },
	"s_flbit_i32_b32": func(a, _ uint64, _ uint32) (uint64, bool) { return lastOne(a, 32), false },
	"s_flbit_i32_b64": func(a, _ uint64, _ uint32) (uint64, bool) { return lastOne(a, 64), false },
	"s_flbit_i32": func(a, _ uint64, _ uint32) (uint64, bool) {
		return lastOne(uint64(uint32(a)^uint32(int32(a)>>31)), 32), false
	},
	"s_flbit_i32_i64": func(a, _ uint64, _ uint32) (uint64, bool) { return lastOne(a^uint64(int64(a)>>63), 64), false },

	"s_sext_i32_i8":  func(a, _ uint64, _ uint32) (uint64, bool) { return uint64(int8(a)), false },
	"s_sext_i32_i16": func(a, _ uint64, _ uint32) (uint64, bool) { return uint64(int16(a)), false },
	"s_bitset0_b32":  func(a, old uint64, _ uint32) (uint64, bool) { return old &^ (1 << (a & 31)), false },
	"s_bitset0_b64":  func(a, old uint64, _ uint32) (uint64, bool) { return old &^ (1 << (a & 63)), false },
	"s_bitset1_b32":  func(a, old uint64, _ uint32) (uint64, bool) { return old | 1<<(a&31), false },
	"s_bitset1_b64":  func(a, old uint64, _ uint32) (uint64, bool) { return old | 1<<(a&63), false },
	"s_bitreplicate_b64_b32": func(a, _ uint64, _ uint32) (uint64, bool) {
		a = (a | a<<16) & 0x0000ffff0000ffff
		a = (a | a<<8) & 0x00ff00ff00ff00ff
		a = (a | a<<4) & 0x0f0f0f0f0f0f0f0f
		a = (a | a<<2) & 0x3333333333333333
		a = (a | a<<1) & 0x5555555555555555
		return a | a<<1, false
	},
	"s_mul_hi_u32": func(a, b uint64, _ uint32) (uint64, bool) { return a * b >> 32, false },
	"s_mul_hi_i32": func(a, b uint64, _ uint32) (uint64, bool) {
		return uint64(int64(int32(a)) * int64(int32(b)) >> 32), false
	},
	"s_absdiff_i32": func(a, b uint64, _ uint32) (uint64, bool) {
		d := int32(a) - int32(b) // the difference wraps, as in the manual's pseudo code
		return nz32(uint64(max(d, -d)))
	},
	"s_min_i32": func(a, b uint64, _ uint32) (uint64, bool) { return pick(int32(a) < int32(b), a, b) },
	"s_min_u32": func(a, b uint64, _ uint32) (uint64, bool) { return pick(a < b, a, b) },
	"s_max_i32": func(a, b uint64, _ uint32) (uint64, bool) { return pick(int32(a) > int32(b), a, b) },
	"s_max_u32": func(a, b uint64, _ uint32) (uint64, bool) { return pick(a > b, a, b) },

	"s_lshl1_add_u32": shiftAdd(1), "s_lshl2_add_u32": shiftAdd(2), "s_lshl3_add_u32": shiftAdd(3),
	"s_lshl4_add_u32": shiftAdd(4),
	"s_bfm_b32":       func(a, b uint64, _ uint32) (uint64, bool) { return (1<<(a&31) - 1) << (b & 31), false },
	"s_bfm_b64":       func(a, b uint64, _ uint32) (uint64, bool) { return (1<<(a&63) - 1) << (b & 63), false },
	"s_bfe_u32":       func(a, b uint64, _ uint32) (uint64, bool) { return nz(fieldOf(a, b&31, b>>16&0x7f)) },
	"s_bfe_u64":       func(a, b uint64, _ uint32) (uint64, bool) { return nz(fieldOf(a, b&63, b>>16&0x7f)) },
	"s_bfe_i32":       func(a, b uint64, _ uint32) (uint64, bool) { return nz32(signedField(a, b&31, b>>16&0x7f, 32)) },
	"s_bfe_i64":       func(a, b uint64, _ uint32) (uint64, bool) { return nz(signedField(a, b&63, b>>16&0x7f, 64)) },

	"s_pack_ll_b32_b16": func(a, b uint64, _ uint32) (uint64, bool) { return a&0xffff | b<<16, false },
	"s_pack_lh_b32_b16": func(a, b uint64, _ uint32) (uint64, bool) { return a&0xffff | b&0xffff0000, false },
	"s_pack_hh_b32_b16": func(a, b uint64, _ uint32) (uint64, bool) { return a>>16 | b&0xffff0000, false },
	"s_cmovk_i32":       func(old, k uint64, scc uint32) (uint64, bool) { return cmov(k, old, scc) },

	"s_bitcmp0_b32": func(a, b uint64, _ uint32) (uint64, bool) { return 0, a>>(b&31)&1 == 0 },
	"s_bitcmp0_b64": func(a, b uint64, _ uint32) (uint64, bool) { return 0, a>>(b&63)&1 == 0 },
	"s_bitcmp1_b32": func(a, b uint64, _ uint32) (uint64, bool) { return 0, a>>(b&31)&1 == 1 },
	"s_bitcmp1_b64": func(a, b uint64, _ uint32) (uint64, bool) { return 0, a>>(b&63)&1 == 1 },
}

// execMaskOps are the instructions that compute EXEC from EXEC. "n1" negates the source, "n2" negates EXEC. CLRX has
// the text of one for the other by mistake (s_orn1_saveexec_b64).
var execMaskOps = executor.Bindings[maskOp]{
	"s_and_saveexec_b64":   {op: func(s, e uint64) uint64 { return s & e }, block: block.SaveAnd},
	"s_or_saveexec_b64":    {op: func(s, e uint64) uint64 { return s | e }, block: block.SaveOr},
	"s_xor_saveexec_b64":   {op: func(s, e uint64) uint64 { return s ^ e }, block: block.SaveXor},
	"s_andn1_saveexec_b64": {op: func(s, e uint64) uint64 { return ^s & e }},
	"s_andn2_saveexec_b64": {op: func(s, e uint64) uint64 { return s &^ e }, block: block.SaveAndNot},
	"s_orn1_saveexec_b64":  {op: func(s, e uint64) uint64 { return ^s | e }},
	"s_orn2_saveexec_b64":  {op: func(s, e uint64) uint64 { return s | ^e }},
	"s_nand_saveexec_b64":  {op: func(s, e uint64) uint64 { return ^(s & e) }},
	"s_nor_saveexec_b64":   {op: func(s, e uint64) uint64 { return ^(s | e) }},
	"s_xnor_saveexec_b64":  {op: func(s, e uint64) uint64 { return ^(s ^ e) }},
	"s_andn1_wrexec_b64":   {op: func(s, e uint64) uint64 { return ^s & e }, wr: true},
	"s_andn2_wrexec_b64":   {op: func(s, e uint64) uint64 { return s &^ e }, wr: true},
}

func cmov(a, old uint64, scc uint32) (uint64, bool) {
	if scc != 0 {
		return a, false
	}
	return old, false
}

// pick returns a if cond is set, b otherwise. SCC is set to cond (s_min, s_max).
func pick(cond bool, a, b uint64) (uint64, bool) {
	if cond {
		return a, true
	}
	return b, false
}

// shiftAdd computes s_lshl<n>_add_u32. SCC is the carry out of 32 bits (AMD Vega ISA, SOP2).
//
//go:noinline
func shiftAdd(n uint) scalarOp {
	return func(a, b uint64, _ uint32) (uint64, bool) { return a<<n + b, (a<<n+b)>>32 != 0 }
}

// nz returns v and whether it is not 0; nz32 tests the low 32 bits.
func nz(v uint64) (uint64, bool)   { return v, v != 0 }
func nz32(v uint64) (uint64, bool) { return v, uint32(v) != 0 }

// wholeQuads sets the four bits of each group that has a bit set.
func wholeQuads(v uint64) uint64 {
	v |= v >> 1
	v |= v >> 2
	return v & 0x1111111111111111 * 15
}

// quadMask returns one bit for each group of four bits: whether any of the four is set.
func quadMask(v uint64) uint64 {
	var m uint64
	for i := range 16 {
		if v>>(4*i)&15 != 0 {
			m |= 1 << i
		}
	}
	return m
}

// firstOne returns the number of the lowest set bit, -1 if there is none.
func firstOne(v uint64) uint64 {
	if v == 0 {
		return ^uint64(0)
	}
	return uint64(bits.TrailingZeros64(v))
}

// lastOne returns the number of zeros above the highest set bit of width bits, or -1 if no bit is set.
func lastOne(v uint64, width int) uint64 {
	if v == 0 {
		return ^uint64(0)
	}
	return uint64(bits.LeadingZeros64(v) - (64 - width))
}

// fieldOf returns the length bits of v that begin at bit shift.
func fieldOf(v, shift, length uint64) uint64 { return v >> shift & (1<<length - 1) }

// signedField returns fieldOf, sign-extended. The sign is the highest bit of the field, or of the word of width bits
// if the field extends beyond it.
func signedField(v, shift, length, width uint64) uint64 {
	if length == 0 {
		return 0
	}
	length = min(length, width-shift)
	drop := 64 - length
	return uint64(int64(v>>shift<<drop) >> drop)
}
