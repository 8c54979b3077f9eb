package alu

import (
	"strings"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Multiply-adds that round the product and the sum separately, as a program computes whose compiler contracted no
// multiply and add. V_MAD rounds twice in any case, and V_DIV_FMAS does not implement a product in the source code.
var (
	unfusedF32 = nearest(simd.Float("mad"), format.multiplyAdd)

	unfusedOps = executor.Bindings[operation]{
		"v_fma_f32 v_fmac_f32":       vectorRow{unfusedF32},
		"v_fma_f64":                  vectorRow{maskedOp(unfusedF64)},
		"v_fma_f16 v_fma_legacy_f16": vectorRow{softOp{op: format.multiplyAdd, lanes: multiplyAddF16}},
		"v_fma_mix_f32":              mixOp{signalsF32.f32(unfusedF32), halfZero, false},
		"v_fma_mixlo_f16":            mixOp{signalsF32.f32(unfusedF32), halfLow, false},
		"v_fma_mixhi_f16":            mixOp{signalsF32.f32(unfusedF32), halfHigh, false},
		"v_pk_fma_f16":               packedOp{unfused: true},
	}

	unfused *executor.Table[operation]
)

func init() {
	names := map[string]bool{}
	for list := range unfusedOps {
		for name := range strings.FieldsSeq(list) {
			names[name] = true
		}
	}
	owns := func(r *isa.Row) bool { return names[r.Name] }
	none := func(*isa.Row) (operation, bool) { return nil, false }
	unfused = executor.NewTable(owns, none, unfusedOps)
	executor.Unfuses(bindUnfused)
}

// bindUnfused binds a fused multiply-add to a product and a sum that are rounded separately. ok is false for other
// instructions.
func bindUnfused(in *isa.Inst) (impl executor.Impl, ok bool) {
	op, ok := unfused.Row(in.Op)
	if !ok {
		return impl, false
	}
	if executor.ReadsLDSDirect(in) {
		return bindLDSDirect(in, op), true
	}
	return op.bind(in, in.Row()), true
}

// unfusedF64 computes a*b + c with two roundings.
func unfusedF64(d, a, b, c pair, m state.Mode, active uint64) {
	eachF64(d, a, b, c, envOf(isa.F64, m), active, format.multiplyAdd)
}
