package alu

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// softOp is a floating-point operation on one lane in any format. The first source determines the format; the result
// has the type of the destination.
type softOp struct {
	op  func(f format, a, b, c uint64, e env) uint64
	env func(t isa.Type, m state.Mode, tr *isa.Traits) env // nil for envOf
	// computes op for the active lanes, or for all; may be nil
	lanes func(d, a, b, c *lanes, e env, active uint64)
	// pairs computes all lanes of an operation with a 64-bit operand. If it returns false, it has done nothing. It may
	// be nil.
	pairs func(d, a, b pair, e env) bool
}

// modeEnv returns the environment that MODE selects for type t.
func modeEnv(t isa.Type, m state.Mode, _ *isa.Traits) env { return envOf(t, m) }

// flushEnv returns an environment that flushes denormals whatever MODE selects.
func flushEnv(t isa.Type, m state.Mode, _ *isa.Traits) env {
	e := envOf(t, m)
	e.flushIn, e.flushOut = true, true
	return e
}

// keepEnv returns an environment that keeps denormals whatever MODE selects.
func keepEnv(t isa.Type, m state.Mode, _ *isa.Traits) env {
	e := envOf(t, m)
	e.flushIn, e.flushOut = false, false
	return e
}

// minMaxEnv is the environment of minima and maxima.
func minMaxEnv(t isa.Type, m state.Mode, tr *isa.Traits) env {
	if !tr.MinMaxDenorm {
		return keepEnv(t, m, tr)
	}
	// The result is an operand, so flushing operands is enough. Zeros keep their sign.
	e := envOf(t, m)
	e.flushIn = e.flushIn || e.flushOut
	return e
}

// vector returns the kernel of the operation for a row.
func (s softOp) vector(in *isa.Inst, r *isa.Row) (op vectorOp) {
	t, tr, envFor := r.Sig.Src[0], isa.TraitsOf(in.Target), s.env
	if envFor == nil {
		envFor = modeEnv
	}
	prepare := func(m state.Mode) env {
		e := envFor(t, m, tr)
		e.tr = tr
		return e
	}
	f, mask := formatOf(t), uint64(1<<32-1)
	if t.Info().Bits16 {
		mask = 1<<16 - 1
	}
	if s.lanes != nil {
		op.masked = func(d, a, b, c pair, m state.Mode, active uint64) {
			s.lanes(d.lo, a.lo, b.lo, c.lo, prepare(m), active)
		}
		return op
	}
	if !hasPair(r) {
		op.masked = func(d, a, b, c pair, m state.Mode, active uint64) {
			e, out, x, y, z := prepare(m), d.lo, a.lo, orZero(b.lo), orZero(c.lo)
			if active == state.FullExec { // the common case, which needs no search for lanes
				for i := range out {
					out[i] = uint32(s.op(f, uint64(x[i])&mask, uint64(y[i])&mask, uint64(z[i])&mask, e))
				}
				return
			}
			for ; active != 0; active &= active - 1 {
				i := bits.TrailingZeros64(active) & 63
				out[i] = uint32(s.op(f, uint64(x[i])&mask, uint64(y[i])&mask, uint64(z[i])&mask, e))
			}
		}
		return op
	}
	op.masked = func(d, a, b, c pair, m state.Mode, active uint64) {
		e := prepare(m)
		if s.pairs != nil && s.pairs(d, a, b, e) {
			return
		}
		a, b, c = a.whole(), b.whole(), c.whole()
		for ; active != 0; active &= active - 1 {
			i := bits.TrailingZeros64(active) & 63
			v := s.op(f, a.at(i), b.at(i), c.at(i), e)
			d.lo[i] = uint32(v)
			if d.hi != nil {
				d.hi[i] = uint32(v >> 32)
			}
		}
	}
	return op
}

// zeroLanes replaces operands that an operation does not have.
var zeroLanes state.Lanes

func orZero(l *lanes) *lanes {
	if l == nil {
		return &zeroLanes
	}
	return l
}

// whole returns p with missing registers replaced by zeros, so that both can be read.
func (p pair) whole() pair { return pair{orZero(p.lo), orZero(p.hi)} }

// softOps are the operations that exist in several formats.
var softOps = executor.Bindings[softOp]{
	"v_add_f16":    {op: format.sum, lanes: sumF16},
	"v_sub_f16":    {op: format.difference, lanes: differenceF16},
	"v_subrev_f16": {op: format.difference, lanes: func(d, a, b, c *lanes, e env, active uint64) { differenceF16(d, b, a, c, e, active) }},
	"v_mul_f16":    {op: format.product, lanes: productF16},
	"v_fma_f16":    {op: format.fused, lanes: fusedF16}, "v_fma_legacy_f16": {op: format.fused, lanes: fusedF16},
	// V_MAD_F16 and V_MAC_F16 flush denormals, as V_MAD_F32 and V_MAC_F32 do.
	"v_mad_f16":        {op: format.multiplyAdd, env: flushEnv, lanes: multiplyAddF16},
	"v_mad_legacy_f16": {op: format.multiplyAdd, env: flushEnv, lanes: multiplyAddF16},
	"v_mac_f16":        {op: format.multiplyAdd, env: flushEnv, lanes: multiplyAddF16},
	"v_madak_f16":      {op: format.multiplyAdd, env: flushEnv, lanes: multiplyAddF16},
	"v_madmk_f16":      {op: format.multiplyAdd, env: flushEnv, lanes: multiplyAddF16},

	"v_mullit_f32": {op: mulLit},

	"v_min_f16":  {op: format.minOp, env: minMaxEnv, lanes: extremeF16("min", format.minOp)},
	"v_max_f16":  {op: format.maxOp, env: minMaxEnv, lanes: extremeF16("max", format.maxOp)},
	"v_min_f64":  {op: format.minOp, env: minMaxEnv, pairs: extremeF64("min")},
	"v_max_f64":  {op: format.maxOp, env: minMaxEnv, pairs: extremeF64("max")},
	"v_min3_f16": {op: format.min3, env: minMaxEnv, lanes: extremeF16("min3", format.min3)},
	"v_max3_f16": {op: format.max3, env: minMaxEnv, lanes: extremeF16("max3", format.max3)},
	"v_med3_f16": {op: format.med3, env: minMaxEnv, lanes: extremeF16("med3", format.med3)},
	"v_min_legacy_f32": {op: func(f format, a, b, _ uint64, _ env) uint64 {
		if f.less(a, b) {
			return a
		}
		return b
	}},
	"v_max_legacy_f32": {op: func(f format, a, b, _ uint64, _ env) uint64 {
		if f.less(b, a) || f.equal(a, b) {
			return a
		}
		return b
	}},

	"v_trunc_f16": {op: rounds(roundToZero), lanes: unroundedF16("trunc")},
	"v_trunc_f64": {op: rounds(roundToZero), pairs: unaryF64("trunc")},
	"v_ceil_f16":  {op: rounds(roundPlusInf), lanes: unroundedF16("ceil")},
	"v_ceil_f64":  {op: rounds(roundPlusInf), pairs: unaryF64("ceil")},
	"v_floor_f16": {op: rounds(roundMinusInf), lanes: unroundedF16("floor")},
	"v_floor_f64": {op: rounds(roundMinusInf), pairs: unaryF64("floor")},
	"v_rndne_f16": {op: rounds(roundNearestEven), lanes: unroundedF16("rndne")},
	"v_rndne_f64": {op: rounds(roundNearestEven), pairs: unaryF64("rndne")},
	"v_fract_f16": {op: format.fract, lanes: nearestF16(simd.Half("fract"), format.fract)},
	"v_fract_f64": {op: func(f format, a, _, _ uint64, e env) uint64 {
		if e.tr.FractBelowOne {
			return f.fract(a, 0, 0, e)
		}
		return f.fractUnclamped(a, 0, 0, e)
	}, pairs: func(d, a, b pair, e env) bool {
		return e.tr.FractBelowOne && e.round == roundNearestEven && fractF64(d, a, b, e)
	}},

	"v_frexp_mant_f16":    {op: format.frexpMant},
	"v_frexp_mant_f32":    {op: format.frexpMant, lanes: frexpF32("frexp mant", format.frexpMant)},
	"v_frexp_mant_f64":    {op: format.frexpMant},
	"v_frexp_exp_i16_f16": {op: format.frexpExp},
	"v_frexp_exp_i32_f32": {op: format.frexpExp, lanes: frexpF32("frexp exp", format.frexpExp)},
	"v_frexp_exp_i32_f64": {op: format.frexpExp},
	"v_ldexp_f16":         {op: func(f format, a, b, _ uint64, e env) uint64 { return f.scaled(a, int(int16(b)), e) }},
}

func (f format) isZero(v uint64, e env) bool {
	v &^= f.sign()
	return v == 0 || e.flushIn && f.isDenormal(v)
}

// mulLegacy multiplies by DX9 rules: the product of 0 and any value is 0.
func mulLegacy(f format, a, b, _ uint64, e env) uint64 {
	if f.isZero(a, e) || f.isZero(b, e) {
		return 0
	}
	return f.product(a, b, 0, e)
}

func madLegacy(f format, a, b, c uint64, e env) uint64 {
	return f.sum(mulLegacy(f, a, b, 0, e), c, 0, e)
}

// mulLit computes V_MULLIT_F32, which is -MAX_FLOAT unless SRC2 is greater than 0.
func mulLit(f format, a, b, c uint64, e env) uint64 {
	if !f.less(0, f.flushIf(c, e.flushIn)) {
		return f.sign() | (f.infinity() - 1)
	}
	return mulLegacy(f, a, b, 0, e)
}

func (f format) flushIf(v uint64, flush bool) uint64 {
	if flush {
		return f.flush(v)
	}
	return v
}

// order maps floats to integers in the same order; -0 is directly below +0.
func (f format) order(v uint64) int64 {
	if v&f.sign() != 0 {
		return -1 - int64(v&^f.sign())
	}
	return int64(v)
}

// less and equal compare as IEEE 754 does: false for NaN, -0 equals +0.
func (f format) less(a, b uint64) bool {
	return !f.isNaN(a) && !f.isNaN(b) && f.order(a) < f.order(b) && (a|b)&^f.sign() != 0
}

func (f format) equal(a, b uint64) bool {
	return !f.isNaN(a) && !f.isNaN(b) && (a == b || (a|b)&^f.sign() == 0)
}

func (f format) quiet(v uint64) uint64 { return v | f.quietBit() }

// pickNaN returns the minimum or maximum if an operand is NaN: the other operand, or in IEEE mode a signaling NaN,
// quieted. Source: AMD Vega ISA manual, V_MIN_F32 and V_MAX_F32.
func (f format) pickNaN(a, b uint64, e env) uint64 {
	switch {
	case e.ieee && f.isSNaN(a):
		return f.quiet(a)
	case e.ieee && f.isSNaN(b):
		return f.quiet(b)
	case f.isNaN(a):
		return b
	}
	return a
}

func (f format) minOp(a, b, _ uint64, e env) uint64 {
	a, b = f.flushIf(a, e.flushIn), f.flushIf(b, e.flushIn)
	switch {
	case f.isNaN(a) || f.isNaN(b):
		return f.pickNaN(a, b, e)
	case f.order(b) < f.order(a):
		return b
	}
	return a
}

func (f format) maxOp(a, b, _ uint64, e env) uint64 {
	a, b = f.flushIf(a, e.flushIn), f.flushIf(b, e.flushIn)
	switch {
	case f.isNaN(a) || f.isNaN(b):
		return f.pickNaN(a, b, e)
	case f.order(b) > f.order(a):
		return b
	}
	return a
}

// extremeF64 returns the minimum or maximum of pairs with that simd name. It returns false and does nothing if
// denormal operands are flushed, and for a NaN in IEEE mode, in which signalling and quiet NaNs differ.
//
//go:noinline
func extremeF64(name string) func(d, a, b pair, e env) bool {
	fast, unordered := simd.WideFloat(name), simd.WideCompare("unordered f64")
	return func(d, a, b pair, e env) bool {
		if e.flushIn || e.ieee && unordered(a.lo, a.hi, b.lo, b.hi) != 0 {
			return false
		}
		fast(d.lo, d.hi, a.lo, a.hi, b.lo, b.hi, nil, nil)
		return true
	}
}

var fractF64 = unaryF64("fract")

// unaryF64 returns the pairs function of an operation that does not round, or always rounds to nearest even.
//
//go:noinline
func unaryF64(name string) func(d, a, b pair, e env) bool {
	op := simd.WideFloat(name)
	return func(d, a, _ pair, e env) bool {
		if e.flushIn || e.flushOut {
			return false
		}
		op(d.lo, d.hi, a.lo, a.hi, nil, nil, nil, nil)
		return true
	}
}

func (f format) min3(a, b, c uint64, e env) uint64 { return f.minOp(f.minOp(a, b, 0, e), c, 0, e) }
func (f format) max3(a, b, c uint64, e env) uint64 { return f.maxOp(f.maxOp(a, b, 0, e), c, 0, e) }

// med3 computes the median, or the minimum if an operand is NaN (AMD Vega ISA manual, V_MED3_F32).
func (f format) med3(a, b, c uint64, e env) uint64 {
	if f.isNaN(a) || f.isNaN(b) || f.isNaN(c) {
		return f.min3(a, b, c, e)
	}
	switch top := f.max3(a, b, c, e); {
	case f.equal(top, f.flushIf(a, e.flushIn)):
		return f.maxOp(b, c, 0, e)
	case f.equal(top, f.flushIf(b, e.flushIn)):
		return f.maxOp(a, c, 0, e)
	}
	return f.maxOp(a, b, 0, e)
}

// rounds returns the operation that rounds to an integer in direction to.
//
//go:noinline
func rounds(to rounding) func(f format, a, _, _ uint64, e env) uint64 {
	return func(f format, a, _, _ uint64, e env) uint64 { return f.integer(a, to, e) }
}

// integer rounds a to an integer. A zero result has the sign of a.
func (f format) integer(a uint64, to rounding, e env) uint64 {
	a = f.flushIf(a, e.flushIn)
	if f.isNaN(a) {
		return f.quiet(a)
	}
	sign, exp := a&f.sign(), int(a>>f.mant&(1<<f.exp-1))-f.bias()
	if exp >= int(f.mant) || a&^f.sign() == 0 {
		return a
	}
	one := uint64(f.bias()) << f.mant
	up := func(below, half bool, odd bool) bool { // reports whether the magnitude increases
		switch to {
		case roundPlusInf:
			return sign == 0
		case roundMinusInf:
			return sign != 0
		case roundNearestEven:
			return !below && !half || half && odd
		}
		return false
	}
	if exp < 0 {
		isHalf := a&^f.sign() == one-1<<f.mant
		if up(exp < -1, isHalf, false) {
			return sign | one
		}
		return sign
	}
	frac := uint64(1)<<(int(f.mant)-exp) - 1
	rest, middle := a&frac, (frac+1)>>1
	if rest == 0 {
		return a
	}
	// The lowest integer bit may be the hidden one, which is set.
	odd := exp == 0 || a&(frac+1) != 0
	a &^= frac
	if up(rest < middle, rest == middle, odd) {
		a += frac + 1
	}
	return a
}

// fract computes a - floor(a). V_FRACT clamps the result to the largest number below 1.
func (f format) fract(a, _, _ uint64, e env) uint64 {
	v := f.fractUnclamped(a, 0, 0, e)
	if one := uint64(f.bias()) << f.mant; v == one {
		return one - 1
	}
	return v
}

// fractUnclamped computes a - floor(a) without the clamp; for an infinity it is NaN with its sign (CLRX,
// V_FRACT_F32).
func (f format) fractUnclamped(a, _, _ uint64, e env) uint64 {
	if a&^f.sign() == f.infinity() {
		return f.quiet(a)
	}
	return f.difference(a, f.integer(a, roundMinusInf, e), 0, e)
}

// frexpMant returns the mantissa of a in [0.5, 1) with the sign of a.
func (f format) frexpMant(a, _, _ uint64, e env) uint64 {
	n := f.unpack(a, e.flushIn)
	switch {
	case n.class == finite:
		n.exp = -1
	case n.class == infinite && !e.tr.FrexpSpecial:
		return f.defaultNaN()
	}
	return f.pack(n, e)
}

// frexpExp returns the exponent that belongs to frexpMant; 0 for zero, infinity and NaN.
func (f format) frexpExp(a, _, _ uint64, e env) uint64 {
	switch n := f.unpack(a, e.flushIn); {
	case n.class == finite:
		return uint64(n.exp + 1)
	case n.class != zero && !e.tr.FrexpSpecial:
		return ^uint64(0)
	}
	return 0
}

// frexpF32 returns the lanes function of an operation on the parts of float32. fast is the simd operation, which does
// not treat infinities and NaNs specially.
//
//go:noinline
func frexpF32(fast string, exact func(f format, a, b, c uint64, e env) uint64) func(d, a, b, c *lanes, e env,
	active uint64) {
	op := simd.Part(fast)
	return func(d, a, _, _ *lanes, e env, active uint64) {
		if e.tr.FrexpSpecial {
			op(d, a, nil, nil, lost(e.flushIn), 0)
			return
		}
		exactLanes(d, a, nil, nil, e, active, exact)
	}
}

func (f format) ldexp(a uint64, by int, e env) uint64 {
	const far = 1 << 16 // larger than the exponents of all formats
	n := f.unpack(a, e.flushIn)
	n.exp += min(max(by, -far), far) // int may have only 32 bits
	return f.pack(n, e)
}
