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

// TestRenamedInstructionsExist checks that each name to which an RDNA name is mapped exists.
func TestRenamedInstructionsExist(t *testing.T) {
	for from, to := range mnemonic.Others {
		assert.NotEmpty(t, isa.Ops(to), from)
		assert.Empty(t, isa.Ops(from), "%s is an instruction of GCN", from)
	}
}

// TestNamesOfNewerLLVM checks each mnemonic of testdata/newnames.tsv on each processor. The error names a mnemonic of
// GCN that assembles there or is said not to exist there, or GCN has no such instruction.
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

// TestHintsOfEachGeneration checks that hints for ALU instructions are mnemonics of LLVM for the processor.
func TestHintsOfEachGeneration(t *testing.T) {
	for _, name := range slices.AppendSeq(slices.Collect(maps.Keys(mnemonic.Others)), maps.Keys(mnemonic.Carry)) {
		for target := range gcn.Target(gcn.NumTargets) {
			if isa.Ops(name) != nil { // such as v_add_co_u32, which GCN has, too
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

// hintFor returns the GCN mnemonic in the error about name on target, or an empty string. It checks that the
// mnemonic assembles on target in LLVM's syntax, unless the error says that target does not have it.
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

// checkRenamed checks that line, which has the mnemonic hint, assembles to the same words as name by AssembleRDNA. If
// name differs, the error must describe the difference, as tail does.
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
		return // line has a register that name does not have
	}
	if assert.NoError(t, err, "%s on %v", name, target) {
		assert.Equal(t, want.Words, renamed.Words, "%s on %v", name, target)
	}
}

// TestTextsOfRDNA checks that texts in RDNA mnemonics and in LLVM syntax assemble to the same words.
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
