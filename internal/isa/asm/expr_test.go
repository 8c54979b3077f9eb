package asm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
)

// TestExpressions assembles small programs whose words llvm-mc 22 and clrxasm give:
// expressions, symbols and labels wherever a number can stand, data and macros.
func TestExpressions(t *testing.T) {
	for _, s := range []Syntax{LLVM, CLRX} {
		for _, row := range readTable(t, "testdata/programs_"+s.String()+".tsv") {
			src := strings.ReplaceAll(row[0], `\n`, "\n")
			p, err := Assemble(gcn.GFX900, src, s)
			switch {
			case row[1] == "ERR" && err == nil:
				t.Errorf("%v: %q assembles to %s, must be refused", s, src, hexWords(p.Words))
			case row[1] != "ERR" && err != nil:
				t.Errorf("%v: %q: %v", s, src, err)
			case row[1] != "ERR" && hexWords(p.Words) != row[1]:
				t.Errorf("%v: %q assembles to %s, want %s", s, src, hexWords(p.Words), row[1])
			}
		}
	}
}

// TestUnknownNames has a name that nothing defines at every place where text becomes a
// number: the error must name it and say where it is.
func TestUnknownNames(t *testing.T) {
	for _, c := range []struct {
		syntax Syntax
		src    string
	}{
		{LLVM, "s_waitcnt lgkmcnt(X)"}, {LLVM, "s_waitcnt X"}, {LLVM, "s_nop X"}, {LLVM, "s_endpgm X"},
		{LLVM, "s_movk_i32 s0, X"}, {LLVM, "s_mov_b32 s0, X"}, {LLVM, "s_mov_b64 s[0:1], X"}, {LLVM, "s_branch X"},
		{LLVM, "s_setreg_imm32_b32 hwreg(1), X"}, {LLVM, "s_setreg_b32 hwreg(X), s0"},
		{LLVM, "s_setreg_b32 hwreg(1, X, 1), s0"}, {LLVM, "s_sendmsg X"}, {LLVM, "s_sendmsg sendmsg(X)"},
		{LLVM, "s_sendmsg sendmsg(2, X)"}, {LLVM, "s_set_gpr_idx_on s0, X"}, {LLVM, "v_madak_f32 v0, v1, v2, X"},
		{LLVM, "v_add_f64 v[0:1], X, v[0:1]"}, {LLVM, "v_fma_f32 v0, X, v1, v2"}, {LLVM, "v_mov_b32 v[X], v0"},
		{LLVM, "s_load_dword s0, s[2:3], X"}, {LLVM, "s_load_dword s0, s[2:3], s4 offset:X"},
		{LLVM, "buffer_load_dword v1, off, s[4:7], X"}, {LLVM, "buffer_load_dword v1, off, s[4:7], s8 offset:X"},
		{LLVM, "tbuffer_load_format_x v1, off, s[4:7], s8 format:X"},
		{LLVM, "tbuffer_load_format_x v1, off, s[4:7], dfmt:X, nfmt:1, s8"}, {LLVM, "ds_read_b32 v0, v1 offset:X"},
		{LLVM, "ds_swizzle_b32 v0, v1 offset:X"}, {LLVM, "ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,X)"},
		{LLVM, "global_load_dword v0, v[1:2], off offset:X"}, {LLVM, "image_load v0, v[0:1], s[0:7] dmask:X"},
		{LLVM, "v_mov_b32_dpp v0, v1 row_shl:X"}, {LLVM, "v_mov_b32_dpp v0, v1 quad_perm:[X,1,2,3]"},
		{LLVM, "v_mov_b32_dpp v0, v1 row_shl:1 row_mask:X"}, {LLVM, "v_pk_add_u16 v0, v1, v2 op_sel:[X,0]"},
		{LLVM, "v_add_f32_e64 v0, v1, v2 mul:X"}, {LLVM, "s_atc_probe X, s[4:5], 0"}, {LLVM, ".long X"}, {LLVM, ".byte 1, X"},
		{LLVM, ".quad X-4"}, {LLVM, ".fill X, 4, 0"}, {LLVM, ".fill 1, X"}, {LLVM, ".fill 1, 4, X"}, {LLVM, ".space X"},
		{LLVM, ".p2align X"}, {LLVM, ".balign 8, X"}, {LLVM, ".org X"}, {LLVM, ".rept X\n.endr"}, {LLVM, ".if X\n.endif"},
		{LLVM, ".set Y, X\ns_nop Y"}, {LLVM, ".uleb128 X"},
		{LLVM, "k:\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr X\n.amdhsa_next_free_sgpr 1\n.end_amdhsa_kernel"},
		{LLVM, ".amdgpu_lds y, X"}, {LLVM, ".amd_kernel_code_t\nuser_sgpr_count = X\n.end_amd_kernel_code_t"},
		{CLRX, "s_mov_b32 s[X], s0"}, {CLRX, "s_waitcnt vmcnt(X)"}, {CLRX, "s_nop X"}, {CLRX, "s_mov_b32 s0, X"},
		{CLRX, "v_madak_f32 v0, v1, v2, X"}, {CLRX, "s_branch X"}, {CLRX, "s_load_dword s0, s[2:3], X"},
		{CLRX, "ds_read_b32 v0, v1 offset:X"}, {CLRX, "s_set_gpr_idx_on s0, X"}, {CLRX, "v_mov_b32 v0, v1 row_shl:X"},
		{CLRX, ".int X"},
	} {
		p, err := Assemble(gcn.GFX900, "s_nop 0\n"+c.src, c.syntax)
		var e *Error
		if !assert.ErrorAs(t, err, &e, "%q is %+v", c.src, p) {
			continue
		}
		assert.Regexp(t, `"X"`, e.What, c.src)
		line := strings.Split("s_nop 0\n"+c.src, "\n")[e.Line-1]
		assert.LessOrEqual(t, e.Col-1, max(strings.Index(line, "X"), strings.Index(line, "Y")), "%q: %v", c.src, err)
		assert.Greater(t, e.Col, 1, "%q: %v", c.src, err)
	}
}

// TestDeliberate are programs in which the assembler does not what another one does, on
// purpose.
func TestDeliberate(t *testing.T) {
	for _, c := range []struct {
		syntax      Syntax
		src         string
		words, want string
	}{
		// LLVM leaves these to a linker, or makes a number of them that is no number.
		{LLVM, "s_mov_b32 s0, A-4\nA:", "", "1:15: this is an address"},
		{LLVM, ".long A\nA:", "", "1:7: this is an address"},
		{LLVM, "s_mov_b32 s0, A\n.set A, 0x123456789", "", "1:15: the constant is 4886718345, which does not fit 32 bits"},
		{LLVM, "s_mov_b32 s0, ext@rel32@lo", "", `1:15: symbol "ext" is not in this code: link it first`},
		{LLVM, "s_mov_b32 s0, _Z13get_global_idj@gotpcrel32@lo+4", "", `1:15: symbol "_Z13get_global_idj" is not in this code: it is a function that OpenCL C has built in: compile with the device library that defines it`},
		{LLVM, "s_mov_b32 s0, A@rel64\nA:", "", "1:15: unknown relocation @rel64"},
		{LLVM, "s_mov_b32 s0, A@rel32@lo+4\nA:", "be8000ff 00000008", ""},
		{LLVM, "s_mov_b32 s0, A@rel32@hi\nA:", "be8000ff 00000000", ""},
		// Both cut these off.
		{LLVM, ".byte B-A\nA: .space 256\nB:", "", "1:7: value is 256, which does not fit 8 bits"},
		{CLRX, ".byte 256", "", "1:7: value is 256, which does not fit 8 bits"},
		{CLRX, "s_mov_b32 s0, 0x123456789", "", "does not fit"},
		// No processor executes this.
		{LLVM, ".byte 1\ns_nop 0", "", "2:1: an instruction must begin at a multiple of 4 bytes"},
		{LLVM, "s_nop 0\n.space n\n.set n, 2\ns_nop 1", "", "2:1: what follows does not begin at a multiple of 4 bytes"},
		// LLVM warns.
		{LLVM, ".fill -1, 4, 0", "", "1:1: the size is -1, must not be negative"},
		// LLVM wants constants here, clrxasm takes what is known.
		{LLVM, "A: s_nop 0\nB: s_nop B-A", "bf800000 bf800004", ""},
		{LLVM, "s_branch A+4\nA:", "bf820001", ""},
	} {
		p, err := Assemble(gcn.GFX900, c.src, c.syntax)
		if c.want != "" {
			assert.ErrorContains(t, err, c.want, "%q", c.src)
			continue
		}
		if assert.NoError(t, err, c.src) {
			assert.Equal(t, c.words, hexWords(p.Words), c.src)
		}
	}
}

// TestExpressionLimits checks that no expression takes more than it gives.
func TestExpressionLimits(t *testing.T) {
	double := ".set x0, y+y\n"
	for n := range 60 {
		double += ".set x" + itoa(n+1) + ", x" + itoa(n) + "+x" + itoa(n) + "\n"
	}
	_, err := Assemble(gcn.GFX900, double+".quad x60\n.set y, 0", LLVM)
	require.NoError(t, err)
	_, err = Assemble(gcn.GFX900, double+"A: s_nop 0\n.set y, A", LLVM)
	require.NoError(t, err)
	_, err = Assemble(gcn.GFX900, ".quad y"+strings.Repeat("+1", 1<<20), LLVM)
	require.ErrorContains(t, err, "nested too deeply")
	_, err = Assemble(gcn.GFX900, ".quad "+strings.Repeat("(", 1<<20), LLVM)
	require.ErrorContains(t, err, "too many parentheses")
	_, err = Assemble(gcn.GFX900, ".quad "+strings.Repeat("-", 1<<20)+"1", LLVM)
	require.ErrorContains(t, err, "too many signs")
	_, err = Assemble(gcn.GFX900, ".set a, b\n.set b, a\n.long a", LLVM)
	require.ErrorContains(t, err, "2:9: a symbol is defined by itself")
	_, err = Assemble(gcn.GFX900, ".long a\n.set a, 1/(c-c)\n.set c, 5", LLVM)
	require.ErrorContains(t, err, "1:7: division by zero")
}

// TestAtomicWithoutDestination: with glc an atomic returns a value, and needs a place for it.
func TestAtomicWithoutDestination(t *testing.T) {
	for _, s := range []Syntax{LLVM, CLRX} {
		for _, line := range []string{"flat_atomic_add v[3:4], v5 glc", "global_atomic_cmpswap v[3:4], v[5:6], off glc"} {
			_, err := ParseInst(gcn.GFX900, line, s)
			assert.ErrorContains(t, err, "needs a destination", "%v: %s", s, line)
		}
	}
}

// TestLateScalarOffset checks that an offset that is defined later cannot become a literal,
// for which there is no room any more.
func TestLateScalarOffset(t *testing.T) {
	for target, want := range map[gcn.Target]string{gcn.GFX600: "must be 0 to 255",
		gcn.GFX704: "offset is 256, must be 0 to 255 if it is defined later", gcn.GFX803: ""} {
		p, err := Assemble(target, "s_load_dword s50, s[58:59], x\ns_nop 0\nx = 256", CLRX)
		if want != "" {
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "c0020c9d 00000100 bf800000", hexWords(p.Words))
	}
}
