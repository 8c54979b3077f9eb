package alu

import (
	"math/big"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// raiseCase is the reference for the exceptions of a row.
type raiseCase struct {
	flushes bool // flushes denormals, whatever MODE selects
	single  bool // flushes only for float32
	nearest bool // rounds to nearest, whatever MODE selects
	toZero  bool // rounds towards zero, whatever MODE selects
	clamp   bool // raises inexact only with CLAMP
	scales  bool // VCC selects another reference
	ignores int  // number of leading operands whose exceptions are ignored
	only    state.TrapSts
	ref     func(l *raiseLane) state.TrapSts
}

// raiseCases returns the references by the names of rows. Those of comparisons are derived from the names.
func raiseCases() map[string]raiseCase {
	all := map[string]raiseCase{}
	for _, list := range []map[string]raiseCase{sumCases(), quotientCases(), conversionCases(), operandCases()} {
		for names, c := range list {
			for name := range strings.FieldsSeq(names) {
				if _, twice := all[name]; twice {
					panic(name + " has two references")
				}
				all[name] = c
			}
		}
	}
	return all
}

func sumCases() map[string]raiseCase {
	plus := func(l *raiseLane) state.TrapSts { return l.plus(l.o[0], l.o[1]) }
	times := func(l *raiseLane) state.TrapSts { x, _ := l.times(l.o[0], l.o[1]); return x }
	mad := func(l *raiseLane) state.TrapSts {
		x, p := l.times(l.o[0], l.o[1])
		return x | l.plus(p, l.o[2])
	}
	unlessZero := func(ref func(l *raiseLane) state.TrapSts) func(l *raiseLane) state.TrapSts {
		return func(l *raiseLane) state.TrapSts {
			if l.o[0].zero() || l.o[1].zero() {
				return 0
			}
			return ref(l)
		}
	}
	return map[string]raiseCase{
		"v_add_f32 v_add_f64 v_add_f16 v_pk_add_f16": {ref: plus},
		"v_sub_f32 v_sub_f16": {
			ref: func(l *raiseLane) state.TrapSts { return l.plus(l.o[0], minus(l.o[1])) }},
		"v_subrev_f32 v_subrev_f16": {
			ref: func(l *raiseLane) state.TrapSts { return l.plus(l.o[1], minus(l.o[0])) }},
		"v_mul_f32 v_mul_f64 v_mul_f16 v_pk_mul_f16": {ref: times},
		"v_mul_legacy_f32":                           {ref: unlessZero(times)},
		"v_fma_f32 v_fma_f64 v_fma_f16 v_fma_legacy_f16 v_fmac_f32 v_pk_fma_f16": {ref: raiseFma},
		"v_mad_f32 v_mad_f16 v_mad_legacy_f16 v_mac_f32 v_mac_f16 v_madak_f32 v_madak_f16 v_madmk_f32 v_madmk_f16": {
			flushes: true, ref: mad},
		"v_mad_legacy_f32 v_mac_legacy_f32": {flushes: true, ref: unlessZero(mad)},
		"v_div_fmas_f32 v_div_fmas_f64":     {scales: true, ref: raiseFma},
	}
}

func quotientCases() map[string]raiseCase {
	one := operand{value: big.NewFloat(1)}
	unary := func(ref func(l *raiseLane) state.TrapSts) raiseCase {
		return raiseCase{flushes: true, single: true, nearest: true, ref: ref}
	}
	return map[string]raiseCase{
		"v_div_fixup_f32 v_div_fixup_f64 v_div_fixup_f16 v_div_fixup_legacy_f16": {ignores: 1,
			ref: func(l *raiseLane) state.TrapSts { return l.over(l.o[2], l.o[1]) }},
		"v_rcp_f32 v_rcp_f64 v_rcp_f16 v_rcp_legacy_f32 v_rcp_clamp_f32 v_rcp_clamp_f64": unary(
			func(l *raiseLane) state.TrapSts { return l.over(one, l.o[0]) }),
		"v_sqrt_f32 v_sqrt_f64 v_sqrt_f16": unary(func(l *raiseLane) state.TrapSts { return l.root(l.o[0], false) }),
		"v_rsq_f32 v_rsq_f64 v_rsq_f16 v_rsq_legacy_f32 v_rsq_clamp_f32 v_rsq_clamp_f64": unary(
			func(l *raiseLane) state.TrapSts { return l.root(l.o[0], true) }),
		"v_log_f32 v_log_f16 v_log_legacy_f32 v_log_clamp_f32": unary(raiseLog),
		"v_exp_f32 v_exp_f16 v_exp_legacy_f32":                 unary(raiseExp2),
		"v_sin_f32 v_sin_f16 v_cos_f32 v_cos_f16":              {nearest: true, ref: raiseTurns},
		"v_rcp_iflag_f32": {flushes: true, only: state.TrapIntDivByZero, ref: func(l *raiseLane) state.TrapSts {
			if l.o[0].zero() {
				return state.TrapIntDivByZero
			}
			return 0
		}},
	}
}

func conversionCases() map[string]raiseCase {
	of := func(value func(v uint64) int64) raiseCase {
		return raiseCase{ref: func(l *raiseLane) state.TrapSts { return l.is(exact().SetInt64(value(l.bits[0]))) }}
	}
	to := func(least, most int64) raiseCase {
		return raiseCase{clamp: true, ref: func(l *raiseLane) state.TrapSts { return whole(l, least, most) }}
	}
	narrow := func(l *raiseLane) (x state.TrapSts) {
		for _, o := range l.o {
			if o.value != nil {
				x |= l.is(o.value)
			}
		}
		return x
	}
	return map[string]raiseCase{
		"v_cvt_f16_f32 v_cvt_f32_f64": {ref: narrow},
		"v_cvt_pkrtz_f16_f32":         {toZero: true, ref: narrow},
		"v_cvt_f32_i32":               of(func(v uint64) int64 { return int64(int32(v)) }),
		"v_cvt_f32_u32":               of(func(v uint64) int64 { return int64(uint32(v)) }),
		"v_cvt_f16_i16":               of(func(v uint64) int64 { return int64(int16(v)) }),
		"v_cvt_f16_u16":               of(func(v uint64) int64 { return int64(uint16(v)) }),
		"v_cvt_i32_f32 v_cvt_i32_f64": to(-1<<31, 1<<31-1),
		"v_cvt_u32_f32 v_cvt_u32_f64": to(0, 1<<32-1),
		"v_cvt_i16_f16":               to(-1<<15, 1<<15-1),
		"v_cvt_u16_f16":               to(0, 1<<16-1),
		"v_ldexp_f32 v_ldexp_f64 v_ldexp_f16": {ref: func(l *raiseLane) state.TrapSts {
			by := int(int32(l.bits[1]))
			if l.to.width == 16 {
				by = int(int16(l.bits[1]))
			}
			if l.o[0].value == nil {
				return 0
			}
			return l.is(exact().SetMantExp(l.o[0].value, min(max(by, -5000), 5000)))
		}},
		"v_fract_f32 v_fract_f64 v_fract_f16": {ref: raiseFraction},
	}
}

// operandCases lists the rows that raise the exceptions of their operands and no others.
func operandCases() map[string]raiseCase {
	return map[string]raiseCase{
		"v_min_f16 v_max_f16 v_min_f32 v_max_f32 v_min_f64 v_max_f64 v_min_legacy_f32 v_max_legacy_f32 v_pk_min_f16 " +
			"v_pk_max_f16 v_min3_f16 v_max3_f16 v_med3_f16 v_min3_f32 v_max3_f32 v_med3_f32 " +
			"v_trunc_f16 v_ceil_f16 v_floor_f16 v_rndne_f16 v_trunc_f32 v_ceil_f32 v_floor_f32 v_rndne_f32 " +
			"v_trunc_f64 v_ceil_f64 v_floor_f64 v_rndne_f64 v_cvt_f32_f16 v_cvt_f64_f32 " +
			"v_frexp_mant_f16 v_frexp_mant_f32 v_frexp_mant_f64 v_frexp_exp_i16_f16 v_frexp_exp_i32_f32 " +
			"v_frexp_exp_i32_f64 v_div_scale_f32 v_div_scale_f64 v_mullit_f32 " +
			"v_cubeid_f32 v_cubema_f32 v_cubesc_f32 v_cubetc_f32 v_cvt_flr_i32_f32 v_cvt_rpi_i32_f32 " +
			"v_cvt_norm_i16_f16 v_cvt_norm_u16_f16 v_cvt_pknorm_i16_f16 v_cvt_pknorm_u16_f16 " +
			"v_cvt_pknorm_i16_f32 v_cvt_pknorm_u16_f32 v_cvt_pk_u8_f32 v_cvt_pkaccum_u8_f32": {
			ref: func(*raiseLane) state.TrapSts { return 0 }},
	}
}

// raiseCaseOf returns the reference of r.
func raiseCaseOf(all map[string]raiseCase, r *isa.Row) (raiseCase, bool) {
	switch {
	case r.Enc != isa.VOPC:
		c, ok := all[r.Name]
		return c, ok
	case strings.HasPrefix(r.Name, "v_cmps"):
		return raiseCase{ref: func(l *raiseLane) state.TrapSts {
			if l.o[0].nan || l.o[1].nan {
				return state.TrapInvalid
			}
			return 0
		}}, true
	}
	return all["v_min_f32"], true
}
