package alu

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/state"
)

// f64Ops are the operations on float64 that the machine does in the usual mode: to
// nearest even, denormals kept. NaNs and other modes are left to narrow.go and softfloat.
var f64Ops = unit.Bindings[maskedOp]{
	"v_add_f64": func(d, a, b, _ pair, m state.Mode, active uint64) {
		e := envOf(gcn.F64, m)
		if !e.native() {
			eachF64(d, a, b, b, e, active, format.sum)
			return
		}
		for i := range d.lo {
			x, y := a.at(i), b.at(i)
			r := math.Float64frombits(x) + math.Float64frombits(y)
			if r != r && active>>i&1 != 0 {
				r = math.Float64frombits(double.firstNaN(x, y, 0))
			}
			d.set(i, math.Float64bits(r))
		}
	},
	"v_mul_f64": func(d, a, b, _ pair, m state.Mode, active uint64) {
		e := envOf(gcn.F64, m)
		if !e.native() {
			eachF64(d, a, b, b, e, active, format.product)
			return
		}
		for i := range d.lo {
			x, y := a.at(i), b.at(i)
			r := math.Float64frombits(x) * math.Float64frombits(y)
			if r != r && active>>i&1 != 0 {
				r = math.Float64frombits(double.firstNaN(x, y, 0))
			}
			d.set(i, math.Float64bits(r))
		}
	},
	"v_fma_f64": func(d, a, b, c pair, m state.Mode, active uint64) {
		e := envOf(gcn.F64, m)
		if !e.native() {
			eachF64(d, a, b, c, e, active, format.fused)
			return
		}
		for i := range d.lo {
			x, y, z := a.at(i), b.at(i), c.at(i)
			r := math.FMA(math.Float64frombits(x), math.Float64frombits(y), math.Float64frombits(z))
			if r != r && active>>i&1 != 0 {
				r = math.Float64frombits(double.firstNaN(x, y, z))
			}
			d.set(i, math.Float64bits(r))
		}
	},
}

// eachF64 applies op to the active lanes.
func eachF64(d, a, b, c pair, e env, active uint64, op func(f format, a, b, c uint64, e env) uint64) {
	for ; active != 0; active &= active - 1 {
		i := bits.TrailingZeros64(active) & 63
		d.set(i, op(double, a.at(i), b.at(i), c.at(i), e))
	}
}

// native reports whether the machine's arithmetic does what e asks.
func (e env) native() bool {
	return e.round == roundNearestEven && !e.flushIn && !e.flushOut
}
