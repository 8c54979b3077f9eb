package alu

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// f64Ops are the operations on float64 that the machine does in the usual mode: to
// nearest even, denormals kept. NaNs and other modes are left to softfloat.
var f64Ops = map[string]pairsOp{
	"v_add_f64": func(d, a, b, _ pair, m state.Mode) {
		e := envOf(gcn.F64, m)
		for i := range d.lo {
			x, y := a.at(i), b.at(i)
			r := math.Float64frombits(x) + math.Float64frombits(y)
			if r != r || !e.native() {
				d.set(i, double.add(x, y, e))
				continue
			}
			d.set(i, math.Float64bits(r))
		}
	},
	"v_mul_f64": func(d, a, b, _ pair, m state.Mode) {
		e := envOf(gcn.F64, m)
		for i := range d.lo {
			x, y := a.at(i), b.at(i)
			r := math.Float64frombits(x) * math.Float64frombits(y)
			if r != r || !e.native() {
				d.set(i, double.mul(x, y, e))
				continue
			}
			d.set(i, math.Float64bits(r))
		}
	},
	"v_fma_f64": func(d, a, b, c pair, m state.Mode) {
		e := envOf(gcn.F64, m)
		for i := range d.lo {
			x, y, z := a.at(i), b.at(i), c.at(i)
			r := math.FMA(math.Float64frombits(x), math.Float64frombits(y), math.Float64frombits(z))
			if r != r || !e.native() {
				d.set(i, double.fma(x, y, z, e))
				continue
			}
			d.set(i, math.Float64bits(r))
		}
	},
}

// native reports whether the machine's arithmetic does what e asks.
func (e env) native() bool {
	return e.round == state.RoundNearestEven && !e.flushIn && !e.flushOut
}
