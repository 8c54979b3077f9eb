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
}

// TestCompiledPrograms assembles the output of a compiler with labels, relative addresses of functions and
// directives. The words must be those of the linked code.
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

// TestXNACK checks that a processor has registers for XNACK_MASK if and only if it has them in
// llvm-mc 22.
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
