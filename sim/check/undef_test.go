package check_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state/lane"
)

var generations = []gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX900, gcn.GFX906}

// newInputs returns a bench that looks for undefined values. SGPRs 0 to 3 (a V#), SGPRs 4
// to 9 and VGPRs 0 and 1 are defined, and M0 is if m0 is set.
func newInputs(t testing.TB, target gcn.Target, m0 bool) *bench {
	b := newBench(t, target, "uninit")
	in := &check.Inputs{}
	in.SetSGPRs(0, 10)
	if m0 {
		in.SetSGPRs(gcn.M0, 1)
	}
	b.w.S[gcn.M0] = ^uint32(0)
	in.VGPRs[0], in.VGPRs[1] = true, true
	b.w.SetVGPR(1, lane.Times(4))
	b.c.Options.Inputs = in
	return b
}

// TestUndefinedUses has programs in which a value was never written: LLVM 111720 and 221212
// (M0 for LDS), FlyDSL 1087 (half of a V#), wgpu 9589 (a component that only one branch sets).
func TestUndefinedUses(t *testing.T) {
	for _, tt := range []struct {
		text, reg, field string
		pc               uint64
		lane             int
		severity         check.Severity
		until            gcn.Gen
	}{
		{"ds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)", "m0", "limit or base of LDS or GDS", 0, -1, check.Error, gcn.GCN12},
		{"buffer_load_dword v2, off, s[48:51], 0\ns_waitcnt vmcnt(0)", "s48", "resource", 0, -1, check.Error, gcn.GCN141},
		{"s_nop 0\nbuffer_load_dword v2, v9, s[0:3], 0 offen", "v9", "address", 4, 0, check.Error, gcn.GCN141},
		{"v_mov_b32 v3, v9\nbuffer_load_dword v2, v3, s[0:3], 0 offen", "v3", "address", 4, 0, check.Error, gcn.GCN141},
		{"s_cbranch_vccz l\nl:\ns_nop 0", "vcc", "branch", 0, -1, check.Error, gcn.GCN141},
		{"s_cbranch_scc1 l\nl:\ns_nop 0", "scc", "branch", 0, -1, check.Error, gcn.GCN141},
		{"s_mov_b64 vcc, 0\ns_and_b32 s20, src_vccz, s21\nbuffer_load_dword v2, v0, s[0:3], s20 offen", "s20", "address", 8, -1, check.Error, gcn.GCN141},
		{"s_and_b64 exec, exec, vcc", "exec_lo", "exec", 0, -1, check.Error, gcn.GCN141},
		{"v_readlane_b32 s20, v0, s21", "s21", "lane select", 0, -1, check.Error, gcn.GCN141},
		{"exp mrt0 v9, v9, v9, v9 done vm", "v9", "export", 0, 0, check.Warning, gcn.GCN141},
		{"v_mov_b32 v3, 33\nv_cmp_gt_u32 vcc, v3, v0\ns_and_saveexec_b64 s[8:9], vcc\nv_mov_b32 v9, 1.0\ns_mov_b64 exec, s[8:9]\nbuffer_store_dword v9, v1, s[0:3], 0 offen", "v9", "stored data", 20, 9, check.Warning, gcn.GCN141},
	} {
		for _, target := range generations {
			if target.Gen() > tt.until {
				continue
			}
			f := one(t, newInputs(t, target, false).run(tt.text))
			require.Equal(t, check.Uninit, f.Kind, tt.text)
			require.Equal(t, [5]any{tt.reg, tt.field, tt.pc, tt.lane, tt.severity},
				[5]any{f.Reg, f.Field, f.PC, f.Lane, f.Severity}, "%v: %s", target, tt.text)
			require.Contains(t, f.Message, "was never written")
		}
	}
}

// A finding names the instructions that an undefined value passed through.
func TestOriginOfAnUndefinedValue(t *testing.T) {
	f := one(t, newInputs(t, gcn.GFX900, true).run("v_mov_b32 v3, v9\nds_write_b32 v0, v3\nds_read_b32 v4, "+
		"v0\nv_add_u32 v5, v4, v4\nbuffer_load_dword v2, v5, s[0:3], 0 offen"))
	require.Contains(t, f.Message, "v9 was never written; it came here through 0x14")
	require.Equal(t, uint64(0x14), f.Producer.PC)
	require.Equal(t, "v_add_u32_e32 v5, v4, v4", f.Producer.Text)
}

// Compilers generate these programs, which do not use undefined values (rule UD5). The last
// one is a suspected hazard of ROCm 1487.
func TestUndefinedValuesThatNobodyUses(t *testing.T) {
	for _, text := range []string{
		"v_writelane_b32 v40, s4, 0\nv_writelane_b32 v40, s5, 1\nv_readlane_b32 s6, v40, 0\ns_mov_b32 s7, " +
			"s6\nbuffer_load_dword v2, v0, s[0:3], s7 offen",
		"v_mov_b32 v3, v9",
		"s_mov_b64 vcc, 0\nv_cndmask_b32 v3, v0, v9, vcc\nbuffer_load_dword v2, v3, s[0:3], 0 offen",
		"s_mov_b64 exec, 0\nv_readfirstlane_b32 s20, v9\nbuffer_load_dword v2, v9, s[48:51], 0 " +
			"offen\nbuffer_store_dword v9, v9, s[0:3], 0 offen",
		"v_and_b32 v3, 0xff, v9\nv_and_b32 v3, 0xff00, v3\nbuffer_load_dword v2, v3, s[0:3], 0 offen",
		"v_xor_b32 v3, v9, v9\nbuffer_load_dword v2, v3, s[0:3], 0 offen",
		"v_and_b32 v3, 0xff, v0\nbuffer_store_byte v3, v0, s[0:3], 0 offen",
		"s_load_dwordx8 s[16:23], s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s30, s16",
		"s_mov_b64 s[30:31], flat_scratch\ns_mov_b64 flat_scratch, s[30:31]",
		"s_mov_b64 s[30:31], vcc\ns_orn2_b64 vcc, vcc, s[30:31]",
	} {
		target := gcn.GFX803
		b := newInputs(t, target, true)
		b.w.SetSGPRs(4, uint32(b.buf.Addr), uint32(b.buf.Addr>>32))
		if text[:10] == "v_writelan" {
			b.w.SetSGPRs(4, 0, 0)
		}
		require.Empty(t, b.run(text), text)
	}
}

// A buffer without initial data is undefined until it is written.
func TestNoInit(t *testing.T) {
	const text = "buffer_load_dword v2, v0, s[0:3], 0 offen\ns_waitcnt vmcnt(0)\nbuffer_load_dword v3, v2, s[0:3], 0 offen"
	b := newInputs(t, gcn.GFX900, true)
	b.c.NoInit(b.buf)
	f := one(t, b.run(text))
	require.Contains(t, f.Message, "has no data")
	require.Equal(t, "v2", f.Reg)
	b = newInputs(t, gcn.GFX900, true)
	b.c.NoInit(b.buf)
	require.Empty(t, b.run("buffer_store_dword v1, v0, s[0:3], 0 offen\n"+text))
}

// The shadow of memory is bounded, and a finding says when the bound is reached.
func TestShadowOfMemoryIsBounded(t *testing.T) {
	b := newInputs(t, gcn.GFX900, true)
	b.c.Options.MaxBytes = 1
	b.c.NoInit(b.buf)
	all := b.run("buffer_store_dword v1, v0, s[0:3], 0 offen\nbuffer_load_dword v2, v0, s[0:3], 0 offen " +
		"offset:64\nbuffer_load_dword v3, v2, s[0:3], 0 offen")
	require.Contains(t, one(t, all).Message, "raise Options.MaxBytes")
}

// Without Options.Inputs, all registers and memories of a bare wave are defined.
func TestBareWavesAreDefined(t *testing.T) {
	b := newBench(t, gcn.GFX803, "uninit")
	require.Empty(t, b.run("buffer_load_dword v2, v9, s[0:3], 0 offen\ns_cbranch_scc1 l\nl:\ns_nop 0"))
}

// Looking for undefined values allocates nothing in the steady state.
func TestUninitAllocatesNothing(t *testing.T) {
	b := newInputs(t, gcn.GFX900, true)
	text, err := asm.Assemble(gcn.GFX900, "s_movk_i32 s8, 0x100\nl:\nv_add_u32 v3, v9, v3\nds_write_b32 v0, "+
		"v3\nds_read_b32 v4, v0\ns_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 l", asm.LLVM)
	require.NoError(t, err)
	p := sim.NewProgram(gcn.GFX900, 0, text.Words, 256)
	b.attach()
	run := func() {
		b.w.PC = 0
		_, err := b.m.RunProgram(context.Background(), p, b.w)
		require.NoError(t, err)
	}
	for range 10 { // the program is compiled during these runs
		run()
	}
	require.Less(t, testing.AllocsPerRun(5, run), 60.0) // for 1500 instructions
}

// Vectors of three elements are stored as four: an undefined fourth element is not a defect.
// Any other undefined bits in the same store are.
func TestPaddingThatIsStored(t *testing.T) {
	const dword, half, short, byteOf = "v_mov_b32 v4, 1\n", "v_mov_b32 v6, 1\n", "v_and_b32 v7, 0xffff, v7\n",
		"v_and_b32 v7, 0xffffff, v7\n"
	three := dword + "v_mov_b32 v5, 1\n" + half
	for _, tt := range []struct {
		text string
		want check.Severity
	}{
		{three + "buffer_store_dwordx4 v[4:7], v1, s[0:3], 0 offen", check.Note},
		// long3
		{dword + "v_mov_b32 v5, 1\nbuffer_store_dwordx4 v[4:7], v1, s[0:3], 0 offen", check.Note},
		// v5
		{dword + half + "v_mov_b32 v7, 1\nbuffer_store_dwordx4 v[4:7], v1, s[0:3], 0 offen", check.Warning},
		// three of four
		{dword + "buffer_store_dwordx4 v[4:7], v1, s[0:3], 0 offen", check.Warning},
		// a part of v7
		{three + "v_and_b32 v7, 0xff, v7\nbuffer_store_dwordx4 v[4:7], v1, s[0:3], 0 offen", check.Warning},
		// half of a long
		{half + "buffer_store_dwordx2 v[6:7], v1, s[0:3], 0 offen", check.Warning},
		// the wrong half
		{half + "v_and_b32 v7, 0xffff, v7\nbuffer_store_dwordx2 v[6:7], v1, s[0:3], 0 offen", check.Warning},
		// short3
		{half + "v_lshlrev_b32 v7, 16, v7\nbuffer_store_dwordx2 v[6:7], v1, s[0:3], 0 offen", check.Note},
		// char3
		{"v_lshlrev_b32 v7, 24, v7\nbuffer_store_dword v7, v1, s[0:3], 0 offen", check.Note},
		// half of an int
		{"v_lshlrev_b32 v7, 16, v7\nbuffer_store_dword v7, v1, s[0:3], 0 offen", check.Warning},
		// the first three
		{short + "buffer_store_dword v7, v1, s[0:3], 0 offen", check.Warning},
		{byteOf + "buffer_store_dword v7, v1, s[0:3], 0 offen", check.Warning},
		{"buffer_store_dword v7, v1, s[0:3], 0 offen", check.Warning},
	} {
		for _, f := range newInputs(t, gcn.GFX803, true).run(tt.text) {
			require.Equal(t, tt.want, f.Severity, "%s: %v", tt.text, f)
		}
		require.NotEmpty(t, newInputs(t, gcn.GFX803, true).run(tt.text), tt.text)
	}
}
