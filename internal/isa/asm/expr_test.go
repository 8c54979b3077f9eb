package asm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
)

// TestReplies checks the words, or the error with its line and column, that the assembler returns for each text in
// testdata/replies.tsv. Each text has a target and a syntax.
func TestReplies(t *testing.T) {
	const file = "testdata/replies.tsv"
	var got strings.Builder
	got.WriteString("# target, syntax, text with \\n between its lines, reply\n")
	for _, row := range readTable(t, file) {
		target, err := gcn.ParseTarget(row[0])
		require.NoError(t, err)
		s := LLVM
		if row[1] == CLRX.String() {
			s = CLRX
		}
		var reply string
		if p, err := Assemble(target, strings.ReplaceAll(row[2], `\n`, "\n"), s); err == nil {
			reply = hexWords(p.Words)
		} else {
			require.ErrorAs(t, err, new(*Error), row[2])
			reply = err.Error()
		}
		fmt.Fprintf(&got, "%s\t%s\t%s\t%s\n", row[0], row[1], row[2], reply)
	}
	golden.Compare(t, file, []byte(got.String()))
}

// TestExpressions compares small programs with the words of llvm-mc 22 and clrxasm. They have
// expressions, symbols and labels at all places for numbers, data and macros.
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

// TestExpressionLimits checks that long and nested expressions need little time, or are refused.
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
}
