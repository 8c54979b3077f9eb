package listing

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// TestObjectTextComesBack: the printed text of compiled kernels assembles to the words in the file.
func TestObjectTextComesBack(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/kernels/*.co")
	require.NoError(t, err)
	require.Greater(t, len(files), 100)
	files = append(files, "../../../internal/sim/codeobj/testdata/lines.clang22.fiji.co")
	for i, file := range files {
		if effort.LeavesOut(i) {
			continue
		}
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		_, sections, err := codeobj.ReadText(data)
		require.NoError(t, err, file)
		require.Len(t, sections, 1, file)
		for _, s := range []asm.Syntax{asm.LLVM, asm.CLRX} {
			target, text, err := ObjectText{Syntax: s, Labels: i%2 == 0, Addresses: i%3 == 0, Lines: true}.Disassemble(data)
			require.NoError(t, err, file)
			last := fmt.Sprintf(" %s 0x%x\n", notations[s].comment, sections[0].Addr+uint64(len(sections[0].Data))-4)
			assert.Equal(t, i%3 == 0, strings.HasSuffix(text, last), file)
			for _, label := range sections[0].Labels {
				assert.Contains(t, text, "\n"+label.Name+":\n", file)
			}
			p, err := asm.Assemble(target, text, s)
			require.NoError(t, err, file)
			var got []byte
			for _, w := range p.Words {
				got = append(got, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
			}
			assert.Equal(t, sections[0].Data, got, file)
		}
	}
}

// If a file's line table cannot be read, a comment in the text says why.
func TestLinesThatCannotBeRead(t *testing.T) {
	data, err := os.ReadFile("../../../internal/sim/codeobj/testdata/lines.clang22.fiji.co")
	require.NoError(t, err)
	f, err := elf.NewFile(bytes.NewReader(data))
	require.NoError(t, err)
	at := binary.LittleEndian.Uint64(data[40:]) // e_shoff
	for i, s := range f.Sections {
		if s.Name == ".debug_line" {
			data[at+uint64(i)*64+9] |= byte(elf.SHF_COMPRESSED >> 8) // sh_flags
		}
	}
	_, text, err := ObjectText{Syntax: asm.LLVM}.Disassemble(data)
	require.NoError(t, err)
	assert.Contains(t, text, "\n; no source lines: the line tables are compressed; link without "+
		"--compress-debug-sections\n")
	assert.NotContains(t, text, ".cl:")
}

func TestWordsHaveEightDigits(t *testing.T) {
	for _, text := range []string{"bf80000", "bf8000000", "0xbf80000", "0x", "bf80000g"} {
		_, _, err := Words(text, Digits)
		assert.ErrorContains(t, err, "write eight hex digits", text)
	}
	words, lines, err := Words("\nbf800000, \n0xBF810000", Digits)
	require.NoError(t, err)
	assert.Equal(t, []uint32{0xbf800000, 0xbf810000}, words)
	assert.Equal(t, []int{2, 3}, lines)
}
