package alu

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/state"
)

// The exceptions of IEEE 754, worked out with math/big and without a function of this package.

// bigPrec holds the exact sum of two products of float64.
const bigPrec = 4600

// ieee is a format by its precision and exponents.
type ieee struct {
	prec        uint
	least, most int // exponents of the smallest and of the largest normal number
	width       uint
}

var ieeeOf = map[gcn.Type]ieee{gcn.F16: {11, -14, 15, 16}, gcn.F32: {24, -126, 127, 32}, gcn.F64: {53, -1022, 1023, 64}}

// operand is a decoded number: NaN and infinities have no value.
type operand struct {
	value                        *big.Float // nil unless finite
	neg, nan, signals, inf, tiny bool
}

func (t ieee) decode(v uint64, flush bool) (o operand) {
	mant := t.prec - 1
	m, e := v%(1<<mant), v>>mant%(1<<(t.width-t.prec))
	o.neg = v>>(t.width-1) == 1
	switch {
	case e == 1<<(t.width-t.prec)-1 && m == 0:
		o.inf = true
		return o
	case e == 1<<(t.width-t.prec)-1:
		o.nan, o.signals = true, m>>(mant-1) == 0
		return o
	}
	exp := t.least - int(mant)
	if e == 0 {
		if o.tiny = m != 0; o.tiny && flush {
			m = 0
		}
	} else {
		m, exp = m+1<<mant, exp+int(e)-1
	}
	x := new(big.Float).SetPrec(bigPrec).SetUint64(m)
	o.value = x.SetMantExp(x, exp)
	if o.neg {
		o.value.Neg(o.value)
	}
	return o
}

func (o operand) zero() bool { return o.value != nil && o.value.Sign() == 0 }

// given are the exceptions of operands.
func given(all ...operand) (x state.TrapSts) {
	for _, o := range all {
		if o.signals {
			x |= state.TrapInvalid
		}
		if o.tiny {
			x |= state.TrapInputDenormal
		}
	}
	return x
}

var bigRounding = [4]big.RoundingMode{big.ToNearestEven, big.ToPositiveInf, big.ToNegativeInf, big.ToZero}

// rounded returns the exceptions of rounding v, and what it becomes: nil for an infinity.
func (t ieee) rounded(v *big.Float, round int, flush bool) (x state.TrapSts, r *big.Float) {
	r = new(big.Float).SetPrec(t.prec).SetMode(bigRounding[round]).Set(v)
	if v.Sign() == 0 {
		return 0, r
	}
	inexact := r.Cmp(v) != 0 || v.Acc() != big.Exact
	exp := r.MantExp(nil) - 1
	switch {
	case exp > t.most:
		largest := new(big.Float).SetPrec(t.prec).SetMantExp(big.NewFloat(1), t.most+1)
		largest.Sub(largest, new(big.Float).SetMantExp(big.NewFloat(1), t.most+1-int(t.prec)))
		switch neg := v.Signbit(); {
		case round == 3, round == 1 && neg, round == 2 && !neg:
			if r = largest; neg {
				r.Neg(r)
			}
		default:
			r = nil
		}
		return state.TrapOverflow | state.TrapInexact, r
	case exp < t.least:
		units := new(big.Float).SetPrec(bigPrec)
		units.SetMantExp(v, -(t.least - int(t.prec) + 1))
		if flush || !units.IsInt() || v.Acc() != big.Exact {
			return state.TrapUnderflow | state.TrapInexact, new(big.Float).SetPrec(t.prec)
		}
		return 0, r
	case inexact:
		return state.TrapInexact, r
	}
	return 0, r
}

// lane is what a reference sees: operands, and how the result rounds.
type raiseLane struct {
	o     [3]operand
	bits  [3]uint64
	to    ieee
	round int
	flush bool
}

func exact() *big.Float { return new(big.Float).SetPrec(bigPrec) }

func (l *raiseLane) is(v *big.Float) state.TrapSts {
	x, _ := l.to.rounded(v, l.round, l.flush)
	return x
}

func (l *raiseLane) plus(a, b operand) state.TrapSts {
	switch {
	case a.nan || b.nan:
		return 0
	case a.inf && b.inf && a.neg != b.neg:
		return state.TrapInvalid
	case a.inf || b.inf:
		return 0
	}
	return l.is(exact().Add(a.value, b.value))
}

func minus(o operand) operand {
	o.neg = !o.neg
	if o.value != nil {
		o.value = exact().Neg(o.value)
	}
	return o
}

func (l *raiseLane) times(a, b operand) (state.TrapSts, operand) {
	neg := a.neg != b.neg
	switch {
	case a.nan || b.nan:
		return 0, operand{nan: true}
	case a.inf && b.zero() || a.zero() && b.inf:
		return state.TrapInvalid, operand{nan: true}
	case a.inf || b.inf:
		return 0, operand{inf: true, neg: neg}
	}
	x, r := l.to.rounded(exact().Mul(a.value, b.value), l.round, l.flush)
	if r == nil {
		return x, operand{inf: true, neg: neg}
	}
	return x, operand{value: r, neg: neg}
}

func (l *raiseLane) over(a, b operand) state.TrapSts {
	switch {
	case a.nan || b.nan:
		return 0
	case a.inf && b.inf, a.zero() && b.zero():
		return state.TrapInvalid
	case b.zero() && !a.inf:
		return state.TrapDivByZero
	case a.inf || b.inf || a.zero():
		return 0
	}
	return l.is(exact().Quo(a.value, b.value))
}

func raiseFma(l *raiseLane) state.TrapSts {
	a, b, c := l.o[0], l.o[1], l.o[2]
	neg := a.neg != b.neg
	switch {
	case a.nan || b.nan || c.nan:
		return 0
	case a.inf && b.zero() || a.zero() && b.inf:
		return state.TrapInvalid
	case (a.inf || b.inf) && c.inf && neg != c.neg:
		return state.TrapInvalid
	case a.inf || b.inf || c.inf:
		return 0
	}
	return l.is(exact().Add(exact().Mul(a.value, b.value), c.value))
}

// root judges the square root of a, or one over it.
func (l *raiseLane) root(a operand, inverse bool) state.TrapSts {
	switch {
	case a.nan:
		return 0
	case a.zero() && inverse:
		return state.TrapDivByZero
	case a.zero():
		return 0
	case a.neg:
		return state.TrapInvalid
	case a.inf:
		return 0
	}
	v := new(big.Float).SetPrec(400).Sqrt(a.value)
	if inverse {
		v = new(big.Float).SetPrec(400).Quo(big.NewFloat(1), v)
	}
	r := new(big.Float).SetPrec(l.to.prec).Set(v)
	square := exact().Mul(r, r)
	if inverse {
		square.Mul(square, a.value)
		if square.Cmp(big.NewFloat(1)) == 0 {
			return 0
		}
	} else if square.Cmp(a.value) == 0 {
		return 0
	}
	return state.TrapInexact
}

func whole(l *raiseLane, least, most int64) state.TrapSts {
	a := l.o[0]
	if a.value == nil {
		return state.TrapInvalid
	}
	i, acc := a.value.Int(nil)
	switch {
	case i.Cmp(big.NewInt(least)) < 0 || i.Cmp(big.NewInt(most)) > 0:
		return state.TrapInvalid
	case acc != big.Exact:
		return state.TrapInexact
	}
	return 0
}

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

// interesting returns a number near the borders of t, or any.
func (t ieee) interesting(rnd *rand.Rand) uint64 {
	mant, sign := t.prec-1, rnd.Uint64()%2<<(t.width-1)
	top := uint64(1)<<(t.width-t.prec) - 1
	m := rnd.Uint64() % (1 << mant)
	switch rnd.IntN(8) {
	case 0:
		return sign // zero
	case 1:
		return sign | m // denormal
	case 2:
		return sign | top<<mant | [3]uint64{0, 1, m | 1<<(mant-1)}[rnd.IntN(3)]
	case 3:
		return sign | rnd.Uint64N(top)<<mant // power of two
	case 4:
		return sign | (top/2+rnd.Uint64N(8))<<mant | m&(1<<mant-1<<(mant-4)) // a short number near 1
	case 5:
		return sign | (1+rnd.Uint64N(4))<<mant | m
	case 6:
		return sign | (top-1-rnd.Uint64N(4))<<mant | m | 1<<mant - 1<<3
	}
	return sign | rnd.Uint64N(top)<<mant | m
}

// instruction builds an instruction.
func instruction(t *testing.T, name string, enc gcn.Encoding, g gcn.Gen, fields map[gcn.Field]int64) gcn.Inst {
	t.Helper()
	in, ok := build(t, g, lookup(t, name, g), enc, fields)
	require.True(t, ok, name)
	return in
}

// TestRaisedExceptions compares what rows raise with what IEEE 754 says, in all modes of rounding and of
// denormals, and with some lanes off.
func TestRaisedExceptions(t *testing.T) {
	const operands = 12_096 // seven of eight are in active lanes
	for _, c := range append(raiseCases(), moreRaiseCases()...) {
		rnd := rand.New(rand.NewPCG(33, uint64(len(c.name))))
		fields := map[gcn.Field]int64{gcn.SRC0: 256, gcn.SRC1: 258, gcn.SRC2: 260, gcn.VDST: 6}
		if c.clamp {
			fields[gcn.CLAMP] = 1
		}
		if c.name[:5] == "v_mac" { // the destination is the addend
			delete(fields, gcn.SRC2)
			fields[gcn.VDST] = 4
		}
		in := instruction(t, c.name, gcn.VOP3A, gcn.GCN14, fields)
		raises, why := executor.RaisedBy(&in)
		require.Empty(t, why)
		require.NotNil(t, raises, c.name)
		src, dst := ieeeOf[c.src], ieeeOf[c.dst]
		for range effort.Rounds(operands) / state.NumLanes {
			w := state.NewWave(gcn.GFX900, 8)
			w.Mode = state.Mode(rnd.Uint32() & 0xff)
			w.SetExec(rnd.Uint64() | rnd.Uint64() | rnd.Uint64())
			if c.vcc {
				w.SetScalar64(gcn.VCC, state.FullExec)
			}
			var bits [3]lanes64
			for n := range c.n {
				for i := range state.NumLanes {
					v := src.interesting(rnd)
					if n >= c.floats() {
						v = uint64(int64(rnd.Uint32()) >> rnd.IntN(33) * int64(1-2*rnd.IntN(2)))
					}
					bits[n][i] = v
					w.V[2*n][i], w.V[2*n+1][i] = uint32(v), uint32(v>>32)
				}
			}
			var got executor.Raised
			before := w.V[6]
			raises(w, &got)
			require.Equal(t, before, w.V[6])
			for i := range state.NumLanes {
				want := state.TrapSts(0)
				if w.Exec()>>i&1 != 0 {
					want = c.want(w.Mode, src, dst, [3]uint64{bits[0][i], bits[1][i], bits[2][i]})
				}
				lane := state.TrapSts(0)
				for e, on := range got {
					lane |= state.TrapSts(on >> i & 1 << e)
				}
				if lane != want {
					t.Fatalf("%s of %x with MODE %#x raises %07b, want %07b", c.name,
						[3]uint64{bits[0][i], bits[1][i], bits[2][i]}, w.Mode, lane, want)
				}
			}
		}
	}
}

type lanes64 [state.NumLanes]uint64

func (c *raiseCase) want(m state.Mode, src, dst ieee, v [3]uint64) state.TrapSts {
	fields := func(t ieee) (round int, in, out bool) {
		r, d := int(m>>2&3), m>>6&3
		if t.width == 32 {
			r, d = int(m&3), m>>4&3
		}
		return r, d&1 == 0, d&2 == 0
	}
	l := &raiseLane{to: dst, bits: v}
	_, in, _ := fields(src)
	l.round, _, l.flush = fields(dst)
	if c.flushes {
		in, l.flush = true, true
	}
	if c.nearest {
		l.round = 0
	}
	if c.toZero {
		l.round = 3
	}
	used := l.o[:0]
	for n := range c.floats() {
		used = append(used, src.decode(v[n], in))
	}
	if c.n == 3 && c.name[:9] == "v_div_fix" { // the quotient so far is not judged
		used = used[1:]
	}
	x := given(used...) | c.ref(l)
	if c.only != 0 {
		x &= c.only
	}
	return x
}

// TestExceptionsOfRows tells how many rows with floats raise exceptions, so that a new one is looked at.
func TestExceptionsOfRows(t *testing.T) {
	w := state.NewWave(gcn.GFX900, 8)
	w.SetVGPR(0, [64]uint32{5: 0x3f800000, 7: 0x3f800000})
	in := instruction(t, "v_pk_add_f16", gcn.VOP3P, gcn.GCN14, map[gcn.Field]int64{gcn.SRC0: 256, gcn.SRC1: 257, gcn.VDST: 2,
		gcn.OPSELHI: 3})
	w.V[0][9], w.V[1][9] = 0x7c00<<16, 0xfc00<<16
	raises, _ := executor.RaisedBy(&in)
	var got executor.Raised
	raises(w, &got)
	assert.Equal(t, executor.Raised{1 << 9}, got, "the high halves")

	in = instruction(t, "v_fma_mix_f32", gcn.VOP3P, gcn.GCN141, nil)
	raises, why := executor.RaisedBy(&in)
	assert.Nil(t, raises)
	assert.Contains(t, why, "not collected")
}

// TestRaisesAllocateNothing: what watches exceptions runs once an instruction.
func TestRaisesAllocateNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		enc  gcn.Encoding
	}{{"v_add_f32", gcn.VOP3A}, {"v_add_f64", gcn.VOP3A}, {"v_fma_f64", gcn.VOP3A}, {"v_rcp_f16", gcn.VOP3A},
		{"v_cvt_i32_f32", gcn.VOP3A}, {"v_pk_fma_f16", gcn.VOP3P}} {
		in := instruction(t, c.name, c.enc, gcn.GCN14, map[gcn.Field]int64{gcn.SRC0: 256, gcn.SRC1: 258, gcn.SRC2: 260})
		raises, _ := executor.RaisedBy(&in)
		w, to := state.NewWave(gcn.GFX900, 16), &executor.Raised{}
		w.Temp()
		assert.Zero(t, testing.AllocsPerRun(10, func() { raises(w, to) }), c.name)
	}
}
