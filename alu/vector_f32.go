package alu

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/state"
)

func f32(v uint32) float32    { return math.Float32frombits(v) }
func bits32(v float32) uint32 { return math.Float32bits(v) }

// The loops below give what format single gives. They use the machine's arithmetic
// where it rounds the same way and leave the rest, lane by lane, to narrow.go:
// denormals, NaNs, and every rounding but to nearest even.

// mag is a float's bits without the sign, times two: denormals are 1 to 0xffffff.
func mag(v uint32) uint32 { return v << 1 }

const (
	magMin = 1 << 24    // of the smallest normal number
	magInf = 0xff << 24 // of infinity
	// magSafe is the magnitude of 2**-100: no denormal addend changes a sum that
	// rounds to this or more.
	magSafe = (127 - 100) << 24
)

// normal reports whether v is neither zero, denormal, infinite nor NaN.
func normal(v uint32) bool { return mag(v)-magMin < magInf-magMin }

func denormal(v uint32) bool { return mag(v)-1 < magMin-1 }

// nanOf is the NaN of an operation on x and y: the first of them, quieted, or that of an
// invalid operation. Lanes that are switched off often compute with one.
func nanOf(x, y uint32) uint32 {
	quiet := uint32(single.quietBit())
	switch {
	case mag(x) > magInf:
		return x | quiet
	case mag(y) > magInf:
		return y | quiet
	}
	return uint32(single.defaultNaN())
}

// The loops below leave out the slow lanes that are not active: lanes that are switched off
// often hold a NaN.

// exactLanes applies the operation op to the active lanes.
func exactLanes(d, a, b, c *lanes, e env, active uint64, op func(f format, a, b, c uint64, e env) uint64) {
	c = orZero(c)
	for ; active != 0; active &= active - 1 {
		i := bits.TrailingZeros64(active) & 63
		d[i] = uint32(op(single, uint64(a[i]), uint64(b[i]), uint64(c[i]), e))
	}
}

func addF32(d, a, b, _ *lanes, m state.Mode, active uint64) {
	if round32(m) != state.RoundNearestEven {
		exactLanes(d, a, b, nil, envOf(gcn.F32, m), active, format.sum)
		return
	}
	_, _, _ = d[0], a[0], b[0] // so that the loop need not check for nil
	for i := range d {
		x, y := a[i], b[i]
		r := bits32(f32(x) + f32(y))
		if mag(r)-magSafe >= magInf-magSafe && active>>i&1 != 0 {
			r = addLane(x, y, r, m)
		}
		d[i] = r
	}
}

// flushF32 makes a denormal zero, with its sign.
func flushF32(v uint32) uint32 {
	if denormal(v) {
		return v & (1 << 31)
	}
	return v
}

// addLane is x + y, where the machine says r.
func addLane(x, y, r uint32, m state.Mode) uint32 {
	if denormal(x) || denormal(y) || denormal(r) {
		switch denorm32(m) {
		case flushAll:
			x, y = flushF32(x), flushF32(y)
			r = flushF32(bits32(f32(x) + f32(y)))
		case keepAll:
		default:
			return uint32(single.sum(uint64(x), uint64(y), 0, envOf(gcn.F32, m)))
		}
	}
	if mag(r) > magInf {
		return nanOf(x, y)
	}
	return r
}

func subF32(d, a, b, _ *lanes, m state.Mode, active uint64) {
	if round32(m) != state.RoundNearestEven {
		exactLanes(d, a, b, nil, envOf(gcn.F32, m), active, format.difference)
		return
	}
	_, _, _ = d[0], a[0], b[0]
	for i := range d {
		x, y := a[i], b[i]
		r := bits32(f32(x) - f32(y))
		if mag(r)-magSafe >= magInf-magSafe && active>>i&1 != 0 {
			r = subLane(x, y, r, m)
		}
		d[i] = r
	}
}

// subLane is x - y, where the machine says r. The sign of a NaN stays.
func subLane(x, y, r uint32, m state.Mode) uint32 {
	if mag(y) > magInf {
		return addLane(x, y, r, m)
	}
	return addLane(x, y^1<<31, r, m)
}

func mulF32(d, a, b, _ *lanes, m state.Mode, active uint64) {
	if round32(m) != state.RoundNearestEven {
		exactLanes(d, a, b, nil, envOf(gcn.F32, m), active, format.product)
		return
	}
	_, _, _ = d[0], a[0], b[0]
	for i := range d {
		x, y := a[i], b[i]
		r := bits32(f32(x) * f32(y))
		if (!normal(x) || !normal(y) || !normal(r)) && active>>i&1 != 0 {
			r = mulLane(x, y, r, m)
		}
		d[i] = r
	}
}

// mulLane is x * y, where the machine says r. A zero result is right: what rounds to it
// is flushed to it as well.
func mulLane(x, y, r uint32, m state.Mode) uint32 {
	if denormal(x) || denormal(y) || denormal(r) {
		switch denorm32(m) {
		case flushAll:
			x, y = flushF32(x), flushF32(y)
			r = flushF32(bits32(f32(x) * f32(y)))
		case keepAll:
		default:
			return uint32(single.product(uint64(x), uint64(y), 0, envOf(gcn.F32, m)))
		}
	}
	if mag(r) > magInf {
		return nanOf(x, y)
	}
	return r
}

// exactSum reports whether s is a + b without rounding error (Knuth's two-sum).
func exactSum(a, b, s float64) bool {
	t := s - a
	return a-(s-t)+(b-t) == 0
}

// fmaF32 rounds once. In float64 the product is exact and the sum is rounded, so
// rounding it again goes wrong only where it was inexact and lies half way between two
// float32.
func fmaF32(d, a, b, c *lanes, m state.Mode, active uint64) {
	if round32(m) != state.RoundNearestEven {
		exactLanes(d, a, b, c, envOf(gcn.F32, m), active, format.fused)
		return
	}
	_, _, _, _ = d[0], a[0], b[0], c[0]
	for i := range d {
		x, y, z := a[i], b[i], c[i]
		if min(mag(x)-1, mag(y)-1, mag(z)-1) < magMin-1 { // a denormal: the machine takes long to convert it
			if active>>i&1 != 0 {
				d[i] = fmaLane(x, y, z, m)
			}
			continue
		}
		p, w := float64(f32(x))*float64(f32(y)), float64(f32(z))
		s := p + w
		v := math.Float64bits(s)
		if s != 0 && v<<1-f32Normal64 >= f32Range64 || v&0x1fffffff == 0x10000000 && !exactSum(p, w, s) {
			if active>>i&1 != 0 {
				d[i] = fmaLane(x, y, z, m)
			}
			continue
		}
		d[i] = bits32(float32(s))
	}
}

// The magnitude in float64, times two, of the smallest normal float32, and the range of
// those that are certain to be normal in float32.
const (
	f32Normal64 = (1023 - 126) << 53
	f32Range64  = 253 << 53
)

// fmaLane is x*y + z.
func fmaLane(x, y, z uint32, m state.Mode) uint32 {
	return uint32(single.fused(uint64(x), uint64(y), uint64(z), envOf(gcn.F32, m)))
}

// madMode is the MODE of V_MAD_F32 and V_MAC_F32, which flush denormals whatever it says.
// Source: LLVM AMDGPU, "v_mad_f32 and v_mac_f32 do not support denormals".
func madMode(m state.Mode) state.Mode { return m &^ 0x30 }

// madF32 rounds the product, then the sum.
func madF32(d, a, b, c *lanes, m state.Mode, active uint64) {
	m = madMode(m)
	if round32(m) != state.RoundNearestEven {
		exactLanes(d, a, b, c, envOf(gcn.F32, m), active, format.multiplyAdd)
		return
	}
	_, _, _, _ = d[0], a[0], b[0], c[0]
	for i := range d {
		x, y, z := a[i], b[i], c[i]
		p := f32(x) * f32(y)
		r := bits32(float32(p) + f32(z))
		if (!normal(x) || !normal(y) || denormal(z) || !normal(bits32(p)) || !normal(r)) && active>>i&1 != 0 {
			q := mulLane(x, y, bits32(p), m)
			r = addLane(q, z, bits32(f32(q)+f32(z)), m)
		}
		d[i] = r
	}
}

// maskedLanes makes a kernel of a loop over operands of 32 bits.
//
//go:noinline
func maskedLanes(op func(d, a, b, c *lanes, m state.Mode, active uint64)) maskedOp {
	return func(d, a, b, c pair, m state.Mode, active uint64) { op(d.lo, a.lo, b.lo, c.lo, m, active) }
}

// f32Ops are the operations on float32.
var f32Ops = unit.Bindings[maskedOp]{
	"v_add_f32": maskedLanes(addF32),
	"v_sub_f32": maskedLanes(subF32),
	"v_subrev_f32": maskedLanes(func(d, a, b, c *lanes, m state.Mode, active uint64) {
		subF32(d, b, a, c, m, active)
	}),
	"v_mul_f32": maskedLanes(mulF32),
	"v_fma_f32": maskedLanes(fmaF32), "v_fmac_f32": maskedLanes(fmaF32),
	"v_mad_f32": maskedLanes(madF32), "v_mac_f32": maskedLanes(madF32), "v_madak_f32": maskedLanes(madF32), "v_madmk_f32": maskedLanes(madF32),
}

// f32Conversions are those between float32 and 32-bit integers.
var f32Conversions = unit.Bindings[lanesOp]{
	"v_cvt_f32_i32": func(d, a, _, _ *lanes, m state.Mode) {
		e := envOf(gcn.F32, m)
		for i := range d {
			d[i] = roundF32(float64(int32(a[i])), e)
		}
	},
	"v_cvt_f32_u32": func(d, a, _, _ *lanes, m state.Mode) {
		e := envOf(gcn.F32, m)
		for i := range d {
			d[i] = roundF32(float64(a[i]), e)
		}
	},
	"v_cvt_i32_f32": func(d, a, _, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = uint32(clampInteger(math.Trunc(float64(f32(a[i]))), math.MinInt32, math.MaxInt32))
		}
	},
	"v_cvt_u32_f32": func(d, a, _, _ *lanes, _ state.Mode) {
		for i := range d {
			d[i] = uint32(clampInteger(math.Trunc(float64(f32(a[i]))), 0, math.MaxUint32))
		}
	},
}

// roundF32 rounds an exact result that is neither NaN nor in the range of denormals.
func roundF32(x float64, e env) uint32 {
	if e.round == state.RoundNearestEven {
		return bits32(float32(x))
	}
	return uint32(single.narrow(x, e))
}

// scaleAndClamp applies OMOD and CLAMP to a floating-point result. OMOD is ignored in
// IEEE mode and where output denormals are kept; it flushes, and makes -0 +0. Source:
// AMD Vega ISA manual, "Output modifiers".
func scaleAndClamp(o *result, d pair, m state.Mode, active uint64) {
	f := formatOf(o.t)
	e := envOf(o.t, m)
	omod := o.omod
	if m&state.ModeIEEE != 0 || !e.flushOut {
		omod = 0
	}
	scale := [4]uint64{0, 1, 2, 0}[omod]
	one := uint64(f.bias()) << f.mant
	for ; active != 0; active &= active - 1 {
		i := bits.TrailingZeros64(active) & 63
		v := d.get(i, o.t)
		if omod != 0 {
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

// get and put move a float of type t.
func (p pair) get(i int, t gcn.Type) uint64 {
	if t.Dwords() == 2 {
		return p.at(i)
	}
	if t.Bits16() {
		return uint64(p.lo[i] & 0xffff)
	}
	return uint64(p.lo[i])
}

func (p pair) put(i int, t gcn.Type, v uint64) {
	if t.Dwords() == 2 {
		p.set(i, v)
		return
	}
	p.lo[i] = uint32(v)
}

func formatOf(t gcn.Type) format {
	switch t {
	case gcn.F16:
		return half
	case gcn.F64:
		return double
	}
	return single
}
