package gcn_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gcnsim/gcnsim/gcn"
)

// published are the instructions that CLRX GcnTimings lists with more than 4 cycles, by the
// term in its tables.
var published = map[gcn.Rate]string{
	gcn.HalfRate: "v_swap_b32 s_setreg_b32 s_setreg_imm32_b32",
	gcn.QuarterRate: "v_cos_f16 v_cos_f32 v_exp_f16 v_exp_f32 v_exp_legacy_f32 v_log_clamp_f32 v_log_f16 v_log_f32 v_log_legacy_f32 v_rcp_clamp_f32 v_rcp_f16 " +
		"v_rcp_f32 v_rcp_iflag_f32 v_rcp_legacy_f32 v_rsq_clamp_f32 v_rsq_f16 v_rsq_f32 v_rsq_legacy_f32 v_sin_f16 v_sin_f32 v_sqrt_f16 v_sqrt_f32 " +
		"v_div_fixup_f32 v_div_fmas_f32 v_div_scale_f32 v_mqsad_pk_u16_u8 v_mqsad_u32_u8 v_mqsad_u8 v_qsad_pk_u16_u8 v_qsad_u8",
	gcn.MultiplyRate: "v_mad_i64_i32 v_mad_u64_u32 v_mul_hi_i32 v_mul_hi_u32 v_mul_lo_i32 v_mul_lo_u32",
	gcn.FusedRate:    "v_fma_f32",
	gcn.DoubleRate: "v_ceil_f64 v_cvt_f32_f64 v_cvt_f64_f32 v_cvt_f64_i32 v_cvt_f64_u32 v_cvt_i32_f64 v_cvt_u32_f64 v_floor_f64 v_fract_f64 v_frexp_exp_i32_f64 " +
		"v_frexp_mant_f64 v_rndne_f64 v_trunc_f64 v_add_f64 v_ashr_i64 v_ashrrev_i64 v_div_fixup_f64 v_div_scale_f64 v_ldexp_f64 v_lshl_b64 v_lshlrev_b64 " +
		"v_lshr_b64 v_lshrrev_b64 v_max_f64 v_min_f64",
	gcn.DoubleMultiplyRate: "v_rcp_clamp_f64 v_rcp_f64 v_rsq_clamp_f64 v_rsq_f64 v_sqrt_f64 v_div_fmas_f64 v_fma_f64 v_mul_f64 v_trig_preop_f64",
}

// TestRates ties the rate of every ALU row to the published tables: those listed there,
// 64-bit compares, s_*_saveexec_b64, and all others at full rate.
func TestRates(t *testing.T) {
	for op := gcn.Op(1); int(op) < gcn.NumOps(); op++ {
		r := op.Row()
		if r.Enc > gcn.VOP3P || r.Enc == gcn.SMEM {
			continue
		}
		want := gcn.FullRate
		for rate, names := range published {
			if slices.Contains(strings.Fields(names), r.Name) {
				want = rate
			}
		}
		switch {
		case r.Enc == gcn.VOPC && strings.HasSuffix(r.Name, "64"):
			want = gcn.DoubleRate
		case strings.HasSuffix(r.Name, "_saveexec_b64"):
			want = gcn.HalfRate
		}
		assert.Equal(t, want, r.Rate, r.Name)
	}
}
