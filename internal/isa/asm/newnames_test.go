package asm_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/tool/mnemonic"
)

// TestNamesOfRDNA: who writes a name of RDNA or of newer LLVM is told the one of GCN.
func TestNamesOfRDNA(t *testing.T) {
	for name, want := range map[string]string{
		"buffer_load_u8": "buffer_load_ubyte", "buffer_load_i16": "buffer_load_sshort",
		"buffer_load_b32": "buffer_load_dword", "buffer_store_b128": "buffer_store_dwordx4",
		"buffer_load_d16_u8": "buffer_load_ubyte_d16", "buffer_load_d16_hi_b16": "buffer_load_short_d16_hi",
		"buffer_store_d16_hi_b8":       "buffer_store_byte_d16_hi",
		"buffer_load_d16_format_xy":    "buffer_load_format_d16_xy",
		"buffer_store_d16_hi_format_x": "buffer_store_format_d16_hi_x",
		"tbuffer_load_d16_format_xyzw": "tbuffer_load_format_d16_xyzw",
		"tbuffer_store_d16_format_x":   "tbuffer_store_format_d16_x",
		"global_load_b32":              "global_load_dword", "global_load_d16_hi_i8": "global_load_sbyte_d16_hi",
		"scratch_store_b64": "scratch_store_dwordx2", "flat_load_u16": "flat_load_ushort",
		"global_atomic_add_u32": "global_atomic_add", "global_atomic_cmpswap_b64": "global_atomic_cmpswap_x2",
		"flat_atomic_min_i32":   "flat_atomic_smin",
		"buffer_atomic_max_u64": "buffer_atomic_umax_x2",
		"s_load_b32":            "s_load_dword", "s_buffer_load_b512": "s_buffer_load_dwordx16",
		"ds_load_b32": "ds_read_b32", "ds_load_2addr_b64": "ds_read2_b64",
		"ds_load_2addr_stride64_b32": "ds_read2st64_b32", "ds_load_u8_d16_hi": "ds_read_u8_d16_hi",
		"ds_store_b32": "ds_write_b32", "ds_store_2addr_b32": "ds_write2_b32", "ds_store_b8_d16_hi": "ds_write_b8_d16_hi",
		"ds_load_addtid_b32":   "ds_read_addtid_b32",
		"ds_storexchg_rtn_b32": "ds_wrxchg_rtn_b32", "ds_storexchg_2addr_stride64_rtn_b64": "ds_wrxchg2st64_rtn_b64",
		"ds_min_num_rtn_f32":  "ds_min_rtn_f32",
		"ds_cmpstore_rtn_b32": "ds_cmpst_rtn_b32, whose data operands are in the other order",
		"s_and_not1_b64":      "s_andn2_b64", "v_add_nc_u32": "v_add_u32", "v_cvt_pk_rtz_f16_f32": "v_cvt_pkrtz_f16_f32",
	} {
		_, err := isa.Lookup(name, gcn.GFX900)
		assert.EqualError(t, err, "unknown instruction \""+name+"\" on gfx900; GCN calls it "+want)
	}
	_, err := isa.Lookup("buffer_load_d16_u8", gcn.GFX803)
	assert.EqualError(t, err,
		`unknown instruction "buffer_load_d16_u8" on gfx803; GCN calls it buffer_load_ubyte_d16, which does not exist on `+
			`gfx803, only on gcn1.4, gcn1.4.1`)
	_, err = isa.Lookup("global_atomic_fmin_u32", gcn.GFX900)
	assert.NotContains(t, err.Error(), "GCN calls it")
}

// TestRenamedInstructionsExist: names that nothing has would be of no use.
func TestRenamedInstructionsExist(t *testing.T) {
	for from, to := range mnemonic.Others {
		assert.NotEmpty(t, isa.Ops(to), from)
		assert.Empty(t, isa.Ops(from), "%s is an instruction of GCN", from)
	}
}

// TestNamesOfNewerLLVM checks every mnemonic of testdata/newnames.tsv on every processor: the error names the
// mnemonic of GCN, which assembles there or is said not to exist there, or GCN has no such instruction.
func TestNamesOfNewerLLVM(t *testing.T) {
	table, err := os.ReadFile("testdata/newnames.tsv")
	require.NoError(t, err)
	counts := map[string]int{}
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(strings.TrimSpace(line), "\t")
		require.Len(t, c, 3, line)
		counts[c[2]]++
		for target := range gcn.Target(gcn.NumTargets) {
			if hint := hintFor(t, c[0], target); c[1] == "-" {
				assert.Empty(t, hint, "%s on %v", c[0], target)
			} else {
				assert.Equal(t, c[1], hint, "%s on %v", c[0], target)
			}
		}
	}
	assert.Equal(t, map[string]int{"llvm": 260, "name": 22, "-": 137}, counts)
}

// TestHintsOfEachGeneration checks that what is hinted for ALU instructions is a mnemonic of LLVM for the processor.
func TestHintsOfEachGeneration(t *testing.T) {
	for _, name := range slices.AppendSeq(slices.Collect(maps.Keys(mnemonic.Others)), maps.Keys(mnemonic.Carry)) {
		for target := range gcn.Target(gcn.NumTargets) {
			if isa.Ops(name) != nil { // v_add_co_u32, which GCN has, too
				continue
			}
			assert.NotEmpty(t, hintFor(t, name, target), "%s on %v", name, target)
		}
	}
	for _, c := range []struct {
		name   string
		target gcn.Target
		want   string
	}{
		{"v_add_nc_u32", gcn.GFX600, "v_add_i32, which writes the carry to a mask"},
		{"v_add_nc_u32", gcn.GFX803, "v_add_u32, which writes the carry to a mask"},
		{"v_sub_nc_i32", gcn.GFX803, "v_sub_u32, which writes the carry to a mask"},
		{"v_add_nc_u32", gcn.GFX904, "v_add_u32"},
		{"v_subrev_co_ci_u32", gcn.GFX803, "v_subbrev_u32"}, {"v_subrev_co_ci_u32", gcn.GFX904, "v_subbrev_co_u32"},
		{"buffer_load_lds_b32", gcn.GFX904, "buffer_load_dword, with the modifier lds"},
		{"image_atomic_max_int", gcn.GFX904, "image_atomic_smax"},
	} {
		_, err := isa.Lookup(c.name, c.target)
		assert.EqualError(t, err, "unknown instruction \""+c.name+"\" on "+c.target.String()+"; GCN calls it "+c.want)
	}
}

// hintFor returns the mnemonic that the error about name on target calls the one of GCN, or an empty string. It
// checks that the mnemonic assembles on target in LLVM's syntax unless the error says that target does not have it.
func hintFor(t *testing.T, name string, target gcn.Target) string {
	t.Helper()
	_, err := isa.Lookup(name, target)
	require.Error(t, err, "%s on %v", name, target)
	_, text, found := strings.Cut(err.Error(), "GCN calls it ")
	if !found {
		return ""
	}
	hint, tail, _ := strings.Cut(text, ", ")
	ops, err := isa.Lookup(hint, target)
	if strings.Contains(tail, "does not exist on") {
		require.Error(t, err, "%s for %s on %v", hint, name, target)
		return hint
	}
	require.NoError(t, err, "%s for %s on %v", hint, name, target)
	in, err := isa.New(target, ops[0], isa.Invalid)
	require.NoError(t, err)
	for field, value := range map[isa.Field]int64{isa.SRC0: 256, isa.DMASK: 1} { // v0; one component
		if in.Has(field) {
			in, err = in.Set(field, value)
			require.NoError(t, err)
		}
	}
	line := asm.Format(gcn.Inst(in), asm.LLVM)
	assert.Equal(t, hint, strings.TrimSuffix(strings.Fields(line)[0], "_e32"), "for %s on %v", name, target)
	_, err = asm.Assemble(target, line, asm.LLVM)
	assert.NoError(t, err, "for %s on %v", name, target)
	checkRenamed(t, name, hint, tail, line, target)
	return hint
}

// checkRenamed checks that line, which has mnemonic hint, assembles to the same words with name by AssembleRDNA, or
// that the error says how the two differ, as tail does.
func checkRenamed(t *testing.T, name, hint, tail, line string, target gcn.Target) {
	t.Helper()
	want, err := asm.Assemble(target, line, asm.LLVM)
	require.NoError(t, err)
	renamed, err := asm.AssembleWith(target, strings.Replace(line, hint, name, 1), &asm.Options{RDNA: true})
	for _, how := range []mnemonic.Unlike{mnemonic.Carries, mnemonic.ClearsHigh, mnemonic.Unpacked} {
		if tail == how.String() {
			assert.ErrorContains(t, err, "no instruction of "+target.String()+" does what RDNA calls "+name+
				"; the nearest is "+hint+", "+tail)
			return
		}
	}
	if tail == mnemonic.ToLDS.String() {
		return // line has a register, which name has not
	}
	if assert.NoError(t, err, "%s on %v", name, target) {
		assert.Equal(t, want.Words, renamed.Words, "%s on %v", name, target)
	}
}

// TestTextsOfRDNA runs texts in RDNA mnemonics beside texts in LLVM syntax: both assemble to the same words.
func TestTextsOfRDNA(t *testing.T) {
	for _, c := range []struct {
		target     gcn.Target
		text, same string
	}{
		{gcn.GFX600, "ds_cmpstore_b32 v0, v1, v2 offset:4", "ds_cmpst_b32 v0, v2, v1 offset:4"},
		{gcn.GFX600, "s_load_b32 s0, s[2:3], 1020", "s_load_dword s0, s[2:3], 255"},
		{gcn.GFX704, "s_load_b32 s0, s[2:3], 1024", "s_load_dword s0, s[2:3], 256"},
		{gcn.GFX803, "s_load_b32 s0, s[2:3], 6", "s_load_dword s0, s[2:3], 6"},
		{gcn.GFX900, "buffer_load_lds_u8 off, s[0:3], 0", "buffer_load_ubyte off, s[0:3], 0 lds"},
		{gcn.GFX900, "buffer_load_lds_format_x v0, s[0:3], 0 idxen", "buffer_load_format_x v0, s[0:3], 0 idxen lds"},
		{gcn.GFX600, "v_add_co_u32 v0, vcc, v1, v2", "v_add_i32 v0, vcc, v1, v2"},
		{gcn.GFX803, "v_sub_co_u32_e64 v0, s[0:1], v1, v2", "v_sub_u32_e64 v0, s[0:1], v1, v2"},
		{gcn.GFX803, "v_add_co_ci_u32 v0, vcc, v1, v2, vcc", "v_addc_u32 v0, vcc, v1, v2, vcc"},
		{gcn.GFX900, "v_add_nc_i16 v0, v1, v2", "v_add_i16 v0, v1, v2"},
		{gcn.GFX810, "buffer_load_d16_format_xy v0, off, s[0:3], 0", "buffer_load_format_d16_xy v0, off, s[0:3], 0"},
		{gcn.GFX803, "buffer_store_d16_format_x v0, off, s[0:3], 0", "buffer_store_format_d16_x v0, off, s[0:3], 0"},
		{gcn.GFX906, "v_min_num_f32_e64 v0, |v1|, v2 clamp", "v_min_f32_e64 v0, |v1|, v2 clamp"},
		{gcn.GFX600, "tbuffer_load_format_x v0, off, s[0:3], 0 format:[BUF_FMT_10_10_10_2_SNORM]",
			"tbuffer_load_format_x v0, off, s[0:3], 0 format:[BUF_DATA_FORMAT_10_10_10_2,BUF_NUM_FORMAT_SNORM]"},
		{gcn.GFX900, ".macro m a\nglobal_load_b32 v0, \\a, off\n.endm\nm v[2:3]", "global_load_dword v0, v[2:3], off"},
		{gcn.GFX600, "s_load_dword s0, s[2:3], 6", "s_load_dword s0, s[2:3], 6"},
	} {
		got, err := asm.AssembleWith(c.target, c.text, &asm.Options{RDNA: true})
		require.NoError(t, err, c.text)
		want, err := asm.Assemble(c.target, c.same, asm.LLVM)
		require.NoError(t, err, c.same)
		assert.Equal(t, want.Words, got.Words, c.text)
	}
}

// TestNamesOfOtherGenerations: who writes an instruction that only other generations have is told which the
// processor has.
func TestNamesOfOtherGenerations(t *testing.T) {
	for _, c := range []struct {
		target     gcn.Target
		text, want string
	}{
		{gcn.GFX900, "v_add_u32 v1, vcc, v2, v3", "v_add_u32 writes no carry on gfx900; v_add_co_u32 does"},
		{gcn.GFX900, "v_sub_i32 v1, vcc, v2, v3", "v_sub_i32 writes no carry on gfx900; v_sub_co_u32 does"},
		{gcn.GFX803, "v_add_u32 v1, v2, v3", `expected vcc, found "v2"; v_add_u32 writes a carry on gfx803`},
		{gcn.GFX600, "v_add_u32 v1, v2, v3", "v_add_u32 is not a name of llvm syntax on gfx600; there it is v_add_i32"},
		{gcn.GFX803, "v_add_i32_e32 v1, vcc, v2, v3",
			"v_add_i32_e32 is not a name of llvm syntax on gfx803; there it is v_add_u32_e32"},
		{gcn.GFX803, "v_add_co_u32 v1, vcc, v2, v3", "v_add_co_u32 does not exist on gfx803, " +
			"only on gcn1.0, gcn1.1, gcn1.4, gcn1.4.1; gfx803 has v_add_u32"},
		{gcn.GFX906, "v_subb_u32 v1, vcc, v2, v3, vcc", "only on gcn1.0, gcn1.1, gcn1.2; gfx906 has v_subb_co_u32"},
		{gcn.GFX803, "v_lshl_b32 v0, v1, v2", "gfx803 has v_lshlrev_b32, whose operands are in the other order"},
		{gcn.GFX704, "v_lshrrev_b64 v[0:1], v2, v[4:5]", "gfx704 has v_lshr_b64, whose operands are in the other order"},
		{gcn.GFX803, "global_load_dword v0, v[0:1], off", "gfx803 has flat_load_dword, without an offset"},
		{gcn.GFX600, "flat_load_dword v0, v[0:1]", "gfx600 has buffer_load_dword, which reaches it with addr64"},
		{gcn.GFX803, "buffer_wbinvl1_sc", "gfx803 has buffer_wbinvl1_vol"},
		{gcn.GFX803, "v_mad_legacy_f16 v0, v1, v2, v3", "gfx803 has v_mad_f16"},
		{gcn.GFX600, "s_load_dword s0, s[2:3], 0x400", "offset is 1024, must be 0 to 255 dwords"},
		{gcn.GFX803, "s_load_dword s0, s[2:3], -4", "offset is -4, must be 0 to 1048575"},
		{gcn.GFX803, "global_load_b32 v0, v[0:1], off", "only on gcn1.4, gcn1.4.1; gfx803 has flat_load_dword"},
	} {
		_, err := asm.Assemble(c.target, c.text, asm.LLVM)
		assert.ErrorContains(t, err, c.want, c.text)
	}
	_, err := isa.Lookup("v_mad_legacy_f32", gcn.GFX803)
	require.NoError(t, err)
	_, err = isa.Lookup("v_mullit_f32", gcn.GFX803)
	assert.EqualError(t, err, "v_mullit_f32 does not exist on gfx803, only on gcn1.0, gcn1.1")
}
