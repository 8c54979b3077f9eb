package asm

import (
	"io/fs"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
)

func itoa(n int) string { return strconv.Itoa(n) }

// TestMacros checks what the tables of small programs do not: what stands where in errors
// and in the table of lines.
func TestMacros(t *testing.T) {
	p, err := Assemble(gcn.GFX900, `
	.macro twice op, n=1 ; a comment
	\op \n
	.rept 2
	\op \n+1
	.endr
	.endm
	s_nop 0
	twice s_nop
	twice s_sleep, 3
	.macro until n
	.if \n > 2
	.exitm
	.endif
	s_nop \n
	until \n+1
	.endm
	until 1`, LLVM)
	require.NoError(t, err)
	require.Equal(t, "bf800000 bf800001 bf800002 bf800002 bf8e0003 bf8e0004 bf8e0004 bf800001 bf800002", hexWords(p.Words))
	require.Equal(t, []int{8, 9, 9, 10, 18}, []int{lineAt(p, 0), lineAt(p, 4), lineAt(p, 12), lineAt(p, 16),
		lineAt(p, 32)})

	for _, c := range []struct{ src, want string }{
		{".macro m\ns_nop 0\ns_nop x\n.endm\n  m", `5:3: immediate must be known here, and "x" is not defined before this line (line 2 of macro m)`},
		{".macro m\ns_nop 0", "1:1: .macro without .endm"},
		{"\n .rept 2\ns_nop 0", "2:2: .rept without .endr"},
		{".macro m\n.if 1\n.endm\nm", "4:1: .if without .endif in macro m"},
		{".macro m\n.rept 1\n.endm\nm", "4:1: .rept without .endr in macro m"},
		{"s_nop 0\n .if 1", "2:2: .if without .endif"},
		{".else", "1:1: .else without .if"},
		{".exitm", "1:1: .exitm outside of a macro"},
		{".macro m a\n.endm\nm 1, 2", "3:6: macro m has 1 parameters only"},
		{".macro m a\n.endm\nm b=2", "3:3: macro m has no parameter b"},
		{".macro m a:req\n.endm\nm", "3:2: macro m needs parameter a"},
		{".macro m\nm\n.endm\nm", "macros and repetitions are nested more than 20 deep"},
		{".amdhsa_kernel k", "1:1: without .end_amdhsa_kernel"},
		{".include \"x\"", "1:1: .include would read another file"},
	} {
		_, err := Assemble(gcn.GFX900, c.src, LLVM)
		assert.ErrorContains(t, err, c.want, "%q", c.src)
	}
}

// TestLimits checks that a short text cannot ask for much memory or time, and that the
// error says how much there is.
func TestLimits(t *testing.T) {
	for _, src := range []string{
		".macro m a\nm \\a\\a\\a\\a\n.endm\nm " + strings.Repeat("x", 1000),
		".rept 1000000\n.rept 1000000\n.endr\n.endr",
		".rept 16000000\n; nothing\n.endr",
		".macro m\nm\nm\n.endm\nm",
		".fill 0x7fffffff, 8, 0", ".space 0x7fffffffffffffff", ".space n\n.set n, 1<<40", ".org 1<<40",
		".p2align 20\n.rept 100\ns_nop 0\n.p2align 20\n.endr",
	} {
		_, err := Assemble(gcn.GFX900, src, LLVM)
		var e *Error
		require.ErrorAs(t, err, &e, "%.40q", src)
		if !strings.Contains(e.What, "nested more than 20 deep") {
			require.Contains(t, e.What, "is larger than 16 MiB", "%.40q", src)
		}
	}
	p, err := Assemble(gcn.GFX900, ".fill 1048576, 8, 0", LLVM)
	require.NoError(t, err)
	require.Len(t, p.Words, 2<<20)
}

// TestAlternateMacros compares .altmacro with the words of llvm-mc 22.
func TestAlternateMacros(t *testing.T) {
	p, err := Assemble(gcn.GFX900, `
	.altmacro
	.macro put n, text
	v_mov_b32 v\n, n
	s_mov_b32 s0, text
	.endm
	put %(1+2), <4>
	.macro list a, b
	.irp r, a
	s_mov_b32 s0, r
	.endr
	s_mov_b32 s1, b
	.endm
	list <5, 6>, %7*2
	.noaltmacro
	.macro plain a
	s_mov_b32 s2, \a
	.endm
	plain 9
	.no_dead_strip x, y`, LLVM)
	require.NoError(t, err)
	assert.Equal(t, "7e060283 be800084 be800085 be800086 be81008e be820089", hexWords(p.Words))
}

// TestInclude: files and symbols come from the caller, and errors name the file with its line.
func TestInclude(t *testing.T) {
	texts := map[string]string{
		"sum.inc": "; a file\n.macro sum a, b\n.if N > 1 /* several\n lines */\ns_mov_b32 s0, \\a+\\b\n.endif\n.endm",
		"bad.inc": "s_nop 0\n\tv_bad\n", "self.inc": `.include "self.inc"`,
	}
	o := &Options{Symbols: map[string]int64{"N": 2}, Open: func(name string) (string, error) {
		text, ok := texts[name]
		if !ok {
			return "", fs.ErrNotExist
		}
		return text, nil
	}}
	p, err := AssembleWith(gcn.GFX900, ".include \"sum.inc\"\nsum 1, N", o)
	require.NoError(t, err)
	assert.Equal(t, "be800083", hexWords(p.Words))
	assert.Equal(t, 2, lineAt(p, 0))
	for src, want := range map[string]string{
		"\n.include \"bad.inc\"":  "2:1: unknown instruction \"v_bad\" on gfx900 (line 2 of file bad.inc)",
		".include \"none.inc\"":   "1:1: .include: file does not exist",
		".include \"self.inc\"":   "1:1: macros and repetitions are nested more than 20 deep (line 1 of file self.inc)",
		".incbin \"sum.inc\"":     "1:1: .incbin would read another file, which this assembler does not; write its bytes as .byte",
		".include \"sum.inc\" 1":  "1:20: unexpected \"1\"",
		".set N, 3\ns_nop N; use": "",
	} {
		_, err := AssembleWith(gcn.GFX900, src, o)
		if want == "" {
			assert.NoError(t, err, src)
		} else {
			assert.EqualError(t, err, want, src)
		}
	}
	_, err = Assemble(gcn.GFX900, `.include "sum.inc"`, LLVM)
	assert.EqualError(t, err, "1:1: .include would read another file, which is not allowed here; gcnsim asm does")
}

// TestCLRXFiles: programs of CLRX's binary formats assemble to the words of clrxasm: the first is an address that a
// driver puts into code.
func TestCLRXFiles(t *testing.T) {
	const config = "\n.config\n.dims x\n.sgprsnum 16\n.arg out, uint*, global\n"
	for _, c := range []struct{ src, words, err string }{
		{src: ".amdcl2\n.64bit\n.driver_version 257000\n.globaldata\ng:\n.int 1,2\ne:\n.kernel add" + config +
			".text\ns_mov_b32 s0, g&0xffffffff\ns_mov_b32 s1, (g+4)>>32\ns_mov_b32 s2, e-g\ns_endpgm",
			words: "be8000ff 55555555 be8100ff 55555555 be820088 bf810000"},
		{src: ".amdcl2\n.kernel a" + config + ".text\ns_nop 1\n.kernel b\n.metadata\n.byte 1,2\n.text\ns_nop 2",
			words: "bf800001 bf800002"},
		{src: ".gallium\n.kernel k\n.args\n.arg scalar, 4\n.config\n.vgprsnum 4\n.text\nk:\ns_nop 3\ns_endpgm",
			words: "bf800003 bf810000"},
		{src: ".rocm\n.kernel k\n.config\n.md_version 1, 0\n.use_ptr64\n.control_directive\n.fill 8\n.text\nk:\ns_endpgm",
			words: "bf810000"},
		{src: ".amdcl2\n.kernel a\n.config\n.dimz x", err: "4:1: unknown directive .dimz in the configuration of a kernel"},
		{src: ".amdcl2\n.kernel", err: "2:1: expected the name of a kernel, found the end of the line"},
		{src: ".kernel a", err: "1:1: unknown directive .kernel"},
	} {
		p, err := Assemble(gcn.GFX803, c.src, CLRX)
		if c.err != "" {
			assert.EqualError(t, err, c.err, c.src)
		} else if assert.NoError(t, err, c.src) {
			assert.Equal(t, c.words, hexWords(p.Words), c.src)
		}
	}
	_, err := Assemble(gcn.GFX803, ".amdcl2", LLVM)
	assert.EqualError(t, err, "1:1: unknown directive .amdcl2")
}
