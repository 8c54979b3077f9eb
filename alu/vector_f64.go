package alu

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// f64Ops are the operations on float64 that use host arithmetic in the common mode: round to nearest even, denormals
// kept. narrow.go and softfloat.go implement the other modes.
var f64Ops = executor.Bindings[maskedOp]{
	"v_add_f64": nativeF64("add", format.sum), "v_mul_f64": nativeF64("mul", format.product), "v_fma_f64": fmaF64,

	"v_div_fixup_f64": fixupF64,
	"v_ldexp_f64":     ldexpF64,
}

var fmaF64 = nativeF64("fma", format.fused)

// ldexpF64 computes a * 2**b for an integer b. In the common case it adds to the exponent.
func ldexpF64(d, a, b, _ pair, m state.Mode, active uint64) {
	const least, most = -2048, 2048 // beyond all exponents
	e := envOf(isa.F64, m)
	for ; active != 0; active &= active - 1 {
		i := bits.TrailingZeros64(active) & 63
		exp, by := int32(a.hi[i]>>20&0x7ff), min(max(int32(b.lo[i]), least), most)
		if exp != 0 && exp != 0x7ff && uint32(exp+by-1) < 0x7fe {
			d.lo[i], d.hi[i] = a.lo[i], a.hi[i]+uint32(by)<<20
		} else {
			d.set(i, double.ldexp(a.at(i), int(int32(b.lo[i])), e))
		}
	}
}

//go:noinline
func nativeF64(name string, exact func(f format, a, b, c uint64, e env) uint64) maskedOp {
	native := simd.WideFloat(name)
	return func(d, a, b, c pair, m state.Mode, active uint64) {
		if e := envOf(isa.F64, m); !e.native() {
			eachF64(d, a, b, c.whole(), e, active, exact)
			return
		}
		native(d.lo, d.hi, a.lo, a.hi, b.lo, b.hi, c.lo, c.hi)
	}
}

// eachF64 applies op to the active lanes.
func eachF64(d, a, b, c pair, e env, active uint64, op func(f format, a, b, c uint64, e env) uint64) {
	for ; active != 0; active &= active - 1 {
		i := bits.TrailingZeros64(active) & 63
		d.set(i, op(double, a.at(i), b.at(i), c.at(i), e))
	}
}

// native reports whether host arithmetic computes as e requires.
func (e env) native() bool {
	return e.round == roundNearestEven && !e.flushIn && !e.flushOut
}
