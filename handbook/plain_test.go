package handbook

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPlain(t *testing.T) {
	r := Rule{
		ID: "A1", Title: "One", Chapter: "buffers", Gens: "GCN 1.0", Sources: []string{"LLVM", "PAL"}, Sure: agreed,
		Text: "Some *text* with `code_*` that is\nlonger than a line.\n\n![picture](p.svg)\n\n    a = b * c\n\n1. " +
			"First\nstep.\n2. The second step is longer.\n\n" +
			"| a | column |\n|---|---|\n| 1 | a cell whose text does not fit |\n| **22** | |",
	}
	assert.Equal(t, `A1 One
GCN 1.0. Sources: LLVM; PAL.
Sure: two agree. Chapter:
buffers.

Some text with code_* that is
longer than a line.

    a = b * c

1. First step.
2. The second step is
   longer.

a   column
1   a cell whose text does not
    fit
22
`, r.Plain(30))
	assert.Contains(t, Rule{Sure: open}.Plain(80), "Sources: none.")
}

// Plain text has no marks of Markdown, and no lines that are too long.
func TestPlainRules(t *testing.T) {
	for _, r := range Rules() {
		text := r.Plain(100)
		assert.NotContains(t, text, "`", r.ID)
		assert.NotContains(t, text, "**", r.ID)
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "    ") {
				assert.LessOrEqual(t, len(line), 121, "rule %s: %s", r.ID, line)
			}
		}
	}
}
