package asm

import "testing"

// TestCharLiterals: LLVM accepts one character after a backslash, CLRX the escape sequences of C.
func TestCharLiterals(t *testing.T) {
	const none = -1
	for _, c := range []struct {
		text       string
		llvm, clrx int64
	}{
		{`'a'`, 'a', 'a'}, {`' ' x`, ' ', ' '}, {`'"'`, '"', '"'}, {`'''`, '\'', '\''}, {`'\''`, '\'', '\''},
		{`'\\'`, '\\', '\\'}, {`'\n'`, '\n', '\n'}, {`'\v'`, 'v', '\v'}, {`'\a'`, 'a', '\a'}, {`'\q'`, 'q', 'q'},
		{`'\0'`, '0', 0}, {`'\8'`, '8', '8'}, {`'\123'`, none, 0o123}, {`'\xab'`, none, 0xab}, {`'\xabc'`, none, none},
		{`'\777'`, none, none}, {`'\x'`, 'x', 'x'}, {`'\xg'`, none, none}, {`'ab'`, none, none}, {`''`, none, none},
		{`'`, none, none}, {`'\`, none, none}, {`'\'`, none, none}, {`'a`, none, none}, {`a`, none, none}, {``, none, none},
	} {
		for s, want := range []int64{LLVM: c.llvm, CLRX: c.clrx} {
			v, n := charLiteral(c.text, Syntax(s))
			if n == 0 {
				v = none
			}
			if v != want {
				t.Errorf("%v: %s is %d of %d bytes, want %d", Syntax(s), c.text, v, n, want)
			}
		}
	}
	p, err := Assemble(targets[2], "s_mov_b32 s0, ';'; s_mov_b32 s1, '#' # comment\ns_mov_b32 s2, '\\x3b' ;", CLRX)
	if err != nil || hexWords(p.Words) != "be8000bb be8100a3 be8200bb" {
		t.Errorf("%v %v", p, err)
	}
}
