package alu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// executeUnfused executes one instruction as [executor.FindUnfused] binds it.
func executeUnfused(t *testing.T, w *state.Wave, name string, enc gcn.Encoding, fields map[isa.Field]int64) {
	t.Helper()
	in, ok := build(t, w.Target.Gen(), lookup(t, name, w.Target.Gen()), enc, fields)
	require.True(t, ok, name)
	im := executor.FindUnfused(&in)
	require.NotNil(t, im.Exec, im.Why)
	require.Nil(t, im.Exec(w, nil, &in, nil))
}

// An unfused multiply-add returns the result of a product and a sum, in all modes.
func TestUnfused(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 32))
	for _, c := range []struct {
		fused, mul, add string
		enc             gcn.Encoding
		dwords          int
	}{
		{"v_fma_f32", "v_mul_f32", "v_add_f32", isa.VOP3A, 1}, {"v_fmac_f32", "v_mul_f32", "v_add_f32", isa.VOP3A, 1},
		{"v_fma_f16", "v_mul_f16", "v_add_f16", isa.VOP3A, 1}, {"v_fma_f64", "v_mul_f64", "v_add_f64", isa.VOP3A, 2},
		{"v_pk_fma_f16", "v_pk_mul_f16", "v_pk_add_f16", isa.VOP3P, 1},
	} {
		var fields map[isa.Field]int64
		if c.enc == isa.VOP3P {
			fields = map[isa.Field]int64{isa.OPSELHI: 3, isa.OPSELHI2: 1}
		}
		differ := false
		for range 200 {
			w := random(rnd, gcn.GFX906)
			w.Mode = state.Mode(rnd.Uint32()) & 0xff
			w.V[8], w.V[9] = w.V[4], w.V[5] // V_FMAC adds to its destination
			v := slices.Clone(w.V)
			executeUnfused(t, w, c.fused, c.enc, fields)
			got := slices.Clone(w.V[8 : 8+c.dwords])
			copy(w.V, v)
			execute(t, w, c.fused, c.enc, fields)
			differ = differ || !slices.Equal(got, w.V[8:8+c.dwords])
			copy(w.V, v)
			execute(t, w, c.mul, c.enc, fields)
			w.V[0], w.V[1], w.V[2], w.V[3] = w.V[8], w.V[9], v[4], v[5]
			w.V[8], w.V[9] = v[8], v[9]
			execute(t, w, c.add, c.enc, fields)
			if c.fused == "v_fma_f16" { // v_fma_f16 keeps the high half, while a sum clears it
				for i := range got[0] {
					got[0][i] &= 0xffff
				}
			}
			require.Equal(t, w.V[8:8+c.dwords], got, "%s, MODE %#x", c.fused, w.Mode)
		}
		assert.True(t, differ, "%s: the number of roundings makes no difference", c.fused)
	}
}

// TestUnfusedMixed checks V_FMA_MIX of gfx906 without fusion: it rounds twice and flushes denormals, as V_MAD_MIX of
// gfx900 does.
func TestUnfusedMixed(t *testing.T) {
	rnd := rand.New(rand.NewPCG(33, 34))
	fields := map[isa.Field]int64{isa.OPSEL: 1, isa.OPSELHI: 1, isa.OPSELHI2: 1}
	for _, kind := range []string{"_mix_f32", "_mixlo_f16", "_mixhi_f16"} {
		for range 200 {
			w, older := random(rnd, gcn.GFX906), state.NewWave(gcn.GFX900, 16)
			w.Mode = state.Mode(rnd.Uint32()) & 0xff &^ (state.ModeDenorm32 | state.ModeDenorm64&(state.ModeDenorm64<<1))
			older.Mode = w.Mode
			copy(older.V, w.V)
			executeUnfused(t, w, "v_fma"+kind, isa.VOP3P, fields)
			execute(t, older, "v_mad"+kind, isa.VOP3P, fields)
			require.Equal(t, older.V[8], w.V[8], kind)
		}
	}
}

// Other instructions, including V_DIV_FMAS, are bound as usual.
func TestUnfusedOthers(t *testing.T) {
	for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
		_, ok := unfused.Row(op)
		name := isa.RowOf(op).Name
		assert.Equal(t, slices.Contains([]string{"v_fma_f32", "v_fmac_f32", "v_fma_f64", "v_fma_f16", "v_fma_legacy_f16",
			"v_fma_mix_f32", "v_fma_mixlo_f16", "v_fma_mixhi_f16", "v_pk_fma_f16"}, name), ok, name)
	}
}
