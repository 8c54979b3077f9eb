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

// TestMacros checks the table of lines of programs with macros. The tables of small programs do not cover it.
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
}

// TestLimits checks that a short text cannot request much memory or time, and that the error names
// the limit.
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

// TestAlternateMacros compares texts with .altmacro with the words of llvm-mc 22.
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

// TestInclude: the caller supplies files and symbols, and errors have the file name and its line.
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
