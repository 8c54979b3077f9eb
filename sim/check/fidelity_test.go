package check_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state/lane"
)

// The fidelity report names effects of hardware that are not modelled.
func TestWhatIsNotModelledIsInTheFidelityReport(t *testing.T) {
	const (
		format = "buffer_load_format_xyzw v[4:7], v0, s[0:3], 0 offen"
		sample = "image_sample_l v4, v[0:2], s[8:15], s[16:19] dmask:0x1"
	)
	float := gcn.Buffer{DataFormat: 14, NumFormat: 7}
	sampler := gcn.SamplerState{MaxLOD: 15, MipFilter: 1, TruncCoord: true}
	for _, tt := range []struct {
		name   string
		text   string
		change func(*gcn.Buffer, *gcn.SamplerState)
		lod    float32
		want   string // "" if no note is expected
	}{
		{"format", format, func(*gcn.Buffer, *gcn.SamplerState) {}, 0, ""},
		{"DST_SEL", format, func(b *gcn.Buffer, _ *gcn.SamplerState) { b.DstSel = [4]gcn.Sel{4, 2, 4, 4} }, 0, "DST_SEL"},
		{"DATA_FORMAT", format, func(b *gcn.Buffer, _ *gcn.SamplerState) { b.DataFormat = 15 }, 0, "invalid data format"},
		{"sampler", sample, func(*gcn.Buffer, *gcn.SamplerState) {}, 1, ""},
		{"DISABLE_LSB_CEIL", sample, func(_ *gcn.Buffer, s *gcn.SamplerState) { s.NoLSBCeil = true }, 0, "DISABLE_LSB_CEIL"},
		{"FILTER_PREC_FIX", sample, func(_ *gcn.Buffer, s *gcn.SamplerState) { s.PrecFix = true }, 0, "FILTER_PREC_FIX"},
		{"texels", sample + " unorm", func(_ *gcn.Buffer, s *gcn.SamplerState) { s.Clamp = [3]gcn.Clamp{2, 2, 2} }, 0, ""},
		{"texels of a level", sample + " unorm", func(_ *gcn.Buffer, s *gcn.SamplerState) { s.Clamp = [3]gcn.Clamp{2, 2, 2} }, 1, "normalized"},
		{"MODE", "s_setreg_imm32_b32 hwreg(1, 0, 8), 0xff", func(*gcn.Buffer, *gcn.SamplerState) {}, 0, ""},
		{"exceptions off", "s_setreg_imm32_b32 hwreg(1, 0, 32), 0xff", func(*gcn.Buffer, *gcn.SamplerState) {}, 0, ""},
		{"exceptions on", "s_setreg_imm32_b32 hwreg(1, 12, 7), 4", func(*gcn.Buffer, *gcn.SamplerState) {}, 0, ""},
		{"VSKIP", "s_setreg_imm32_b32 hwreg(1, 28, 1), 1", func(*gcn.Buffer, *gcn.SamplerState) {}, 0, "VSKIP"},
		{"no FP16_OVFL before GCN 1.4", "s_setreg_imm32_b32 hwreg(1, 23, 1), 1", func(*gcn.Buffer, *gcn.SamplerState) {}, 0, ""},
		{"TRAPSTS", "s_getreg_b32 s20, hwreg(3, 0, 7)", func(*gcn.Buffer, *gcn.SamplerState) {}, 0, "which exceptions"},
		{"MEM_VIOL", "s_getreg_b32 s20, hwreg(3, 8, 1)", func(*gcn.Buffer, *gcn.SamplerState) {}, 0, ""},
		{"HW_ID", "s_getreg_b32 s20, hwreg(4)", func(*gcn.Buffer, *gcn.SamplerState) {}, 0, "where a wave runs"},
		{"STATUS", "s_getreg_b32 s20, hwreg(2)", func(*gcn.Buffer, *gcn.SamplerState) {}, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			buffer, smp := float, sampler
			tt.change(&buffer, &smp)
			b := image(t, gcn.GFX803, nil, smp)
			buffer.Base, buffer.NumRecords = b.buf.Addr, 256
			b.w.SetSGPRs(0, buffer.Words()...)
			b.w.SetVGPR(2, lane.All(math.Float32bits(tt.lod)))
			res, err := b.m.RunAsm(context.Background(), b.w, tt.text)
			require.NoError(t, err)
			if tt.want == "" {
				require.Empty(t, res.Fidelity)
				return
			}
			require.Len(t, res.Fidelity, 1)
			require.Contains(t, res.Fidelity[0].Why, tt.want)
		})
	}
}
