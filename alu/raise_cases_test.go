package alu

import (
	"math/big"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// raiseCase is a row with its reference.
type raiseCase struct {
	name    string
	dst     gcn.Type
	src     gcn.Type
	n       int
	flushes bool // whatever MODE says
	nearest bool // whatever MODE says
	toZero  bool // whatever MODE says
	clamp   bool
	ints    int // how many operands, the last ones, are integers
	vcc     bool
	only    state.TrapSts // what may be raised; 0 is everything
	ref     func(l *raiseLane) state.TrapSts
}

func raiseCases() (all []raiseCase) {
	add := func(names map[string]gcn.Type, c raiseCase) {
		for name, t := range names {
			c.name, c.dst, c.src = name, t, t
			all = append(all, c)
		}
	}
	mad := func(l *raiseLane) state.TrapSts {
		x, p := l.times(l.o[0], l.o[1])
		return x | l.plus(p, l.o[2])
	}
	one := operand{value: big.NewFloat(1)}
	add(map[string]gcn.Type{"v_add_f32": gcn.F32, "v_add_f64": gcn.F64, "v_add_f16": gcn.F16}, raiseCase{n: 2,
		ref: func(l *raiseLane) state.TrapSts { return l.plus(l.o[0], l.o[1]) }})
	add(map[string]gcn.Type{"v_sub_f32": gcn.F32, "v_sub_f16": gcn.F16}, raiseCase{n: 2,
		ref: func(l *raiseLane) state.TrapSts { return l.plus(l.o[0], minus(l.o[1])) }})
	add(map[string]gcn.Type{"v_subrev_f32": gcn.F32, "v_subrev_f16": gcn.F16}, raiseCase{n: 2,
		ref: func(l *raiseLane) state.TrapSts { return l.plus(l.o[1], minus(l.o[0])) }})
	add(map[string]gcn.Type{"v_mul_f32": gcn.F32, "v_mul_f64": gcn.F64, "v_mul_f16": gcn.F16}, raiseCase{n: 2,
		ref: func(l *raiseLane) state.TrapSts { x, _ := l.times(l.o[0], l.o[1]); return x }})
	add(map[string]gcn.Type{"v_fma_f32": gcn.F32, "v_fma_f64": gcn.F64, "v_fma_f16": gcn.F16}, raiseCase{n: 3, ref: raiseFma})
	add(map[string]gcn.Type{"v_mad_f32": gcn.F32, "v_mad_f16": gcn.F16}, raiseCase{n: 3, flushes: true, ref: mad})
	add(map[string]gcn.Type{"v_div_fixup_f32": gcn.F32, "v_div_fixup_f64": gcn.F64, "v_div_fixup_f16": gcn.F16},
		raiseCase{n: 3, ref: func(l *raiseLane) state.TrapSts { return l.over(l.o[2], l.o[1]) }})
	for name, t := range map[string]gcn.Type{"f32": gcn.F32, "f64": gcn.F64, "f16": gcn.F16} {
		c := raiseCase{n: 1, flushes: t == gcn.F32, nearest: true}
		c.ref = func(l *raiseLane) state.TrapSts { return l.over(one, l.o[0]) }
		add(map[string]gcn.Type{"v_rcp_" + name: t}, c)
		c.ref = func(l *raiseLane) state.TrapSts { return l.root(l.o[0], false) }
		add(map[string]gcn.Type{"v_sqrt_" + name: t}, c)
		c.ref = func(l *raiseLane) state.TrapSts { return l.root(l.o[0], true) }
		add(map[string]gcn.Type{"v_rsq_" + name: t}, c)
		c.ref = func(*raiseLane) state.TrapSts { return 0 }
		c.n = 2
		add(map[string]gcn.Type{"v_min_" + name: t, "v_max_" + name: t}, c)
	}
	all = append(all, raiseCase{name: "v_rcp_iflag_f32", dst: gcn.F32, src: gcn.F32, n: 1, flushes: true,
		only: state.TrapIntDivByZero, ref: func(l *raiseLane) state.TrapSts {
			if l.o[0].zero() {
				return state.TrapIntDivByZero
			}
			return 0
		}})
	narrow := func(l *raiseLane) state.TrapSts {
		if l.o[0].value == nil {
			return 0
		}
		return l.is(l.o[0].value)
	}
	all = append(all, raiseCase{name: "v_cvt_f16_f32", dst: gcn.F16, src: gcn.F32, n: 1, ref: narrow},
		raiseCase{name: "v_cvt_f32_f64", dst: gcn.F32, src: gcn.F64, n: 1, ref: narrow})
	for _, clamp := range []bool{false, true} {
		only := state.TrapExcp
		if !clamp {
			only &^= state.TrapInexact
		}
		signed := func(l *raiseLane) state.TrapSts { return whole(l, -1<<31, 1<<31-1) }
		unsigned := func(l *raiseLane) state.TrapSts { return whole(l, 0, 1<<32-1) }
		all = append(all,
			raiseCase{name: "v_cvt_i32_f32", dst: gcn.I32, src: gcn.F32, n: 1, clamp: clamp, only: only, ref: signed},
			raiseCase{name: "v_cvt_u32_f32", dst: gcn.U32, src: gcn.F32, n: 1, clamp: clamp, only: only, ref: unsigned},
			raiseCase{name: "v_cvt_i32_f64", dst: gcn.I32, src: gcn.F64, n: 1, clamp: clamp, only: only, ref: signed})
	}
	return all
}

// moreRaiseCases are the rows that are not the same in all formats.
func moreRaiseCases() (all []raiseCase) {
	add := func(name string, t gcn.Type, c raiseCase) {
		c.name, c.dst, c.src = name, t, t
		all = append(all, c)
	}
	integer := func(value func(v uint64) int64) func(l *raiseLane) state.TrapSts {
		return func(l *raiseLane) state.TrapSts { return l.is(exact().SetInt64(value(l.bits[0]))) }
	}
	add("v_cvt_f32_i32", gcn.F32, raiseCase{n: 1, ints: 1, ref: integer(func(v uint64) int64 { return int64(int32(v)) })})
	add("v_cvt_f32_u32", gcn.F32, raiseCase{n: 1, ints: 1, ref: integer(func(v uint64) int64 { return int64(uint32(v)) })})
	add("v_cvt_f16_i16", gcn.F16, raiseCase{n: 1, ints: 1, ref: integer(func(v uint64) int64 { return int64(int16(v)) })})
	add("v_cvt_f16_u16", gcn.F16, raiseCase{n: 1, ints: 1, ref: integer(func(v uint64) int64 { return int64(uint16(v)) })})
	scaled := func(l *raiseLane) state.TrapSts {
		by := int(int32(l.bits[1]))
		if l.to.width == 16 {
			by = int(int16(l.bits[1]))
		}
		if l.o[0].value == nil {
			return 0
		}
		return l.is(exact().SetMantExp(l.o[0].value, min(max(by, -5000), 5000)))
	}
	fract := func(l *raiseLane) state.TrapSts {
		a := l.o[0]
		switch {
		case a.inf:
			return state.TrapInvalid
		case a.nan:
			return 0
		}
		floor, acc := a.value.Int(nil)
		if acc == big.Above { // a negative number
			floor.Sub(floor, big.NewInt(1))
		}
		return l.is(exact().Sub(a.value, exact().SetInt(floor)))
	}
	logarithm := func(l *raiseLane) state.TrapSts {
		a := l.o[0]
		switch {
		case a.nan || a.inf && !a.neg:
			return 0
		case a.zero():
			return state.TrapDivByZero
		case a.neg:
			return state.TrapInvalid
		}
		if m := exact(); a.value.MantExp(m) > -1e6 && m.Cmp(big.NewFloat(0.5)) == 0 {
			return 0
		}
		return state.TrapInexact
	}
	product := func(l *raiseLane) state.TrapSts {
		if l.o[0].zero() || l.o[1].zero() {
			return 0
		}
		x, _ := l.times(l.o[0], l.o[1])
		return x
	}
	sum := func(l *raiseLane) state.TrapSts {
		if l.o[0].zero() || l.o[1].zero() {
			return 0
		}
		x, p := l.times(l.o[0], l.o[1])
		return x | l.plus(p, l.o[2])
	}
	for suffix, t := range map[string]gcn.Type{"f32": gcn.F32, "f64": gcn.F64, "f16": gcn.F16} {
		add("v_ldexp_"+suffix, t, raiseCase{n: 2, ints: 1, ref: scaled})
		add("v_fract_"+suffix, t, raiseCase{n: 1, ref: fract})
		if t != gcn.F64 {
			add("v_log_"+suffix, t, raiseCase{n: 1, flushes: t == gcn.F32, ref: logarithm})
			add("v_mac_"+suffix, t, raiseCase{n: 3, flushes: true, ref: func(l *raiseLane) state.TrapSts {
				x, p := l.times(l.o[0], l.o[1])
				return x | l.plus(p, l.o[2])
			}})
		}
		if t != gcn.F16 {
			add("v_div_fmas_"+suffix, t, raiseCase{n: 3, ref: raiseFma})
			add("v_div_fmas_"+suffix, t, raiseCase{n: 3, vcc: true, ref: raiseScaledFma})
		}
	}
	add("v_mul_legacy_f32", gcn.F32, raiseCase{n: 2, ref: product})
	add("v_mad_legacy_f32", gcn.F32, raiseCase{n: 3, flushes: true, ref: sum})
	all = append(all, raiseCase{name: "v_cvt_pkrtz_f16_f32", dst: gcn.F16, src: gcn.F32, n: 2, toZero: true,
		ref: func(l *raiseLane) (x state.TrapSts) {
			for _, o := range l.o[:2] {
				if o.value != nil {
					x |= l.is(o.value)
				}
			}
			return x
		}})
	return all
}

// raiseScaledFma is raiseFma whose exact result is scaled by the exponent of the addend.
func raiseScaledFma(l *raiseLane) state.TrapSts {
	by := 64
	if l.to.width == 64 {
		by = 128
	}
	if l.bits[2]>>(l.to.prec-1)%(1<<(l.to.width-l.to.prec)) <= uint64(l.to.most) {
		by = -by
	}
	factor := exact().SetMantExp(big.NewFloat(1), by)
	for _, n := range []int{0, 2} {
		if v := l.o[n].value; v != nil {
			l.o[n].value = exact().Mul(v, factor)
		}
	}
	return raiseFma(l)
}

// floats returns how many operands are floats.
func (c *raiseCase) floats() int { return c.n - c.ints }
