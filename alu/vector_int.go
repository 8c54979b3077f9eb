package alu

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/state"
)

// lanesOps are the integer operations on operands of up to 32 bits.
var lanesOps = unit.Bindings[lanesOp]{
	"v_mov_b32": movLanes, "v_mov_fed_b32": movLanes, "v_mov_prsv_b32": movLanes,
	"v_not_b32": func(d, a, _, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = ^a[i]
		}
	},
	"v_and_b32": func(d, a, b, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = a[i] & b[i]
		}
	},
	"v_or_b32": func(d, a, b, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = a[i] | b[i]
		}
	},
	"v_xor_b32": func(d, a, b, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = a[i] ^ b[i]
		}
	},
	"v_mul_lo_u16": func(d, a, b, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = a[i] * b[i]
		}
	},
	"v_mul_hi_u32":     each2(func(a, b uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) }),
	"v_mul_hi_i32":     each2(func(a, b uint32) uint32 { return uint32(s32(a) * s32(b) >> 32) }),
	"v_mul_hi_u32_u24": each2(func(a, b uint32) uint32 { return uint32(uint64(a&0xffffff) * uint64(b&0xffffff) >> 32) }),
	"v_mul_hi_i32_i24": each2(func(a, b uint32) uint32 { return uint32(int64(sext24(a)) * int64(sext24(b)) >> 32) }),
	"v_mul_lo_u32":     mulLo, "v_mul_lo_i32": mulLo,
	"v_mul_u32_u24": func(d, a, b, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = (a[i] & 0xffffff) * (b[i] & 0xffffff)
		}
	},
	"v_mul_i32_i24": func(d, a, b, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = uint32(sext24(a[i]) * sext24(b[i]))
		}
	},
	"v_lshlrev_b32": func(d, a, b, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = b[i] << (a[i] & 31)
		}
	},
	"v_lshrrev_b32": func(d, a, b, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = b[i] >> (a[i] & 31)
		}
	},
	"v_ashrrev_i32": func(d, a, b, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = uint32(int32(b[i]) >> (a[i] & 31))
		}
	},
	"v_lshl_b32": func(d, a, b, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = a[i] << (b[i] & 31)
		}
	},
	"v_lshr_b32": func(d, a, b, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = a[i] >> (b[i] & 31)
		}
	},
	"v_ashr_i32": func(d, a, b, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = uint32(int32(a[i]) >> (b[i] & 31))
		}
	},
	"v_lshlrev_b16": func(d, a, b, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = b[i] << (a[i] & 15)
		}
	},
	"v_lshrrev_b16": func(d, a, b, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = b[i] & 0xffff >> (a[i] & 15)
		}
	},
	"v_ashrrev_i16": func(d, a, b, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = uint32(int16(b[i]) >> (a[i] & 15))
		}
	},
	"v_add3_u32": func(d, a, b, c *lanes, _ state.Mode) {
		for i := range d {
			d[i] = a[i] + b[i] + c[i]
		}
	},
	"v_add_lshl_u32": func(d, a, b, c *lanes, _ state.Mode) {
		for i := range d {
			d[i] = (a[i] + b[i]) << (c[i] & 31)
		}
	},
	"v_lshl_add_u32": func(d, a, b, c *lanes, _ state.Mode) {
		for i := range d {
			d[i] = a[i]<<(b[i]&31) + c[i]
		}
	},
	"v_lshl_or_b32": func(d, a, b, c *lanes, _ state.Mode) {
		for i := range d {
			d[i] = a[i]<<(b[i]&31) | c[i]
		}
	},
	"v_and_or_b32": func(d, a, b, c *lanes, _ state.Mode) {
		for i := range d {
			d[i] = a[i]&b[i] | c[i]
		}
	},
	"v_or3_b32": func(d, a, b, c *lanes, _ state.Mode) {
		for i := range d {
			d[i] = a[i] | b[i] | c[i]
		}
	},
	"v_xad_u32": func(d, a, b, c *lanes, _ state.Mode) {
		for i := range d {
			d[i] = (a[i] ^ b[i]) + c[i]
		}
	},
}

func movLanes(d, a, _, _ *lanes, _ state.Mode) { *d = *a }

func addU32(d, a, b, _ *lanes, _ state.Mode) {
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func subU32(d, a, b, _ *lanes, _ state.Mode) {
	for i := range d {
		d[i] = a[i] - b[i]
	}
}

func subrevU32(d, a, b, c *lanes, m state.Mode) { subU32(d, b, a, c, m) }

func mulLo(d, a, b, _ *lanes, _ state.Mode) {
	for i := range d {
		d[i] = a[i] * b[i]
	}
}

func madLo(d, a, b, c *lanes, _ state.Mode) {
	for i := range d {
		d[i] = a[i]*b[i] + c[i]
	}
}

func sext24(v uint32) int32 { return int32(v<<8) >> 8 }

// pairsOps are the integer operations with a 64-bit operand.
var pairsOps = unit.Bindings[pairsOp]{
	"v_lshlrev_b64": func(d, a, b, _ pair, _ state.Mode) {
		for i := range d.lo {
			d.set(i, b.at(i)<<(a.lo[i]&63))
		}
	},
	"v_lshrrev_b64": func(d, a, b, _ pair, _ state.Mode) {
		for i := range d.lo {
			d.set(i, b.at(i)>>(a.lo[i]&63))
		}
	},
	"v_ashrrev_i64": func(d, a, b, _ pair, _ state.Mode) {
		for i := range d.lo {
			d.set(i, uint64(int64(b.at(i))>>(a.lo[i]&63)))
		}
	},
	"v_lshl_b64": func(d, a, b, _ pair, _ state.Mode) {
		for i := range d.lo {
			d.set(i, a.at(i)<<(b.lo[i]&63))
		}
	},
	"v_lshr_b64": func(d, a, b, _ pair, _ state.Mode) {
		for i := range d.lo {
			d.set(i, a.at(i)>>(b.lo[i]&63))
		}
	},
	"v_ashr_i64": func(d, a, b, _ pair, _ state.Mode) {
		for i := range d.lo {
			d.set(i, uint64(int64(a.at(i))>>(b.lo[i]&63)))
		}
	},
}

// at returns the 64 bits of lane i.
func (p pair) at(i int) uint64 { return uint64(p.lo[i]) | uint64(p.hi[i])<<32 }

// set writes the 64 bits of lane i.
func (p pair) set(i int, v uint64) { p.lo[i], p.hi[i] = uint32(v), uint32(v>>32) }

// carryOps are the operations that take or give a lane mask. The names of the carry
// adds changed with the generations, their operation did not.
var carryOps = unit.Bindings[carryOp]{
	"v_subrev_i32": subrevBorrow, // not that of GCN 1.4
	"v_mad_u64_u32": func(d, a, b, c pair, _ uint64, _ state.Mode, _ uint64) (out uint64) {
		for i := range d.lo {
			sum, carry := bits.Add64(uint64(a.lo[i])*uint64(b.lo[i]), c.at(i), 0)
			d.set(i, sum)
			out |= carry << i
		}
		return out
	},
	"v_div_scale_f32": divScaleOp(gcn.F32), "v_div_scale_f64": divScaleOp(gcn.F64),
	"v_div_fmas_f32": divFmasOp(gcn.F32), "v_div_fmas_f64": divFmasOp(gcn.F64),
	// The flag is the signed overflow of the sum. CLRX leaves it open.
	"v_mad_i64_i32": func(d, a, b, c pair, _ uint64, _ state.Mode, _ uint64) (out uint64) {
		for i := range d.lo {
			p, z := s32(a.lo[i])*s32(b.lo[i]), int64(c.at(i))
			sum := p + z
			d.set(i, uint64(sum))
			out |= uint64((p^sum)&(z^sum)) >> 63 << i
		}
		return out
	},
	"v_cndmask_b32": func(d, a, b, _ pair, in uint64, _ state.Mode, _ uint64) uint64 {
		for i := range d.lo {
			v := a.lo[i]
			if in>>i&1 != 0 {
				v = b.lo[i]
			}
			d.lo[i] = v
		}
		return 0
	},
}

func addCarry(d, a, b, c pair, _ uint64, m state.Mode, active uint64) uint64 {
	return addWithCarry(d, a, b, c, 0, m, active)
}

func subBorrow(d, a, b, c pair, _ uint64, m state.Mode, active uint64) uint64 {
	return subWithBorrow(d, a, b, c, 0, m, active)
}

func subrevBorrow(d, a, b, c pair, _ uint64, m state.Mode, active uint64) uint64 {
	return subWithBorrow(d, b, a, c, 0, m, active)
}

func subrevWithBorrow(d, a, b, c pair, in uint64, m state.Mode, active uint64) uint64 {
	return subWithBorrow(d, b, a, c, in, m, active)
}

// addWithCarry shifts the carries through a mask: lane 0 ends in bit 0.
func addWithCarry(d, a, b, _ pair, in uint64, _ state.Mode, _ uint64) (out uint64) {
	sum, x, y := d.lo, a.lo, b.lo
	_, _, _ = sum[0], x[0], y[0] // so that the loop need not check for nil
	for i := range sum {
		v := uint64(x[i]) + uint64(y[i]) + in&1
		in >>= 1
		sum[i] = uint32(v)
		out = out>>1 | v>>32<<63
	}
	return out
}

func subWithBorrow(d, a, b, _ pair, in uint64, _ state.Mode, _ uint64) (out uint64) {
	diff, x, y := d.lo, a.lo, b.lo
	_, _, _ = diff[0], x[0], y[0]
	for i := range diff {
		v := uint64(x[i]) - uint64(y[i]) - in&1
		in >>= 1
		diff[i] = uint32(v)
		out = out>>1 | v>>63<<63 // a borrow makes it negative
	}
	return out
}
