package alu

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// raiser computes the floating-point exceptions that the lanes of an instruction raise.
type raiser struct {
	op  func(x raising) state.TrapSts                      // nil if the instruction raises none
	env func(t isa.Type, m state.Mode, tr *isa.Traits) env // nil for envOf
	// ifClamp is set if the instruction raises inexact only together with CLAMP (rule ST20).
	ifClamp bool
	why     string // why the exceptions are not known, "" if they are
}

// raisers maps each row that has a floating-point operand to its raiser.
var raisers *executor.Table[raiser]

func init() {
	vectors := executor.OneOf(isa.VOP1, isa.VOP2, isa.VOPC, isa.VOP3A, isa.VOP3B, isa.VOP3P)
	raisers = executor.NewTable(func(r *isa.Row) bool { return vectors(r) && hasFloat(r) }, raiserByFacts, raiserBindings)
	executor.RaisedBy = raisedBy
}

// hasFloat reports whether r has an operand that consists of one or two floating-point numbers.
func hasFloat(r *isa.Row) bool {
	for _, t := range [...]isa.Type{r.Sig.Dst, r.Sig.Src[0], r.Sig.Src[1], r.Sig.Src[2]} {
		if t.Info().Float || t == isa.V2F16 {
			return true
		}
	}
	return false
}

// raiserByFacts returns the raiser of comparisons and of packed instructions, which follows from their row.
func raiserByFacts(r *isa.Row) (raiser, bool) {
	switch {
	case r.Enc == isa.VOPC && r.Cond == isa.CondClass:
		return raiser{}, true
	case r.Has(isa.Signals):
		return raiser{op: raiseUnordered}, true
	case r.Enc == isa.VOPC:
		return raiser{op: operandsOnly}, true
	case r.Half != 0:
		return packedRaisers[isa.RowOf(r.Half).Name], true
	}
	return raiser{}, false
}

const unknownExceptions = "exceptions of operations on mixed halves are not collected in TRAPSTS (" + rule.ST20 + ")"

// flushNearEnv is the environment of reciprocals and roots of float32.
func flushNearEnv(t isa.Type, m state.Mode, tr *isa.Traits) env {
	e := flushEnv(t, m, tr)
	e.round = roundNearestEven
	return e
}

// packedRaisers are the raisers of one half of packed instructions, by the name of the half's row. Packed integer
// instructions raise nothing.
var packedRaisers = map[string]raiser{
	"v_add_f16": {op: raiseSum}, "v_mul_f16": {op: raiseProduct}, "v_fma_f16": {op: raiseFused},
	"v_min_f16": {op: operandsOnly}, "v_max_f16": {op: operandsOnly},
}

var raiserBindings = executor.Bindings[raiser]{
	"v_add_f16 v_add_f32 v_add_f64":                             {op: raiseSum},
	"v_sub_f16 v_sub_f32":                                       {op: raiseDifference},
	"v_subrev_f16 v_subrev_f32":                                 {op: raiseReverseDifference},
	"v_mul_f16 v_mul_f32 v_mul_f64":                             {op: raiseProduct},
	"v_fma_f16 v_fma_legacy_f16 v_fma_f32 v_fmac_f32 v_fma_f64": {op: raiseFused},
	"v_mad_f16 v_mad_legacy_f16 v_mac_f16 v_madak_f16 v_madmk_f16 v_mad_f32 v_mac_f32 v_madak_f32 v_madmk_f32": {
		op: raiseMultiplyAdd, env: flushEnv},
	"v_mul_legacy_f32":                  {op: raiseMulLegacy},
	"v_mac_legacy_f32 v_mad_legacy_f32": {op: raiseMadLegacy, env: flushEnv},

	"v_rcp_f32 v_rcp_clamp_f32 v_rcp_legacy_f32": {op: raiseReciprocal, env: flushNearEnv},
	"v_rcp_f16 v_rcp_f64 v_rcp_clamp_f64":        {op: raiseReciprocal, env: nearestEnv},
	"v_rcp_iflag_f32":                            {op: raiseIntegerReciprocal, env: flushNearEnv},
	"v_rsq_f32 v_rsq_clamp_f32 v_rsq_legacy_f32": {op: raiseReciprocalRoot, env: flushNearEnv},
	"v_rsq_f16 v_rsq_f64 v_rsq_clamp_f64":        {op: raiseReciprocalRoot, env: nearestEnv},
	"v_sqrt_f32":                                 {op: raiseRoot, env: flushNearEnv},
	"v_sqrt_f16 v_sqrt_f64":                      {op: raiseRoot, env: nearestEnv},
	"v_log_f32 v_log_legacy_f32 v_log_clamp_f32": {op: raiseLogarithm, env: flushNearEnv},
	"v_log_f16":                  {op: raiseLogarithm, env: nearestEnv},
	"v_exp_f32 v_exp_legacy_f32": {op: raisePower, env: flushNearEnv},
	"v_exp_f16":                  {op: raisePower, env: nearestEnv},
	"v_sin_f16 v_cos_f16 v_sin_f32 v_cos_f32": {op: raiseTrig, env: nearestEnv},

	"v_div_fixup_f16 v_div_fixup_legacy_f16 v_div_fixup_f32 v_div_fixup_f64": {op: raiseDivFixup},
	"v_div_fmas_f32 v_div_fmas_f64":                                          {op: raiseDivFmas},
	"v_fract_f16 v_fract_f32 v_fract_f64":                                    {op: raiseFract},

	"v_ldexp_f16":             {op: func(x raising) state.TrapSts { return x.raiseScaled(int(int16(x.b))) }},
	"v_ldexp_f32 v_ldexp_f64": {op: func(x raising) state.TrapSts { return x.raiseScaled(int(int32(x.b))) }},

	"v_cvt_f16_f32":                        {op: raiseNarrow(half), env: toHalfEnv},
	"v_cvt_f32_f64":                        {op: raiseNarrow(single), env: crossEnv(isa.F32)},
	"v_cvt_pkrtz_f16_f32":                  {op: raiseNarrowBoth, env: towardZeroEnv},
	"v_cvt_pk_u8_f32 v_cvt_pkaccum_u8_f32": {op: raiseFirstOperand},
	"v_cvt_f16_i16": {op: raiseOfInteger(half, func(a uint64) int64 { return int64(int16(a)) }),
		env: intEnv(isa.F16)},
	"v_cvt_f16_u16": {op: raiseOfInteger(half, func(a uint64) int64 { return int64(uint16(a)) }),
		env: intEnv(isa.F16)},
	"v_cvt_f32_i32": {op: raiseOfInteger(single, func(a uint64) int64 { return int64(int32(a)) }),
		env: intEnv(isa.F32)},
	"v_cvt_f32_u32": {op: raiseOfInteger(single, func(a uint64) int64 { return int64(uint32(a)) }),
		env: intEnv(isa.F32)},
	"v_cvt_i16_f16":               {op: raiseToInteger(math.MinInt16, math.MaxInt16), ifClamp: true},
	"v_cvt_u16_f16":               {op: raiseToInteger(0, math.MaxUint16), ifClamp: true},
	"v_cvt_i32_f32 v_cvt_i32_f64": {op: raiseToInteger(math.MinInt32, math.MaxInt32), ifClamp: true},
	"v_cvt_u32_f32 v_cvt_u32_f64": {op: raiseToInteger(0, math.MaxUint32), ifClamp: true},

	"v_min_f16 v_max_f16 v_min3_f16 v_max3_f16 v_med3_f16 v_min_f32 v_max_f32 v_min3_f32 v_max3_f32 v_med3_f32 " +
		"v_min_f64 v_max_f64 v_min_legacy_f32 v_max_legacy_f32 v_trunc_f16 v_ceil_f16 v_floor_f16 v_rndne_f16 " +
		"v_trunc_f32 v_ceil_f32 v_floor_f32 v_rndne_f32 v_trunc_f64 v_ceil_f64 v_floor_f64 v_rndne_f64 " +
		"v_cubeid_f32 v_cubema_f32 v_cubesc_f32 v_cubetc_f32 v_mullit_f32 v_div_scale_f32 v_div_scale_f64 " +
		"v_frexp_mant_f16 v_frexp_mant_f32 v_frexp_mant_f64 v_frexp_exp_i16_f16 v_frexp_exp_i32_f32 " +
		"v_frexp_exp_i32_f64 v_cvt_f32_f16 v_cvt_f64_f32 v_cvt_flr_i32_f32 v_cvt_rpi_i32_f32 v_cvt_norm_i16_f16 " +
		"v_cvt_norm_u16_f16 v_cvt_pknorm_i16_f16 v_cvt_pknorm_u16_f16 v_cvt_pknorm_i16_f32 v_cvt_pknorm_u16_f32": {
		op: operandsOnly},

	"v_cvt_f64_i32 v_cvt_f64_u32 v_cvt_off_f32_i4 v_cvt_f32_ubyte0 v_cvt_f32_ubyte1 v_cvt_f32_ubyte2 " +
		"v_cvt_f32_ubyte3 v_pack_b32_f16 v_trig_preop_f64": {},

	"v_mad_mix_f32 v_mad_mixlo_f16 v_mad_mixhi_f16 v_fma_mix_f32 v_fma_mixlo_f16 v_fma_mixhi_f16 " +
		"v_dot2_f32_f16": {why: unknownExceptions},
}

// raisedBy implements [executor.RaisedBy].
func raisedBy(in *isa.Inst) (raises executor.Raises, why string) {
	x, ok := raisers.Row(in.Op)
	switch {
	case !ok || x.op == nil:
		return nil, x.why
	case in.Row().Half != 0:
		return x.packed(in), ""
	}
	r, t := in.Row(), in.Row().Sig.Src
	v := &vop{dst: in.Get(isa.VDST), wide: r.Sig.Dst.Info().Dwords == 2 && r.Sig.Dst != isa.Mask}
	v.bindSources(in, r)
	if in.Has(isa.DPPCTRL) {
		v.dpp, _ = dppOf(in)
	}
	for i := r.Sig.NumSrc; i < v.n; i++ { // the remaining operands are a constant or the destination
		t[i] = r.Sig.Dst
	}
	seen := x.seen(in)
	return func(w *state.Wave, to *executor.Raised) {
		s, mask := v.operands(w)
		y, vcc := raising{f: formatOf(t[0]), e: x.environment(in, t[0], w.Mode)}, w.Scalar64(gcn.VCC)
		for ; mask != 0; mask &= mask - 1 {
			i := bits.TrailingZeros64(mask) & 63
			lane := y
			for n, operand := range []*uint64{&lane.a, &lane.b, &lane.c}[:v.n] {
				*operand = s[n].get(i, t[n])
			}
			lane.vcc = vcc>>i&1 != 0
			to.Add(i, x.op(lane)&seen)
		}
	}, ""
}

// environment returns the rounding environment of the instruction.
func (x *raiser) environment(in *isa.Inst, t isa.Type, m state.Mode) env {
	if x.env == nil {
		return envOf(t, m)
	}
	return x.env(t, m, isa.TraitsOf(in.Target))
}

// seen returns the exceptions that the instruction can raise with its modifiers.
func (x *raiser) seen(in *isa.Inst) state.TrapSts {
	if x.ifClamp && !in.Bool(isa.CLAMP) {
		return state.TrapExcp &^ state.TrapInexact
	}
	return state.TrapExcp
}

// packed does what raisedBy does, for an instruction on two halves.
func (x *raiser) packed(in *isa.Inst) executor.Raises {
	r, v := in.Row(), &vop{}
	v.bindSources(in, r)
	halves, neg := selects(in)
	return func(w *state.Wave, to *executor.Raised) {
		t, e := w.Temp(), x.environment(in, isa.F16, w.Mode)
		for h := range halves {
			var s [3]*lanes
			for i := range v.n {
				s[i] = &t[2*i+1]
				takeHalf(s[i], v.src[i].fetch(w, i).lo, halves[h]>>i&1, neg[h]>>i&1 != 0)
			}
			b, c := orZero(s[1]), orZero(s[2])
			for m := w.Exec(); m != 0; m &= m - 1 {
				i := bits.TrailingZeros64(m) & 63
				to.Add(i, x.op(raising{f: half, a: uint64(s[0][i]), b: uint64(b[i]), c: uint64(c[i]), e: e}))
			}
		}
	}
}
