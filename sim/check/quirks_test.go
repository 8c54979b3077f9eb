package check_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state/lane"
)

// Some processors behave differently from others. Each case runs once, and in a loop, where segments are judged.
func TestQuirks(t *testing.T) {
	const (
		half   = "buffer_load_short_d16 v2, v0, s[0:3], 0 offen\ns_waitcnt vmcnt(0)\n"
		scaled = "v_div_scale_f64 v[2:3], vcc, v[0:1], v[0:1], v[0:1]\n"
		store  = "buffer_store_dword v2, v0, s[0:3], 0 offen\ns_waitcnt vmcnt(0) expcnt(0)\n"
		cond   = "v_cndmask_b32 v2, 0, v0, vcc\n"
		low    = "v_mov_b32 v4, -8\n"
	)
	image := func(b *bench) { // a 2D image of one texel, 8_8_8_8 UNORM
		b.c.Options.Inputs.SetSGPRs(16, 12)
		b.w.SetSGPRs(16, uint32(b.buf.Addr>>8), uint32(b.buf.Addr>>40)|10<<20, 0, 9<<28|4|5<<3|6<<6|7<<9)
		b.w.SetSGPRs(20, 0, 0, 0, 0, 0, 0, 0, 0)
		b.w.SetVGPR(0, lane.All(0))
		b.w.SetVGPR(1, lane.All(0))
	}
	ecc := func(b *bench) { b.c.Options.SRAMECC = true }
	for _, tt := range []struct {
		name   string
		target gcn.Target
		set    func(*bench)
		text   string
		want   string // for each finding, the severity, kind, rule, and a part of the message
		says   string
	}{
		{"the other half of a D16 load with SRAM-ECC", gcn.GFX906, ecc, half + store, "warning uninit UD4", "rule DP4"},
		{"the high half", gcn.GFX906, ecc, "v_mov_b32 v2, 0\nbuffer_load_ubyte_d16_hi v2, v0, s[0:3], 0 offen\ns_waitcnt vmcnt(0)\n" + store, "warning uninit UD4", "rule DP4"},
		{"from LDS", gcn.GFX906, ecc, "v_mov_b32 v2, 0\nds_read_u16_d16 v2, v0\ns_waitcnt lgkmcnt(0)\n" + store, "warning uninit UD4", "rule DP4"},
		{"one of three components", gcn.GFX906, ecc, "v_mov_b32 v2, 0\ntbuffer_load_format_d16_x v2, v0, s[0:3], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen\ns_waitcnt vmcnt(0)\n" + store, "warning uninit UD4", "rule DP4"},
		{"both halves are loaded", gcn.GFX906, ecc, half + "v_mov_b32 v3, v2\n" + "v_and_b32 v2, 0xffff, v3\n" + store, "", ""},
		{"without SRAM-ECC", gcn.GFX906, nil, "v_mov_b32 v2, 0\n" + half + store, "", ""},
		{"a processor without SRAM-ECC", gcn.GFX900, ecc, "v_mov_b32 v2, 0\n" + half + store, "", ""},

		{"the mask of v_div_scale_f64", gcn.GFX600, nil, scaled + cond + store, "warning uninit UD4", "rule FP4"},
		{"v_div_fmas_f64", gcn.GFX600, nil, scaled + "v_div_fmas_f64 v[2:3], v[0:1], v[0:1], v[0:1]\n" + store, "warning uninit UD4", "rule FP4"},
		{"a mask that nobody reads", gcn.GFX600, nil, scaled + "v_cmp_eq_u32 vcc, v0, v1\n" + cond + store, "", ""},
		{"on GCN 1.1", gcn.GFX701, nil, scaled + cond + store, "", ""},
		{"v_div_scale_f32", gcn.GFX600, nil, "v_div_scale_f32 v2, vcc, v0, v0, v1\n" + cond + store, "doubt ignored FP4", "mask of v_div_scale"},

		{"an offset beside a negative address", gcn.GFX600, nil, low + "ds_read_b32 v5, v4 offset:16\ns_waitcnt lgkmcnt(0)", "warning ignored DS16", "64 lanes"},
		{"a store of one lane", gcn.GFX600, nil, "v_sub_i32 v4, vcc, 0, v0\nv_sub_i32 v4, vcc, 252, v0\nv_subrev_i32 v4, vcc, 4, v4\nds_write_b32 v4, v1 offset:4\ns_waitcnt lgkmcnt(0)", "warning ignored DS16", "1 lane"},
		{"two addresses", gcn.GFX600, nil, low + "ds_read2_b32 v[6:7], v4 offset0:2 offset1:3\ns_waitcnt lgkmcnt(0)", "warning ignored DS16", "64 lanes"},
		{"64 elements apart", gcn.GFX600, nil, low + "ds_read2st64_b32 v[6:7], v4 offset0:1 offset1:2\ns_waitcnt lgkmcnt(0)", "warning ignored DS16", "64 lanes"},
		{"no offset", gcn.GFX600, nil, "ds_read_b32 v5, v0\ns_waitcnt lgkmcnt(0)", "", ""},
		{"an address above 0", gcn.GFX600, nil, "ds_read_b32 v5, v0 offset:16\ns_waitcnt lgkmcnt(0)", "", ""},
		{"GCN 1.1", gcn.GFX701, nil, low + "ds_read_b32 v5, v4 offset:16\ns_waitcnt lgkmcnt(0)", "", ""},

		{"GATHER4 into the last registers", gcn.GFX900, image, "image_gather4 v[254:255], v[0:1], s[16:23], s[24:27] dmask:0x1 d16\ns_waitcnt vmcnt(0)", "warning ignored IM6", "v257"},
		{"GATHER4 before them", gcn.GFX900, image, "image_gather4 v[252:253], v[0:1], s[16:23], s[24:27] dmask:0x1 d16\ns_waitcnt vmcnt(0)", "", ""},
		{"a store from the last registers", gcn.GFX810, image, "v_mov_b32 v255, 0\nimage_store v255, v[0:1], s[16:23] dmask:0x3 unorm d16\ns_waitcnt vmcnt(0) expcnt(0)", "warning ignored IM6", "v256"},
		{"a store on GCN 1.4", gcn.GFX900, image, "v_mov_b32 v255, 0\nimage_store v255, v[0:1], s[16:23] dmask:0x3 unorm d16\ns_waitcnt vmcnt(0) expcnt(0)", "", ""},

		{"a negative offset beside an SGPR", gcn.GFX900, nil, "scratch_load_dword v9, off, s8 offset:-4\ns_waitcnt vmcnt(0)", "warning ignored F13", "faults"},
		{"a positive one", gcn.GFX900, nil, "scratch_load_dword v9, off, s8 offset:4\ns_waitcnt vmcnt(0)", "", ""},
		{"beside a VGPR", gcn.GFX900, nil, "v_mov_b32 v4, 8\nscratch_load_dword v9, v4, off offset:-4\ns_waitcnt vmcnt(0)", "", ""},
	} {
		for times, text := range map[int]string{1: tt.text,
			50: fmt.Sprintf("s_movk_i32 s9, 50\nl:\n%s\ns_sub_u32 s9, s9, 1\ns_cmp_lg_u32 s9, 0\ns_cbranch_scc1 l", tt.text)} {
			t.Run(fmt.Sprint(tt.name, " ", times), func(t *testing.T) {
				b := newInputs(t, tt.target, true)
				c, err := check.New("uninit", "ignored")
				require.NoError(t, err)
				c.Options.Inputs, b.c = b.c.Options.Inputs, c
				private := b.m.Alloc(1 << 16)
				if at := isa.TraitsOf(b.w.Target).FlatScratch; at >= 0 {
					b.w.SetScalar64(uint32(at), private.Addr)
					c.Options.Inputs.SetSGPRs(int(at), 2)
				}
				b.w.SetSGPRs(8, 8)
				b.w.SetVGPR(1, lane.All(0x3ff00000))
				if tt.set != nil {
					tt.set(b)
				}
				var got []string
				for _, f := range b.run(text) {
					got = append(got, fmt.Sprint(f.Severity, " ", f.Kind, " ", f.Rule))
					require.Contains(t, f.Message, tt.says)
					require.Zero(t, f.Count%uint64(times), "it is counted %d times", f.Count) // a finding may count lanes
				}
				if tt.want == "" {
					require.Empty(t, got)
					return
				}
				require.Equal(t, []string{tt.want}, got)
			})
		}
	}
}
