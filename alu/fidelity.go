package alu

import (
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/state"
)

// note is a level of fidelity below Exact and its reason.
type note struct {
	level state.Fidelity
	why   string
}

// notes says which instructions execute on incomplete knowledge, by how their
// mnemonics begin.
var notes = []struct {
	prefix string
	note
}{
	{"v_rcp_", approximation}, {"v_rsq_", approximation}, {"v_sqrt_", approximation}, {"v_exp_", approximation},
	{"v_log_", approximation}, {"v_sin_", approximation}, {"v_cos_", approximation},
	{"v_div_scale_", note{state.Assumed, "manuals of several generations differ; the one of RDNA3 and measurements on it are followed"}},
	{"v_div_fmas_", note{state.Assumed, "manuals of several generations differ; CLRX and the one of RDNA3 are followed"}},
	{"v_trig_preop_", note{state.Assumed, "follows the manual of RDNA3"}},
	{"v_cvt_pknorm_", note{state.Assumed, "the rounding is not documented: to nearest even"}},
	{"v_cvt_norm_", note{state.Assumed, "the rounding is not documented: that of MODE"}},
	{"v_mullit_", note{state.Assumed, "infinities and NaN are not documented"}},
	{"v_fma_mix", mixed}, {"v_mad_mix", mixed},
	{"v_dot2_f32_f16", note{state.Assumed, "the rounding is not documented: after each product"}},
	{"s_sendmsg", note{state.Assumed, "an interrupt is kept for inspection; nobody receives it"}},
	{"exp", note{state.Assumed, "the data are kept for inspection; no render target receives them"}},
	{"v_mad_i64_i32", note{state.Assumed, "the flag is not documented: signed overflow of the sum"}},
}

var (
	approximation = note{state.Approximate, "within 1 ulp of the exact result; hardware has its own approximation"}
	mixed         = note{state.Assumed, "rounding and denormals of the mixed forms are not documented: as in float32, then to float16"}
)

// noted gives exec the level of row r.
func noted(r *gcn.Row, exec unit.Exec) unit.Impl {
	for i := range notes {
		if n := &notes[i]; strings.HasPrefix(r.Name, n.prefix) {
			return unit.Impl{Exec: exec, Level: n.level, Why: n.why}
		}
	}
	return unit.Impl{Exec: exec, Level: state.Exact}
}
