package asm

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
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
		{gcn.GFX803, "s_nop 0\n  global_load_dword v0, v[1:2], off", 2, 3, "does not exist on gfx803, only on gcn1.4, gcn1.4.1"},
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
		{gcn.GFX803, "v_mov_b32 v0", 1, 13, "an operand is missing: expected a register or a constant, found the end of the line"},
		{gcn.GFX803, "buffer_load_dword v1, v0, s[0:3], 0 offen foo", 1, 43, `unexpected "foo"; modifiers, in this order: idxen offen offset glc slc tfe lds`},
		{gcn.GFX803, "v_add_f32_e64 v0, v1, v2 mul:2 clamp", 1, 32, `unexpected "clamp"; modifiers, in this order: clamp mul:2 mul:4 div:2`},
		{gcn.GFX803, "v_mov_b32 v0, v1, v2", 1, 19, "unexpected"},
		{gcn.GFX803, "V_MOV_B33 v0, v1", 1, 1, "did you mean v_mov_b32?"},
		{gcn.GFX900, "v_foo v0", 1, 1, `unknown instruction "v_foo" on gfx900`},
		{gcn.GFX900, "v_add_u32 v1, vcc, v2, v3", 1, 15, "v_add_u32 writes no carry on gfx900; v_add_co_u32 does"},
		{gcn.GFX906, "v_subrev_u32_e64 v1, s[2:3], v2, v3", 1, 22, "v_subrev_co_u32 does"},
		{gcn.GFX900, "buffer_load_dword v1, v0, s[4:7] offen", 1, 34, `expected soffset, a scalar register or a constant as 0, before "offen"`},
		{gcn.GFX900, "buffer_load_dword v1, v0, s[4:7], glc", 1, 35, `expected soffset, a scalar register or a constant as 0, before "glc"`},
		{gcn.GFX900, "buffer_store_dword v1, off, s[4:7]", 1, 35, "expected soffset"},
		{gcn.GFX900, "tbuffer_load_format_x v1, off, s[4:7] format:22", 1, 39, "expected soffset"},
		{gcn.GFX803, "s_mov_b32 xnack_mask_lo, 0", 1, 11, "gfx803 has no xnack_mask_lo"},
		{gcn.GFX704, "v_mad_u32_u24 v0, v1, v2, v3 clamp", 1, 30, "no clamp on gfx704"},
		{gcn.GFX900, "s_load_dword m0, s[2:3], 0", 1, 14, "cannot be m0 or exec"},
		{gcn.GFX900, "global_load_dword v3, v[0:1], off glc glc", 1, 39, "glc twice"},
		{gcn.GFX900, "v_mov_b32_dpp v0, v1 row_bcast:16", 1, 32, "row_bcast is 16, must be 15 or 31"},
		{gcn.GFX900, "s_getreg_b32 s0, {id: 1, id: 2}", 1, 26, "id, offset or size, each once"},
		{gcn.GFX900, "v_mov_b32 v0, 1e-46", 1, 15, "too large or too small"},
		{gcn.GFX803, "image_load v[0:3], v0, s[4:11] dmask:0x1", 1, 12, "4 registers, must have 1"},
		{gcn.GFX803, "image_load v[0:3], v0, s[4:11]", 1, 12, "4 registers, must have 1: without dmask there is one component"},
		{gcn.GFX803, "buffer_load_dword v2, v0, s[0:3], 0 offen tfe", 1, 19, "1 register, must have 2: tfe takes one more"},
		{gcn.GFX803, "buffer_load_dword v[2:3], v0, s[0:3], 0 offen", 1, 19, "2 registers, must have 1"},
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
	var unknown *gcn.Error
	require.ErrorAs(t, err, &unknown)
	require.Equal(t, gcn.UnknownMnemonic, unknown.Kind)
	require.ErrorContains(t, unknown, "only on gcn1.1, gcn1.2, gcn1.4, gcn1.4.1")
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
	require.Equal(t, "be800091 80808100 bf078000 bf85fffd bf820007 12345678 00000030 be841c00 8004ff04 ffffffe0 "+
		"8205ff05 ffffffff "+
		"bf810000 bf800001", hexWords(p.Words))
	require.Equal(t, map[string]int{"k": 0, "loop": 4, "end": 48}, p.Labels)
	require.Equal(t, 8, lineAt(p, 4))
	require.Equal(t, 11, lineAt(p, 12))
	require.Equal(t, 18, lineAt(p, 48))
	require.Equal(t, []Section{{Name: ".rodata", Offset: 4096, Align: 1, Data: p.Sections[0].Data,
		Labels: map[string]int{"x": 4100, "k.kd": 4104}}}, p.Sections)
}

func TestNoInstruction(t *testing.T) {
	require.Equal(t, "invalid", Format(gcn.Inst(isa.Inst{}), LLVM))
	require.Equal(t, "invalid", Format(gcn.Inst(isa.Inst{}), CLRX))
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
	require.ErrorContains(t, err, "1:12: buffer_wbinvl1_vol is not a name of clrx syntax on gfx704")
}

// TestCompiledPrograms assembles what a compiler wrote: labels, relative addresses of
// functions, directives. The words are the words of the linked code.
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

// TestXNACK checks that the registers of XNACK_MASK are the registers of processors that llvm-mc 22
// has them for.
func TestXNACK(t *testing.T) {
	with := []gcn.Target{gcn.GFX801, gcn.GFX810, gcn.GFX900, gcn.GFX902, gcn.GFX904, gcn.GFX906, gcn.GFX909, gcn.GFX90C}
	for target := range gcn.Target(gcn.NumTargets) {
		_, err := ParseInst(target, "s_mov_b64 s[0:1], xnack_mask", LLVM)
		require.Equal(t, slices.Contains(with, target), err == nil, "%v: %v", target, err)
	}
}

// lineAt returns the source line of the code at a byte offset.
func lineAt(p *Program, off int) (line int) {
	for _, l := range p.Lines {
		if l.Offset <= off {
			line = l.Line
		}
	}
	return line
}
