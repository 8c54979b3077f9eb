package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/sim/codeobj"
)

// TestObjectTextComesBack assembles what dis prints of compiled kernels: the lines are the
// same, as many as the file has.
func TestObjectTextComesBack(t *testing.T) {
	files, err := filepath.Glob("../../testdata/kernels/*.co")
	require.NoError(t, err)
	require.Greater(t, len(files), 100)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		_, sections, err := codeobj.ReadText(data)
		require.NoError(t, err, file)
		require.Len(t, sections, 1, file)
		for _, s := range []asm.Syntax{asm.LLVM, asm.CLRX} {
			target, text, err := disObject(s, data)
			require.NoError(t, err, file)
			for _, label := range sections[0].Labels {
				assert.Contains(t, text, "\n"+label.Name+":\n", file)
			}
			p, err := asm.Assemble(target, text, s)
			require.NoError(t, err, file)
			require.Len(t, p.Words, len(sections[0].Data)/4, file)
			for _, l := range p.Lines {
				in, err := target.Decode(p.Words[l.Offset/4:])
				if err == nil && strings.Contains(text, "\n"+asm.Format(in, s)+"\n") {
					continue
				}
				assert.Contains(t, text, fmt.Sprintf(" 0x%08x\n", p.Words[l.Offset/4]), file)
			}
		}
	}
}

func TestWordsHaveEightDigits(t *testing.T) {
	for _, text := range []string{"bf80000", "bf8000000", "0xbf80000", "0x", "bf80000g"} {
		_, _, err := readWords(nil, nil, 1, text, wordDigits)
		assert.ErrorContains(t, err, "write eight hex digits", text)
	}
	words, lines, err := readWords(nil, nil, 3, strings.Join([]string{"bf800000", "0xBF810000"}, ", "), wordDigits)
	require.NoError(t, err)
	assert.Equal(t, []uint32{0xbf800000, 0xbf810000}, words)
	assert.Equal(t, []int{3, 3}, lines)
}
