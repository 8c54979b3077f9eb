package alu

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/state"
)

// References of the integer operations, written from the descriptions in the AMD GCN ISA manuals bit by bit or in
// wider arithmetic.

func low(v uint64, n uint) uint64 { return v % (1 << n) }

// signedOf returns the low n bits of v as a signed number.
func signedOf(v uint64, n uint) int64 {
	v = low(v, n)
	if v >= 1<<(n-1) {
		return int64(v) - 1<<n
	}
	return int64(v)
}

func clampTo(v, lo, hi int64) uint64 {
	if v < lo {
		v = lo
	}
	if v > hi {
		v = hi
	}
	return uint64(v)
}

// sum returns the reference of an integer result of n bits that CLAMP saturates.
func sum(n uint, signed bool, value func(x refLane) int64) reference {
	return func(x refLane) uint64 {
		v := value(x)
		if !x.clamp {
			return uint64(v)
		}
		if signed {
			return clampTo(v, -(1 << (n - 1)), 1<<(n-1)-1)
		}
		return clampTo(v, 0, 1<<n-1)
	}
}

// carried returns the reference of an unsigned sum or difference with its carry.
func carried(value func(x refLane, carry int64) int64) reference {
	return func(x refLane) uint64 {
		c := int64(0)
		if x.carry {
			c = 1
		}
		v := value(x, c)
		*x.out = v < 0 || v > math.MaxUint32
		if x.clamp {
			return clampTo(v, 0, math.MaxUint32)
		}
		return uint64(v)
	}
}

func bitwise(f func(a, b, c uint64) bool) reference {
	return func(x refLane) (out uint64) {
		for i := range 32 {
			if f(x.a>>i&1, x.b>>i&1, x.c>>i&1) {
				out |= 1 << i
			}
		}
		return out
	}
}

func sadOf(a, b uint64, parts, width uint, masked bool) (sum int64) {
	for i := range parts {
		x, y := int64(low(a>>(i*width), width)), int64(low(b>>(i*width), width))
		if masked && y == 0 {
			continue
		}
		if x > y {
			sum += x - y
		} else {
			sum += y - x
		}
	}
	return sum
}

func quadSadOf(masked bool) reference {
	return func(x refLane) (out uint64) {
		for i := range uint(4) {
			s := sadOf(x.a>>(8*i), x.b, 4, 8, masked) + int64(low(x.c>>(16*i), 16))
			out |= low(uint64(s), 16) << (16 * i)
		}
		return out
	}
}

func field(x refLane) (shift, length uint) { return uint(x.b % 32), uint(x.c % 32) }

func leading(v uint64, n int) uint64 {
	for i := range n {
		if v>>(n-1-i)&1 != 0 {
			return uint64(i)
		}
	}
	return math.MaxUint64
}

func middle(a, b, c int64) uint64 {
	three := []int64{a, b, c}
	slices.Sort(three)
	return uint64(three[1])
}

var intReferences = map[string]reference{
	"v_mov_b32":  func(x refLane) uint64 { return x.a },
	"v_not_b32":  bitwise(func(a, _, _ uint64) bool { return a == 0 }),
	"v_and_b32":  bitwise(func(a, b, _ uint64) bool { return a+b == 2 }),
	"v_or_b32":   bitwise(func(a, b, _ uint64) bool { return a+b != 0 }),
	"v_xor_b32":  bitwise(func(a, b, _ uint64) bool { return a != b }),
	"v_xnor_b32": bitwise(func(a, b, _ uint64) bool { return a == b }),
	"v_or3_b32":  bitwise(func(a, b, c uint64) bool { return a+b+c != 0 }),
	"v_bfi_b32": bitwise(func(a, b, c uint64) bool {
		if a == 1 {
			return b == 1
		}
		return c == 1
	}),
	"v_and_or_b32": bitwise(func(a, b, c uint64) bool { return a*b+c != 0 }),

	"v_sub_co_u32":     carried(func(x refLane, _ int64) int64 { return int64(x.a) - int64(x.b) }),
	"v_add_co_u32":     carried(func(x refLane, _ int64) int64 { return int64(x.a) + int64(x.b) }),
	"v_addc_u32":       carried(func(x refLane, c int64) int64 { return int64(x.a) + int64(x.b) + c }),
	"v_addc_co_u32":    carried(func(x refLane, c int64) int64 { return int64(x.a) + int64(x.b) + c }),
	"v_subb_u32":       carried(func(x refLane, c int64) int64 { return int64(x.a) - int64(x.b) - c }),
	"v_subb_co_u32":    carried(func(x refLane, c int64) int64 { return int64(x.a) - int64(x.b) - c }),
	"v_subbrev_u32":    carried(func(x refLane, c int64) int64 { return int64(x.b) - int64(x.a) - c }),
	"v_subbrev_co_u32": carried(func(x refLane, c int64) int64 { return int64(x.b) - int64(x.a) - c }),
	"v_subrev_co_u32":  carried(func(x refLane, _ int64) int64 { return int64(x.b) - int64(x.a) }),

	"v_add_u16":        sum(16, false, func(x refLane) int64 { return int64(x.a + x.b) }),
	"v_sub_u16":        sum(16, false, func(x refLane) int64 { return int64(x.a) - int64(x.b) }),
	"v_subrev_u16":     sum(16, false, func(x refLane) int64 { return int64(x.b) - int64(x.a) }),
	"v_add_i16":        sum(16, true, func(x refLane) int64 { return signedOf(x.a, 16) + signedOf(x.b, 16) }),
	"v_sub_i16":        sum(16, true, func(x refLane) int64 { return signedOf(x.a, 16) - signedOf(x.b, 16) }),
	"v_mul_lo_u16":     func(x refLane) uint64 { return x.a * x.b },
	"v_mul_lo_u32":     func(x refLane) uint64 { return x.a * x.b },
	"v_mul_lo_i32":     func(x refLane) uint64 { return x.a * x.b },
	"v_mul_hi_u32":     func(x refLane) uint64 { return x.a * x.b / (1 << 32) },
	"v_mul_hi_i32":     func(x refLane) uint64 { return uint64(signedOf(x.a, 32) * signedOf(x.b, 32) >> 32) },
	"v_mul_u32_u24":    func(x refLane) uint64 { return low(x.a, 24) * low(x.b, 24) },
	"v_mul_hi_u32_u24": func(x refLane) uint64 { return low(x.a, 24) * low(x.b, 24) >> 32 },
	"v_mul_i32_i24":    func(x refLane) uint64 { return uint64(signedOf(x.a, 24) * signedOf(x.b, 24)) },
	"v_mul_hi_i32_i24": func(x refLane) uint64 { return uint64(signedOf(x.a, 24) * signedOf(x.b, 24) >> 32) },
	"v_mad_u32_u24":    sum(32, false, func(x refLane) int64 { return int64(low(x.a, 24)*low(x.b, 24) + x.c) }),
	"v_mad_i32_i24": sum(32, true, func(x refLane) int64 {
		return signedOf(x.a, 24)*signedOf(x.b, 24) + signedOf(x.c,
			32)
	}),
	"v_mad_u16":        sum(16, false, func(x refLane) int64 { return int64(x.a*x.b + x.c) }),
	"v_mad_legacy_u16": sum(16, false, func(x refLane) int64 { return int64(x.a*x.b + x.c) }),
	"v_mad_i16": sum(16, true, func(x refLane) int64 {
		return signedOf(x.a, 16)*signedOf(x.b, 16) + signedOf(x.c,
			16)
	}),
	"v_mad_legacy_i16": sum(16, true, func(x refLane) int64 {
		return signedOf(x.a, 16)*signedOf(x.b, 16) + signedOf(x.c,
			16)
	}),
	"v_mad_u32_u16": sum(32, false, func(x refLane) int64 { return int64(x.a*x.b + x.c) }),
	"v_mad_i32_i16": sum(32, true, func(x refLane) int64 {
		return signedOf(x.a, 16)*signedOf(x.b, 16) + signedOf(x.c,
			32)
	}),
	"v_mad_u64_u32": func(x refLane) uint64 {
		p := x.a * x.b
		*x.out = p+x.c < p
		return p + x.c
	},
	"v_mad_i64_i32": func(x refLane) uint64 {
		p, c := signedOf(x.a, 32)*signedOf(x.b, 32), int64(x.c)
		s := p + c
		*x.out = (p >= 0) == (c >= 0) && (s >= 0) != (p >= 0)
		return uint64(s)
	},

	"v_lshlrev_b32": func(x refLane) uint64 { return x.b << (x.a % 32) },
	"v_lshl_b32":    func(x refLane) uint64 { return x.a << (x.b % 32) },
	"v_lshrrev_b32": func(x refLane) uint64 { return x.b >> (x.a % 32) },
	"v_lshr_b32":    func(x refLane) uint64 { return x.a >> (x.b % 32) },
	"v_ashrrev_i32": func(x refLane) uint64 { return uint64(signedOf(x.b, 32) >> (x.a % 32)) },
	"v_ashr_i32":    func(x refLane) uint64 { return uint64(signedOf(x.a, 32) >> (x.b % 32)) },
	"v_lshlrev_b16": func(x refLane) uint64 { return x.b << (x.a % 16) },
	"v_lshrrev_b16": func(x refLane) uint64 { return x.b >> (x.a % 16) },
	"v_ashrrev_i16": func(x refLane) uint64 { return uint64(signedOf(x.b, 16) >> (x.a % 16)) },
	"v_lshlrev_b64": func(x refLane) uint64 { return x.b << (x.a % 64) },
	"v_lshl_b64":    func(x refLane) uint64 { return x.a << (x.b % 64) },
	"v_lshrrev_b64": func(x refLane) uint64 { return x.b >> (x.a % 64) },
	"v_lshr_b64":    func(x refLane) uint64 { return x.a >> (x.b % 64) },
	"v_ashrrev_i64": func(x refLane) uint64 { return uint64(int64(x.b) >> (x.a % 64)) },
	"v_ashr_i64":    func(x refLane) uint64 { return uint64(int64(x.a) >> (x.b % 64)) },

	"v_add3_u32":     func(x refLane) uint64 { return x.a + x.b + x.c },
	"v_add_lshl_u32": func(x refLane) uint64 { return low(x.a+x.b, 32) << (x.c % 32) },
	"v_lshl_add_u32": func(x refLane) uint64 { return x.a<<(x.b%32) + x.c },
	"v_lshl_or_b32":  func(x refLane) uint64 { return x.a<<(x.b%32) | x.c },
	"v_xad_u32":      func(x refLane) uint64 { return (x.a ^ x.b) + x.c },

	"v_bfrev_b32": func(x refLane) (out uint64) {
		for i := range 32 {
			out |= x.a >> i & 1 << (31 - i)
		}
		return out
	},
	"v_ffbl_b32": func(x refLane) uint64 {
		for i := range 32 {
			if x.a>>i&1 != 0 {
				return uint64(i)
			}
		}
		return math.MaxUint64
	},
	"v_ffbh_u32": func(x refLane) uint64 { return leading(x.a, 32) },
	"v_ffbh_i32": func(x refLane) uint64 {
		if x.a>>31 != 0 {
			return leading(x.a^0xffffffff, 32)
		}
		return leading(x.a, 32)
	},
	"v_bcnt_u32_b32": func(x refLane) uint64 {
		n := x.b
		for i := range 32 {
			n += x.a >> i & 1
		}
		return n
	},
	"v_mbcnt_lo_u32_b32": func(x refLane) uint64 {
		n := x.b
		for i := 0; i < 32 && i < x.lane; i++ {
			n += x.a >> i & 1
		}
		return n
	},
	"v_mbcnt_hi_u32_b32": func(x refLane) uint64 {
		n := x.b
		for i := 32; i < x.lane; i++ {
			n += x.a >> (i - 32) & 1
		}
		return n
	},
	"v_bfm_b32": func(x refLane) uint64 { return (1<<(x.a%32) - 1) << (x.b % 32) },
	"v_bfe_u32": func(x refLane) uint64 { s, n := field(x); return low(x.a>>s, n) },
	"v_bfe_i32": func(x refLane) uint64 {
		s, n := field(x)
		if n == 0 {
			return 0
		}
		if s+n > 32 {
			n = 32 - s
		}
		return uint64(signedOf(x.a>>s, n))
	},
	"v_alignbit_b32":  func(x refLane) uint64 { return (x.a<<32 | x.b) >> (x.c % 32) },
	"v_alignbyte_b32": func(x refLane) uint64 { return (x.a<<32 | x.b) >> (x.c % 4 * 8) },
	"v_perm_b32": func(x refLane) (out uint64) {
		bytes := make([]uint64, 14)
		for i := range 8 {
			bytes[i] = low((x.a<<32|x.b)>>(8*i), 8)
		}
		for i := range 4 {
			if bytes[2*i+1] >= 128 {
				bytes[8+i] = 255
			}
		}
		bytes[13] = 255
		for i := range 4 {
			out |= bytes[min(low(x.c>>(8*i), 8), 13)] << (8 * i)
		}
		return out
	},
	"v_lerp_u8": func(x refLane) (out uint64) {
		for i := 0; i < 32; i += 8 {
			out |= (low(x.a>>i, 8) + low(x.b>>i, 8) + x.c>>i&1) / 2 << i
		}
		return out
	},
	"v_sat_pk_u8_i16": func(x refLane) uint64 {
		return clampTo(signedOf(x.a, 16), 0, 255) | clampTo(signedOf(x.a>>16, 16), 0, 255)<<8
	},
	"v_cvt_pk_u16_u32": func(x refLane) uint64 {
		return clampTo(int64(x.a), 0, 65535) | clampTo(int64(x.b), 0,
			65535)<<16
	},
	"v_cvt_pk_i16_i32": func(x refLane) uint64 {
		return low(clampTo(signedOf(x.a, 32), -32768, 32767), 16) | clampTo(signedOf(x.b, 32), -32768, 32767)<<16
	},
	"v_pack_b32_f16": func(x refLane) uint64 { return x.a | x.b<<16 },

	"v_sad_u8":    sum(32, false, func(x refLane) int64 { return int64(x.c) + sadOf(x.a, x.b, 4, 8, false) }),
	"v_sad_hi_u8": sum(32, false, func(x refLane) int64 { return int64(x.c) + sadOf(x.a, x.b, 4, 8, false)*65536 }),
	"v_sad_u16":   sum(32, false, func(x refLane) int64 { return int64(x.c) + sadOf(x.a, x.b, 2, 16, false) }),
	"v_sad_u32":   sum(32, false, func(x refLane) int64 { return int64(x.c) + sadOf(x.a, x.b, 1, 32, false) }),
	"v_msad_u8":   sum(32, false, func(x refLane) int64 { return int64(x.c) + sadOf(x.a, x.b, 4, 8, true) }),
	"v_qsad_u8":   quadSadOf(false), "v_qsad_pk_u16_u8": quadSadOf(false),
	"v_mqsad_u8": quadSadOf(true), "v_mqsad_pk_u16_u8": quadSadOf(true),

	"v_cndmask_b32": func(x refLane) uint64 {
		if x.carry {
			return x.b
		}
		return x.a
	},
}

// init adds the minima, maxima and medians.
func init() {
	for suffix, read := range map[string]func(v uint64) int64{
		"u32": func(v uint64) int64 { return int64(v) }, "i32": func(v uint64) int64 { return signedOf(v, 32) },
		"u16": func(v uint64) int64 { return int64(v) }, "i16": func(v uint64) int64 { return signedOf(v, 16) },
	} {
		intReferences["v_min_"+suffix] = func(x refLane) uint64 { return middle(math.MinInt64, read(x.a), read(x.b)) }
		intReferences["v_max_"+suffix] = func(x refLane) uint64 { return middle(math.MaxInt64, read(x.a), read(x.b)) }
		intReferences["v_med3_"+suffix] = func(x refLane) uint64 { return middle(read(x.a), read(x.b), read(x.c)) }
		intReferences["v_min3_"+suffix] = func(x refLane) uint64 {
			return middle(math.MinInt64, int64(middle(math.MinInt64, read(x.a), read(x.b))), read(x.c))
		}
		intReferences["v_max3_"+suffix] = func(x refLane) uint64 {
			return middle(math.MaxInt64, int64(middle(math.MaxInt64, read(x.a), read(x.b))), read(x.c))
		}
	}
}

func TestIntegers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for name, ref := range intReferences {
		t.Run(name, func(t *testing.T) {
			for range effort.Rounds(20) {
				everywhere(t, name, ref, nil, rnd, false, state.DefaultMode)
				everywhere(t, name, ref, nil, rnd, true, state.DefaultMode)
			}
		})
	}
	// One mnemonic means two instructions: with a carry and without.
	withCarry := func(r *isa.Row) bool { return r.Has(isa.CarryOut) }
	without := func(r *isa.Row) bool { return !r.Has(isa.CarryOut) }
	for range effort.Rounds(20) {
		for _, clamp := range []bool{false, true} {
			for _, name := range []string{"v_add_i32", "v_add_u32"} {
				everywhere(t, name, carried(func(x refLane, _ int64) int64 { return int64(x.a) + int64(x.b) }), withCarry, rnd,
					clamp, state.DefaultMode)
			}
			for _, name := range []string{"v_sub_i32", "v_sub_u32"} {
				everywhere(t, name, carried(func(x refLane, _ int64) int64 { return int64(x.a) - int64(x.b) }), withCarry, rnd,
					clamp, state.DefaultMode)
			}
			for _, name := range []string{"v_subrev_i32", "v_subrev_u32"} {
				everywhere(t, name, carried(func(x refLane, _ int64) int64 { return int64(x.b) - int64(x.a) }), withCarry, rnd,
					clamp, state.DefaultMode)
			}
			everywhere(t, "v_add_u32", sum(32, false, func(x refLane) int64 { return int64(x.a) + int64(x.b) }), without, rnd,
				clamp, state.DefaultMode)
			everywhere(t, "v_sub_u32", sum(32, false, func(x refLane) int64 { return int64(x.a) - int64(x.b) }), without, rnd,
				clamp, state.DefaultMode)
			everywhere(t, "v_subrev_u32", sum(32, false, func(x refLane) int64 { return int64(x.b) - int64(x.a) }), without,
				rnd, clamp, state.DefaultMode)
			everywhere(t, "v_add_i32", sum(32, true, func(x refLane) int64 { return signedOf(x.a, 32) + signedOf(x.b, 32) }),
				without, rnd, clamp, state.DefaultMode)
			everywhere(t, "v_sub_i32", sum(32, true, func(x refLane) int64 { return signedOf(x.a, 32) - signedOf(x.b, 32) }),
				without, rnd, clamp, state.DefaultMode)
		}
	}
}

// TestReferencesCover lists the integer operations without a reference.
func TestReferencesCover(t *testing.T) {
	elsewhere := map[string]bool{"v_nop": true, "v_mov_fed_b32": true, "v_mov_prsv_b32": true, "v_add_u32": true,
		"v_add_i32": true,
		"v_sub_u32": true, "v_sub_i32": true, "v_subrev_u32": true, "v_subrev_i32": true, "v_div_scale_f32": true,
		"v_div_scale_f64": true,
		"v_div_fmas_f32":  true, "v_div_fmas_f64": true}
	for _, keys := range []map[string]bool{names(lanesOps), names(bitOps), names(pairsOps), names(sadOps),
		names(carryOps), names(chainOps), names(saturatedOps), names(saturatedCarryOps), names(sums)} {
		for name := range keys {
			if intReferences[name] == nil && !elsewhere[name] {
				t.Errorf("%s has no reference", name)
			}
		}
	}
}

func names[T any](m map[string]T) map[string]bool {
	set := map[string]bool{}
	for all := range m {
		for n := range strings.FieldsSeq(all) {
			set[n] = true
		}
	}
	return set
}
