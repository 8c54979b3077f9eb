package alu

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Kernels quiet the signalling NaN that becomes their result. If MODE.IEEE is clear hardware does not (rule FP1): what
// follows restores it after the kernel.

// signals has the type of a result, and the operands of the same type, in the order in which a NaN among them becomes
// the result. Without operands nothing is restored.
type signals struct {
	t        isa.Type
	operands []int
}

var signalsF32 = signals{isa.F32, []int{0, 1, 2}}

// signalsOf returns the signals of r. Minima, maxima and medians tell NaNs apart themselves, V_DIV_SCALE never quiets
// one, and V_CUBE selects an operand.
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
	case strings.HasPrefix(r.Name, "v_div_fixup"): // the numerator, then the denominator
		s.operands = []int{2, 1}
	case strings.HasPrefix(r.Name, "v_subrev"): // SRC1 - SRC0
		s.operands = []int{1, 0}
	}
	return s
}

// wrap returns op with signalling NaNs restored.
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

// f32 is wrap of an operation on float32.
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

// signalling holds the NaN that each of some lanes has as its result.
type signalling struct {
	lanes uint64
	nan   [state.NumLanes]uint64
}

var unordered64 = simd.WideCompare("unordered f64")

// find sets k to the lanes of active whose first NaN is a signalling one. It is called before the operation, whose
// result may take the place of an operand.
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
			if operands[i].lo == nil {
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

// restore puts the NaNs of k into those results that are NaNs.
func (s signals) restore(k *signalling, d pair) {
	f := formatOf(s.t)
	for m := k.lanes; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros64(m) & 63; f.isNaN(d.get(lane, s.t)) {
			d.put(lane, s.t, k.nan[lane])
		}
	}
}
