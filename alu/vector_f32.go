package alu

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

func bits32(v float32) uint32 { return math.Float32bits(v) }

func denormal(v uint32) bool { return v<<1-1 < 1<<24-1 }

// exactLanes applies the operation op to the active lanes.
func exactLanes(d, a, b, c *lanes, e env, active uint64, op func(f format, a, b, c uint64, e env) uint64) {
	b, c = orZero(b), orZero(c)
	for ; active != 0; active &= active - 1 {
		i := bits.TrailingZeros64(active) & 63
		d[i] = uint32(op(single, uint64(a[i]), uint64(b[i]), uint64(c[i]), e))
	}
}

// nearest returns an operation that uses op if MODE rounds to nearest even, else exact lane by lane.
//
//go:noinline
func nearest(op simd.FloatOp, exact func(f format, a, b, c uint64, e env) uint64) f32Op {
	return func(d, a, b, c *lanes, m state.Mode, active uint64) {
		if round32(m) != roundNearestEven {
			exactLanes(d, a, b, c, envOf(isa.F32, m), active, exact)
			return
		}
		in, out := flushed32(m)
		op(d, a, b, c, in, out)
	}
}

// flushed32 returns the bits that denormal operands and denormal results lose, as package simd expects them.
func flushed32(m state.Mode) (in, out uint32) {
	if d := denorm32(m); d != keepAll {
		in, out = lost(d&keepIn == 0), lost(d&keepOut == 0)
	}
	return in, out
}

func lost(flush bool) uint32 {
	if flush {
		return simd.Flush
	}
	return 0
}

// nearestOp does what [nearest] does, for the operation of package simd with that name.
func nearestOp(name string, exact func(f format, a, b, c uint64, e env) uint64) described {
	return floatOp(name, nearest(simd.Float(name), exact), flushed32)
}

// flushesAlways does what [flushed32] does, for operations that flush denormals whatever MODE selects.
func flushesAlways(state.Mode) (in, out uint32) { return simd.Flush, simd.Flush }

// always returns an operation that flushes denormals whatever MODE selects. Source: LLVM AMDGPU, "v_mad_f32 and
// v_mac_f32 do not support denormals".
//
//go:noinline
func always(op f32Op) f32Op {
	return func(d, a, b, c *lanes, m state.Mode, active uint64) { op(d, a, b, c, m&^state.ModeDenorm32, active) }
}

var (
	fmaF32 = nearest(simd.Float("fma"), format.fused)
	madF32 = always(nearest(simd.Float("mad"), format.multiplyAdd))
)

// f32Ops are the operations on float32.
var f32Ops = executor.Bindings[kernel]{
	"v_add_f32": nearestOp("add", format.sum),
	"v_sub_f32": nearestOp("sub", format.difference),
	"v_subrev_f32": floatOp("sub", func(d, a, b, _ *lanes, m state.Mode, active uint64) {
		subF32(d, b, a, nil, m, active)
	}, flushed32).swapped(),
	"v_mul_f32":            nearestOp("mul", format.product),
	"v_fma_f32 v_fmac_f32": floatOp("fma", fmaF32, flushed32),
	"v_mad_f32 v_mac_f32 v_madak_f32 v_madmk_f32": floatOp("mad", madF32, flushesAlways),

	"v_trunc_f32": wholeF32("trunc"), "v_ceil_f32": wholeF32("ceil"), "v_floor_f32": wholeF32("floor"),
	"v_rndne_f32": wholeF32("rndne"),
	"v_fract_f32": nearestOp("fract", format.fract),

	"v_rcp_f32 v_rcp_iflag_f32": doubleF32("rcp"), "v_rsq_f32": doubleF32("rsq"), "v_sqrt_f32": doubleF32("sqrt"),
	"v_exp_f32 v_exp_legacy_f32": flushesF32(simd.Part("exp2")),
	"v_log_f32 v_log_legacy_f32": flushesF32(simd.Part("log2")),
	"v_sin_f32":                  unrounded(simd.Part("sin turns")), "v_cos_f32": unrounded(simd.Part("cos turns")),
	"v_ldexp_f32": nearest(simd.Part("ldexp"), func(f format, a, b, _ uint64,
		e env) uint64 {
		return f.scaled(a, int(int32(b)), e)
	}),

	// Cube map coordinates of the direction (a, b, c) = (x, y, z). Source: CLRX, V_CUBEID_F32 to
	// V_CUBETC_F32; AMD Vega ISA manual.
	"v_cubeid_f32": unrounded(simd.Part("cube id")), "v_cubesc_f32": unrounded(simd.Part("cube sc")),
	"v_cubetc_f32": unrounded(simd.Part("cube tc")),
	"v_cubema_f32": nearest(simd.Part("cube ma"), cubeMajor),

	"v_div_fixup_f32": nearest(simd.Part("div fixup"), format.divFixup),

	"v_mul_legacy_f32": nearestOp("mul legacy", mulLegacy),
	"v_mac_legacy_f32 v_mad_legacy_f32": floatOp("mad legacy", always(nearest(simd.Float("mad legacy"), madLegacy)),
		flushesAlways),

	"v_cvt_f32_i32": rounded("f32 of i32", func(a uint32) float64 { return float64(int32(a)) }),
	"v_cvt_f32_u32": rounded("f32 of u32", func(a uint32) float64 { return float64(a) }),
}

var subF32 = nearest(simd.Float("sub"), format.difference)

// wholeF32 returns the operation that rounds to integers. Results are never denormal.
//
//go:noinline
func wholeF32(name string) kernel {
	op := simd.Float(name)
	return floatOp(name, func(d, a, _, _ *lanes, m state.Mode, _ uint64) {
		in, _ := flushed32(m)
		op(d, a, nil, nil, in, 0)
	}, func(m state.Mode) (in, out uint32) {
		in, _ = flushed32(m)
		return in, 0
	})
}

// flushesF32 returns an operation that always rounds to nearest even and flushes denormals, whatever MODE selects.
//
//go:noinline
func flushesF32(op simd.FloatOp) f32Op {
	return func(d, a, _, _ *lanes, _ state.Mode, _ uint64) { op(d, a, nil, nil, simd.Flush, simd.Flush) }
}

// doubleF32 returns an operation of package simd that computes in float64.
func doubleF32(name string) described {
	return floatOp(name, flushesF32(simd.Float(name)), flushesAlways)
}

// unrounded returns an operation that does not round, or always rounds to nearest even.
//
//go:noinline
func unrounded(op simd.FloatOp) f32Op {
	return func(d, a, b, c *lanes, m state.Mode, _ uint64) {
		in, out := flushed32(m)
		op(d, a, b, c, in, out)
	}
}

// extremeF32 is a minimum, maximum or median. fast is its version outside of IEEE mode, in which signalling and quiet
// NaNs differ.
type extremeF32 struct {
	fast  string
	exact func(f format, a, b, c uint64, e env) uint64
}

var extremes = executor.Bindings[extremeF32]{
	"v_min_f32": {"min", format.minOp}, "v_min3_f32": {"min3", format.min3},
	"v_max_f32": {"max", format.maxOp}, "v_max3_f32": {"max3", format.max3},
	"v_med3_f32": {"med3", format.med3},
}

var unordered32 = simd.Compare("unordered f32")

func (x extremeF32) vector(in *isa.Inst, _ *isa.Row) vectorOp {
	fast, tr := simd.Float(x.fast), isa.TraitsOf(in.Target)
	flushes := func(m state.Mode) (uint32, uint32) { //nolint:unparam // as of [minMaxEnv]; the type is that of Flush
		if in, out := flushed32(m); tr.MinMaxDenorm {
			return in | out, 0
		}
		return 0, 0
	}
	does := &block.Vector{Float: &block.Float{Op: vector.FloatOp(x.fast), Flush: flushes, Extreme: true}}
	return vectorOp{block: does, f32: func(d, a, b, c *lanes, m state.Mode, active uint64) {
		if m&state.ModeIEEE != 0 && (unordered32(a, b, 0) != 0 || c != nil && unordered32(c, c, 0) != 0) {
			exactLanes(d, a, b, c, minMaxEnv(isa.F32, m, tr), active, x.exact)
			return
		}
		flush, _ := flushes(m)
		fast(d, a, b, c, flush, 0)
	}}
}

// rounded returns a conversion. It uses the operation of package simd with that name if MODE rounds to nearest even,
// else it rounds the result of value. Results are never NaN or denormal.
//
//go:noinline
func rounded(name string, value func(a uint32) float64) kernel {
	op := simd.Convert(name)
	return described{f32Op(func(d, a, _, _ *lanes, m state.Mode, active uint64) {
		if round32(m) == roundNearestEven {
			op(d, a, nil, nil)
			return
		}
		e := envOf(isa.F32, m)
		for ; active != 0; active &= active - 1 {
			i := bits.TrailingZeros64(active) & 63
			d[i] = uint32(single.narrow(value(a[i]), e))
		}
	}), block.Vector{Op: vector.Conversion(name)}}
}

// f32Conversions are the conversions that do not depend on the rounding mode: to integers, towards zero, and from
// bytes.
var f32Conversions = executor.Bindings[kernel]{
	"v_cvt_i32_f32":    convertOp("i32 of f32"),
	"v_cvt_u32_f32":    convertOp("u32 of f32"),
	"v_cvt_f32_ubyte0": convertOp("f32 of byte 0"),
	"v_cvt_f32_ubyte1": convertOp("f32 of byte 1"),
	"v_cvt_f32_ubyte2": convertOp("f32 of byte 2"),
	"v_cvt_f32_ubyte3": convertOp("f32 of byte 3"),
}

// scaleAndClamp applies OMOD and CLAMP to a floating-point result. OMOD is ignored in IEEE mode and if output
// denormals are kept; it flushes denormals and converts -0 to +0. Source: AMD Vega ISA manual, "Output modifiers".
func scaleAndClamp(o *result, d pair, m state.Mode, active uint64) {
	f := formatOf(o.t)
	e := envOf(o.t, m)
	omod := o.omod
	if m&state.ModeIEEE != 0 || !e.flushOut {
		omod = 0
	}
	if o.t == isa.F32 && (omod == 0 || e.round == roundNearestEven && unordered32(d.lo, d.lo, 0) == 0) {
		if omod != 0 {
			mulF32(d.lo, d.lo, &omodFactors[omod], nil, lost(e.flushIn), simd.Flush)
			addF32(d.lo, d.lo, &zeroLanes, nil, 0, 0) // converts -0 to +0
		}
		if o.clamp {
			clampF32(d.lo, d.lo, nil, nil, lost(m&state.ModeDX10Clamp != 0), 0)
		}
		return
	}
	scale := [4]uint64{0, 1, 2, 0}[omod]
	one := uint64(f.bias()) << f.mant
	for ; active != 0; active &= active - 1 {
		i := bits.TrailingZeros64(active) & 63
		v := d.get(i, o.t)
		if omod != 0 && !f.isNaN(v) {
			factor := one + scale<<f.mant
			if omod == 3 {
				factor = one - 1<<f.mant
			}
			v = f.flush(f.product(v, factor, 0, e))
			if v == f.sign() {
				v = 0
			}
		}
		if o.clamp {
			switch {
			case f.isNaN(v):
				if m&state.ModeDX10Clamp != 0 {
					v = 0
				}
			case v&f.sign() != 0:
				v = 0
			default:
				v = min(v, one)
			}
		}
		d.put(i, o.t, v)
	}
}

var (
	clampF32       = simd.Float("clamp")
	addF32, mulF32 = simd.Float("add"), simd.Float("mul")
)

// omodFactors holds the factors of OMOD, each in all lanes.
var omodFactors = func() (by [4]lanes) {
	for omod, factor := range [...]float32{1, 2, 4, 0.5} {
		simd.Fill(&by[omod], math.Float32bits(factor))
	}
	return by
}()

// get and put read and write lane i as a float of type t.
func (p pair) get(i int, t isa.Type) uint64 {
	if t.Info().Dwords == 2 {
		return p.at(i)
	}
	if t.Info().Bits16 {
		return uint64(p.lo[i] & 0xffff)
	}
	return uint64(p.lo[i])
}

func (p pair) put(i int, t isa.Type, v uint64) {
	if t.Info().Dwords == 2 {
		p.set(i, v)
		return
	}
	p.lo[i] = uint32(v)
}

func formatOf(t isa.Type) format {
	switch t {
	case isa.F16:
		return half
	case isa.F64:
		return double
	}
	return single
}
