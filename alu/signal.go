package alu

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Kernels quiet a signalling NaN that becomes their result. If MODE.IEEE is clear, hardware does not quiet it (rule
// FP1). The functions below restore the signalling NaN after the kernel.

// signals has the type of a result, and the operands of that type in the order in which a NaN operand becomes the
// result. If there are no operands, nothing is restored.
type signals struct {
	t        isa.Type
	operands []int
	legacy   bool // a product with 0 is 0, even that of a NaN
}

var signalsF32 = signals{t: isa.F32, operands: []int{0, 1, 2}}

// signalsOf returns the signals of r. It has no operands for minima, maxima and medians, which distinguish NaNs
// themselves, for V_DIV_SCALE, which never quiets a NaN, and for V_CUBE, which selects an operand.
func signalsOf(r *isa.Row) signals {
	s := signals{t: r.Sig.Dst}
	for _, name := range [...]string{"v_min", "v_max", "v_med3", "v_div_scale", "v_cube"} {
		if strings.HasPrefix(r.Name, name) {
			return s
		}
	}
	if !s.t.Info().Float || !slices.Contains(r.Sig.Src[:r.Sig.NumSrc], s.t) {
		return s
	}
	for i := range 3 {
		if i >= r.Sig.NumSrc || r.Sig.Src[i] == s.t {
			s.operands = append(s.operands, i)
		}
	}
	switch {
	case strings.HasPrefix(r.Name, "v_div_fixup"): // the numerator precedes the denominator
		s.operands = []int{2, 1}
	case strings.HasPrefix(r.Name, "v_subrev"): // computes SRC1 - SRC0
		s.operands = []int{1, 0}
	case r.Name == "v_mad_legacy_f32" || r.Name == "v_mac_legacy_f32":
		s.legacy = true
	}
	return s
}

// wrap returns op followed by the restoration of signalling NaNs.
func (s signals) wrap(op vectorOp) vectorOp {
	if s.operands == nil {
		return op
	}
	if op.f32 != nil {
		op.f32 = s.f32(op.f32)
	}
	if inner := op.masked; inner != nil {
		op.masked = func(d, a, b, c pair, m state.Mode, active uint64) {
			if m&state.ModeIEEE != 0 {
				inner(d, a, b, c, m, active)
				return
			}
			var kept signalling
			s.find(&kept, [3]pair{a, b, c}, active)
			inner(d, a, b, c, m, active)
			s.restore(&kept, d)
		}
	}
	if inner := op.pairs; inner != nil {
		op.pairs = func(d, a, b, c pair, m state.Mode) {
			if m&state.ModeIEEE != 0 {
				inner(d, a, b, c, m)
				return
			}
			var kept signalling
			s.find(&kept, [3]pair{a, b, c}, state.FullExec)
			inner(d, a, b, c, m)
			s.restore(&kept, d)
		}
	}
	if inner := op.carry; inner != nil {
		op.carry = func(d, a, b, c pair, in uint64, m state.Mode, active uint64) uint64 {
			if m&state.ModeIEEE != 0 {
				return inner(d, a, b, c, in, m, active)
			}
			var kept signalling
			s.find(&kept, [3]pair{a, b, c}, active)
			out := inner(d, a, b, c, in, m, active)
			s.restore(&kept, d)
			return out
		}
	}
	return op
}

// f32 does what wrap does, for an operation on float32.
func (s signals) f32(inner f32Op) f32Op {
	return func(d, a, b, c *lanes, m state.Mode, active uint64) {
		if m&state.ModeIEEE != 0 {
			inner(d, a, b, c, m, active)
			return
		}
		var kept signalling
		s.find(&kept, [3]pair{{lo: a}, {lo: b}, {lo: c}}, active)
		inner(d, a, b, c, m, active)
		s.restore(&kept, pair{lo: d})
	}
}

// signalling holds the lanes whose result is a signalling NaN, and their NaNs.
type signalling struct {
	lanes uint64
	nan   [state.NumLanes]uint64
}

var unordered64 = simd.WideCompare("unordered f64")

// find sets k to the lanes of active whose first NaN is a signalling one. It must be called before the operation,
// which may overwrite an operand.
func (s signals) find(k *signalling, operands [3]pair, active uint64) {
	met := uint64(0)
	for _, i := range s.operands {
		switch p := operands[i].whole(); {
		case operands[i].lo == nil:
		case s.t == isa.F64:
			met |= unordered64(p.lo, p.hi, p.lo, p.hi)
		case s.t.Info().Bits16:
			met |= unordered16(p.lo, p.lo, 0)
		default:
			met |= unordered32(p.lo, p.lo, 0)
		}
	}
	f := formatOf(s.t)
	for met &= active; met != 0; met &= met - 1 {
		lane := bits.TrailingZeros64(met) & 63
		for _, i := range s.operands {
			if operands[i].lo == nil || s.legacy && i < 2 && zeroProduct(operands, lane) {
				continue
			}
			if v := operands[i].whole().get(lane, s.t); f.isNaN(v) {
				if f.isSNaN(v) {
					k.lanes, k.nan[lane] = k.lanes|1<<lane, v
				}
				break
			}
		}
	}
}

// zeroProduct reports whether the first or second float32 of a lane is 0, or a denormal, which V_MAD flushes.
func zeroProduct(operands [3]pair, lane int) bool {
	flush := env{flushIn: true}
	return single.isZero(uint64(operands[0].lo[lane]), flush) || single.isZero(uint64(operands[1].lo[lane]), flush)
}

// restore writes the NaNs of k to the results that are their quieted forms. A different NaN is the result of an
// invalid product, to which V_MAD added the NaN of k.
func (s signals) restore(k *signalling, d pair) {
	f := formatOf(s.t)
	for m := k.lanes; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros64(m) & 63; d.get(lane, s.t) == f.quiet(k.nan[lane]) {
			d.put(lane, s.t, k.nan[lane])
		}
	}
}
