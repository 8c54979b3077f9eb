package asm

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
)

// TestErrors checks that messages say where, what was wrong and what was expected.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		target    gcn.Target
		src       string
		line, col int
		what      string
	}{
		{gcn.GFX803, "v_mov_b33 v0, v1", 1, 1, "did you mean v_mov_b32?"},
		{gcn.GFX803, "s_nop 0\n  global_load_dword v0, v[1:2], off", 2, 3, "does not exist on gcn1.2, only on gcn1.4, gcn1.4.1"},
		{gcn.GFX803, "s_mov_b64 s[1:2], s[4:5]", 1, 11, "misaligned"},
		{gcn.GFX803, "v_cmp_eq_f32 s[1:2], v1, v2", 1, 14, "misaligned"},
		{gcn.GFX803, "s_mov_b32 s102, s1", 1, 11, "gcn1.2 has s0 to s101"},
		{gcn.GFX803, "v_mov_b32 v256, s1", 1, 11, "v0 to v255"},
		{gcn.GFX803, "s_mov_b64 s[0:3], s[4:5]", 1, 11, "4 registers, must have 2"},
		{gcn.GFX803, "v_add_f32 v0, s1, s2", 1, 19, "constant bus"},
		{gcn.GFX803, "s_add_u32 s0, 0x12345678, 0x87654321", 1, 27, "second literal"},
		{gcn.GFX803, "s_movk_i32 s0, 70000", 1, 16, "must be -32768 to 65535"},
		{gcn.GFX803, "buffer_load_dword v1, v2, s[4:7], 0 offen offset:4096", 1, 50, "must be 0 to 4095"},
		{gcn.GFX803, "s_load_dword s1, s[2:3], 0x100000", 1, 26, "must be 0 to 1048575"},
		{gcn.GFX803, "s_waitcnt vmcnt(16)", 1, 17, "must be 0 to 15"},
		{gcn.GFX803, "v_fma_f32 v0, v1, v2, 0x12345", 1, 23, "no 32-bit literal"},
		{gcn.GFX803, "s_branch nowhere", 1, 10, `unknown register or symbol "nowhere"`},
		{gcn.GFX803, "a:\na:", 2, 1, "defined twice"},
		{gcn.GFX803, ".stabs 1", 1, 1, "unknown directive .stabs"},
		{gcn.GFX803, "v_mov_b32 v0", 1, 13, "expected"},
		{gcn.GFX803, "v_mov_b32 v0, v1, v2", 1, 17, "unexpected"},
		{gcn.GFX803, "image_load v[0:3], v0, s[4:11] dmask:0x1", 1, 12, "4 registers, must have 1"},
		{gcn.GFX803, "buffer_load_dword v1, v2, s[4:7], 0", 1, 23, "needs idxen, offen or addr64"},
		{gcn.GFX803, ".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"", 1, 1, "gfx900"},
	} {
		_, err := Assemble(c.target, c.src, LLVM)
		var e *Error
		require.ErrorAs(t, err, &e, c.src)
		require.Equal(t, [2]int{c.line, c.col}, [2]int{e.Line, e.Col}, "%s: %v", c.src, err)
		require.Contains(t, e.What, c.what, c.src)
	}
}

func TestErrorCause(t *testing.T) {
	_, err := ParseInst(gcn.GFX600, "flat_load_dword v0, v[1:2]", LLVM)
	var unknown *gcn.UnknownMnemonicError
	require.ErrorAs(t, err, &unknown)
	require.Equal(t, []gcn.Gen{gcn.GCN11, gcn.GCN12, gcn.GCN14, gcn.GCN141}, unknown.On)

	_, err = ParseSyntax("intel")
	require.ErrorContains(t, err, "llvm and clrx")
	require.False(t, errors.As(err, &unknown))
}

// TestProgram checks labels, symbols, comments, data and the directives around code.
func TestProgram(t *testing.T) {
	p, err := Assemble(gcn.GFX900, `# a comment
	.text
	.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
	.globl k
	.p2align 3
	.set n, 4*4   // a symbol
k:  s_mov_b32 s0, n+1 ; trailing
loop: s_sub_u32 s0, s0, 1 /* inside */
	s_cmp_lg_u32 s0, 0
	/* over
	   lines */ s_cbranch_scc1 loop
	s_branch end
	.long 0x12345678, end-k
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, k@rel32@lo+4
	s_addc_u32 s5, s5, k@rel32@hi+12
end:
	s_endpgm
	.section .rodata
	.float 1.0
x:	.long 7
	.text
	s_nop 1
	.rodata
	.amdhsa_kernel k
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 6
	.end_amdhsa_kernel`, LLVM)
	require.NoError(t, err)
	require.Equal(t, "be800091 80808100 bf078000 bf85fffd bf820007 12345678 00000030 be841c00 8004ff04 ffffffe0 8205ff05 ffffffff "+
		"bf810000 bf800001", hexWords(p.Words))
	require.Equal(t, map[string]int{"k": 0, "loop": 4, "end": 48}, p.Labels)
	require.Equal(t, 8, p.LineAt(4))
	require.Equal(t, 11, p.LineAt(12))
	require.Equal(t, 18, p.LineAt(48))
	require.Equal(t, []Section{{Name: ".rodata", Offset: 4096, Align: 1, Data: p.Sections[0].Data, Labels: map[string]int{"x": 4100, "k.kd": 4104}}}, p.Sections)
}

func TestNoInstruction(t *testing.T) {
	require.Equal(t, "invalid", Format(gcn.Inst{}, LLVM))
	require.Equal(t, "invalid", Format(gcn.Inst{}, CLRX))
}

func TestDisassembleSkipsWhatIsNoInstruction(t *testing.T) {
	var text []string
	for d := range Disassemble(gcn.GFX803, []uint32{0xbf800000, 0xffffffff, 0xbf810000}) {
		if d.Err != nil {
			text = append(text, "error")
			continue
		}
		text = append(text, Format(d.Inst, LLVM))
	}
	require.Equal(t, "s_nop 0,error,s_endpgm", strings.Join(text, ","))
}

func TestCLRXProgram(t *testing.T) {
	p, err := Assemble(gcn.GFX803, `.gpu Fiji
	.text  # a comment
a:	s_mov_b32 s0, lit(1); s_nop 0x1 /* two
	in a line */
	s_branch a; s_cbranch_scc0 .+8
	s_waitcnt vmcnt(0) & lgkmcnt(0) # end`, CLRX)
	require.NoError(t, err)
	require.Equal(t, "be8000ff 00000001 bf800001 bf82fffc bf840001 bf8c0070", hexWords(p.Words))

	_, err = Assemble(gcn.GFX704, "s_nop 0x0; buffer_wbinvl1_vol", CLRX)
	require.ErrorContains(t, err, "1:12: buffer_wbinvl1_vol is not a name of clrx syntax on gcn1.1")
}

// TestCompiledPrograms assembles what a compiler wrote: labels, relative addresses of
// functions, directives. The words are those of the linked code.
func TestCompiledPrograms(t *testing.T) {
	files, err := filepath.Glob("testdata/program/*.s")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		stem := strings.TrimSuffix(file, ".s")
		target, err := gcn.ParseTarget(strings.TrimPrefix(filepath.Ext(stem), "."))
		require.NoError(t, err)
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		p, err := Assemble(target, string(src), LLVM)
		require.NoError(t, err, file)
		want, err := os.ReadFile(stem + ".hex")
		require.NoError(t, err)
		require.Equal(t, strings.Fields(string(want)), strings.Fields(hexWords(p.Words)), file)
	}
}
