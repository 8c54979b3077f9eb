package alu

import (
	"math"

	"github.com/gcnsim/gcnsim/internal/base/executor"
)

// Reciprocals, roots, exponentials, logarithms and trigonometry. Hardware uses its own approximations; these
// functions compute in float64 and round to nearest. The float32 versions are in f32Ops.

var transcendentalOps = executor.Bindings[softOp]{
	"v_rcp_f16":        {op: approx(reciprocal), lanes: unroundedF16("rcp")},
	"v_rcp_f64":        {op: approx(reciprocal), pairs: unaryF64("rcp")},
	"v_rcp_clamp_f32":  {op: clamped(approx(reciprocal)), env: flushEnv},
	"v_rcp_clamp_f64":  {op: clamped(approx(reciprocal))},
	"v_rcp_legacy_f32": {op: legacy(approx(reciprocal)), env: flushEnv},

	"v_rsq_f16":        {op: approx(reciprocalRoot), lanes: unroundedF16("rsq")},
	"v_rsq_f64":        {op: approx(reciprocalRoot), pairs: unaryF64("rsq")},
	"v_rsq_clamp_f32":  {op: clamped(approx(reciprocalRoot)), env: flushEnv},
	"v_rsq_clamp_f64":  {op: clamped(approx(reciprocalRoot))},
	"v_rsq_legacy_f32": {op: legacy(approx(reciprocalRoot)), env: flushEnv},

	"v_sqrt_f16": {op: approx(math.Sqrt), lanes: unroundedF16("sqrt")},
	"v_sqrt_f64": {op: approx(math.Sqrt), pairs: unaryF64("sqrt")},

	"v_exp_f16": {op: approx(math.Exp2)}, "v_log_f16": {op: approx(math.Log2)},
	"v_log_clamp_f32": {op: clamped(approx(math.Log2)), env: flushEnv},

	"v_sin_f16": {op: approx(sineOfTurns)}, "v_cos_f16": {op: approx(cosineOfTurns)},

	"v_trig_preop_f64": {op: trigPreop},
}

// approx returns the operation that applies fn and rounds to nearest even. A NaN operand is quieted and returned;
// where fn is undefined the result is the negative NaN.
//
//go:noinline
func approx(fn func(x float64) float64) func(f format, a, _, _ uint64, e env) uint64 {
	return func(f format, a, _, _ uint64, e env) uint64 {
		a = f.flushIf(a, e.flushIn)
		if f.isNaN(a) {
			return f.quiet(a)
		}
		r := fn(f.float(a))
		if r != r {
			return f.defaultNaN()
		}
		return f.nearest(r, e)
	}
}

// clamped returns op with infinite results replaced by the largest finite number (GCN 1.0 and 1.1).
//
//go:noinline
func clamped(op func(f format, a, _, _ uint64, e env) uint64) func(f format, a, _, _ uint64, e env) uint64 {
	return func(f format, a, _, _ uint64, e env) uint64 {
		r := op(f, a, 0, 0, e)
		if r&^f.sign() == f.infinity() {
			r--
		}
		return r
	}
}

// legacy returns op with infinite results replaced by zero with their sign (GCN 1.0 and 1.1).
//
//go:noinline
func legacy(op func(f format, a, _, _ uint64, e env) uint64) func(f format, a, _, _ uint64, e env) uint64 {
	return func(f format, a, _, _ uint64, e env) uint64 {
		r := op(f, a, 0, 0, e)
		if r&^f.sign() == f.infinity() {
			r &= f.sign()
		}
		return r
	}
}

func reciprocal(x float64) float64 { return 1 / x }

// reciprocalRoot returns 1/sqrt(x), which is -infinity for -0.
func reciprocalRoot(x float64) float64 { return 1 / math.Sqrt(x) }

// Operands of V_SIN and V_COS are angles in turns, from -256 to 256. Beyond, the sine is 0 and the cosine 1 (AMD Vega
// ISA manual, V_SIN_F32). The reduction to an eighth of a turn is exact.

func sineOfTurns(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	if math.Abs(x) > 256 {
		return 0
	}
	return turnSine(x)
}

func cosineOfTurns(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	if math.Abs(x) > 256 {
		return 1
	}
	return turnCosine(x)
}

// turnSine returns sin(2*pi*x), which is exact for multiples of a quarter.
func turnSine(x float64) float64 {
	switch {
	case x == 0:
		return x
	case x < 0:
		return -turnSine(-x)
	}
	x -= math.Floor(x)
	switch octant := int(x * 8); octant {
	case 0:
		return math.Sin(2 * math.Pi * x)
	case 1, 2:
		return math.Cos(2 * math.Pi * (x - 0.25))
	case 3, 4:
		return math.Sin(2 * math.Pi * (0.5 - x))
	case 5, 6:
		return -math.Cos(2 * math.Pi * (x - 0.75))
	}
	return math.Sin(2 * math.Pi * (x - 1))
}

// turnCosine returns cos(2*pi*x).
func turnCosine(x float64) float64 {
	x = math.Abs(x)
	x -= math.Floor(x)
	switch octant := int(x * 8); octant {
	case 0, 7:
		return math.Cos(2 * math.Pi * (x - math.Floor(x+0.5)))
	case 1, 2:
		return math.Sin(2 * math.Pi * (0.25 - x))
	case 3, 4:
		return -math.Cos(2 * math.Pi * (x - 0.5))
	}
	return math.Sin(2 * math.Pi * (x - 0.75))
}

// twoOverPi holds the first bits of the fraction of 2/pi, most significant first.
var twoOverPi = [...]uint64{
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000,
}

// trigPreop computes V_TRIG_PREOP_F64: the 53 bits of 2/pi that segment b and the exponent of a select, with their
// place value. Source: AMD RDNA3 ISA manual.
func trigPreop(f format, a, b, _ uint64, e env) uint64 {
	shift := int(b&31) * 53
	if x := f.exponent(a); x > 1077 {
		shift += x - 1077
	}
	n := number{class: finite, exp: -shift - 1}
	word, bit := shift/64, uint(shift%64)
	at := func(i int) uint64 {
		if i < len(twoOverPi) {
			return twoOverPi[i]
		}
		return 0
	}
	n.hi = at(word)<<bit | at(word+1)>>(64-bit)
	n.hi &^= 1<<11 - 1 // keep 53 bits
	n.normalize()
	if f.exponent(a) >= 1968 {
		n.exp += 128
	}
	return f.pack(n, env{round: roundNearestEven, flushOut: e.flushOut})
}
