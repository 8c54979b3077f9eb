package alu

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/state"
)

// bitOps are the operations on bits, bit fields and bytes, and integer minima and maxima.
var bitOps = executor.Bindings[kernel]{
	"v_bfrev_b32":     intOp("reverse bits"),
	"v_ffbl_b32":      each1(func(a uint32) uint32 { return uint32(firstOne(uint64(a))) }),
	"v_ffbh_u32":      each1(func(a uint32) uint32 { return uint32(lastOne(uint64(a), 32)) }),
	"v_ffbh_i32":      each1(func(a uint32) uint32 { return uint32(lastOne(uint64(a^uint32(int32(a)>>31)), 32)) }),
	"v_bcnt_u32_b32":  intOp("ones add"),
	"v_bfm_b32":       intOp("bfm"),
	"v_bfe_u32":       intOp("bfe u32"),
	"v_bfe_i32":       intOp("bfe i32"),
	"v_bfi_b32":       intOp("bfi"),
	"v_alignbit_b32":  intOp("align bit"),
	"v_alignbyte_b32": intOp("align byte"),
	"v_perm_b32":      intOp("perm"),
	"v_lerp_u8":       intOp("lerp u8"),
	"v_sat_pk_u8_i16": each1(func(a uint32) uint32 {
		return uint32(min(max(int16(a), 0), 255)) | uint32(min(max(int16(a>>16), 0), 255))<<8
	}),

	"v_mbcnt_lo_u32_b32": lanesOp(func(d, a, b, _ *lanes) {
		for i := range d {
			d[i] = uint32(bits.OnesCount32(a[i]&uint32(1<<i-1))) + b[i]
		}
	}),
	"v_mbcnt_hi_u32_b32": lanesOp(func(d, a, b, _ *lanes) {
		for i := range d {
			d[i] = uint32(bits.OnesCount32(a[i]&uint32((uint64(1)<<i-1)>>32))) + b[i]
		}
	}),

	"v_min_u32": intOp("min u32"), "v_max_u32": intOp("max u32"),
	"v_min_i32": intOp("min i32"), "v_max_i32": intOp("max i32"),
	"v_min_u16": intOp("min u16"), "v_max_u16": intOp("max u16"),
	"v_min_i16": intOp("min i16"), "v_max_i16": intOp("max i16"),

	"v_min3_u32": intOp("min3 u32"), "v_max3_u32": intOp("max3 u32"), "v_med3_u32": intOp("med3 u32"),
	"v_min3_i32": intOp("min3 i32"), "v_max3_i32": intOp("max3 i32"), "v_med3_i32": intOp("med3 i32"),
	"v_min3_u16": each3(func(a, b, c uint32) uint32 { return uint32(min(uint16(a), uint16(b), uint16(c))) }),
	"v_max3_u16": each3(func(a, b, c uint32) uint32 { return uint32(max(uint16(a), uint16(b), uint16(c))) }),
	"v_med3_u16": each3(func(a, b, c uint32) uint32 { return uint32(median(uint16(a), uint16(b), uint16(c))) }),
	"v_min3_i16": each3(func(a, b, c uint32) uint32 { return uint32(min(int16(a), int16(b), int16(c))) }),
	"v_max3_i16": each3(func(a, b, c uint32) uint32 { return uint32(max(int16(a), int16(b), int16(c))) }),
	"v_med3_i16": each3(func(a, b, c uint32) uint32 { return uint32(median(int16(a), int16(b), int16(c))) }),

	"v_cvt_pk_u16_u32": intOp("pack u16"),
	"v_cvt_pk_i16_i32": each2(func(a, b uint32) uint32 {
		return uint32(uint16(saturate16(int64(int32(a))))) | uint32(saturate16(int64(int32(b))))<<16
	}),
	"v_pack_b32_f16": intOp("pack halves"),
}

func median[T int16 | uint16](a, b, c T) T {
	return max(min(a, b), min(max(a, b), c))
}

func absDiff(a, b uint32) uint32 {
	if a < b {
		return b - a
	}
	return a - b
}

// sad8 returns the sum of the absolute differences of the bytes of a and b.
func sad8(a, b uint32) (sum uint32) {
	for i := 0; i < 32; i += 8 {
		sum += absDiff(a>>i&0xff, b>>i&0xff)
	}
	return sum
}

// msad8 returns sad8 without the bytes that are 0 in b.
func msad8(a, b uint32) (sum uint32) {
	for i := 0; i < 32; i += 8 {
		if b>>i&0xff != 0 {
			sum += absDiff(a>>i&0xff, b>>i&0xff)
		}
	}
	return sum
}

// quadSad returns a kernel that adds the sums of four overlapping groups of bytes of SRC0 to the four 16-bit parts of
// SRC2, each modulo 2**16.
//
//go:noinline
func quadSad(sad func(a, b uint32) uint32) pairsOp {
	return func(d, a, b, c pair, _ state.Mode) {
		for i := range d.lo {
			from, ref, sums := a.at(i), b.lo[i], c.at(i)
			var out uint64
			for n := range 4 {
				out |= uint64(uint16(uint32(sums>>(16*n))+sad(uint32(from>>(8*n)), ref))) << (16 * n)
			}
			d.set(i, out)
		}
	}
}

// sadOps are the sums of absolute differences with 64-bit operands.
var sadOps = executor.Bindings[pairsOp]{
	"v_qsad_u8": quadSad(sad8), "v_qsad_pk_u16_u8": quadSad(sad8),
	"v_mqsad_u8": quadSad(msad8), "v_mqsad_pk_u16_u8": quadSad(msad8),
}
