package codeobj

import (
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Lines equal those that llvm-dwarfdump 22 prints for line tables of versions 4 and 5.
func TestLine(t *testing.T) {
	for _, name := range []string{"lines.clang14.fiji", "lines.clang22.fiji"} {
		o, err := Parse(load(t, name+".co"))
		require.NoError(t, err)
		table, err := os.ReadFile("testdata/" + name + ".lines")
		require.NoError(t, err)
		rows := strings.Split(strings.TrimSpace(string(table)), "\n")
		for i, row := range rows[:len(rows)-1] {
			var addr, next uint64
			var line, ignored int
			_, err := fmt.Sscanf(row, "0x%x %d", &addr, &line)
			require.NoError(t, err)
			_, err = fmt.Sscanf(rows[i+1], "0x%x %d", &next, &ignored)
			require.NoError(t, err)
			for at := addr; at < next; at += 4 {
				file, got := o.Line(at)
				assert.Equal(t, line, got, "%s: 0x%x", name, at)
				if line != 0 {
					assert.Equal(t, "lines.cl", path.Base(file))
				}
			}
		}
		_, line := o.Line(0)
		assert.Zero(t, line)
		_, line = o.Line(1 << 40)
		assert.Zero(t, line)
		require.NoError(t, o.lines.failure())
	}
}

// Unlinked objects have the same lines as the objects that a linker makes of them.
func TestLineOfRelocatableObjects(t *testing.T) {
	for _, name := range []string{"lines.clang14.fiji", "lines.clang22.fiji"} {
		linked, err := Parse(load(t, name+".co"))
		require.NoError(t, err)
		o, err := Parse(load(t, name+".o"))
		require.NoError(t, err)
		_, texts, err := ReadText(load(t, name+".o"))
		require.NoError(t, err)
		require.Len(t, texts, 1)
		assert.False(t, texts[0].Linked)
		require.NoError(t, o.lines.failure())
		k, want := &o.Kernels[0], &linked.Kernels[0]
		lines := map[int]bool{}
		for at := uint64(0); at < linked.symbol("lines").Size; at += 4 {
			file, line := linked.Line(want.Entry + at)
			gotFile, got := o.Line(k.Entry + at)
			assert.Equal(t, file, gotFile, "%s: %d", name, at)
			assert.Equal(t, line, got, "%s: %d", name, at)
			_, got = texts[0].Line(at)
			assert.Equal(t, line, got, "%s: %d", name, at)
			lines[got] = true
		}
		assert.Greater(t, len(lines), 3, name)
	}
}

func TestLineOfObjectsThatDoNotSay(t *testing.T) {
	o, err := Parse(load(t, "probe.v4.fiji.co"))
	require.NoError(t, err)
	_, line := o.Line(o.Kernels[0].Entry)
	assert.Zero(t, line)
	require.NoError(t, o.lines.failure())
}

// FuzzLines changes a byte of a section with lines. The result must be a line or an error.
func FuzzLines(f *testing.F) {
	data, err := os.ReadFile("testdata/lines.clang22.fiji.co")
	require.NoError(f, err)
	f.Add(uint16(3), uint16(700), byte(255))
	f.Add(uint16(0), uint16(0), byte(0))
	f.Fuzz(func(_ *testing.T, section, at uint16, to byte) {
		o, err := Parse(append([]byte(nil), data...))
		if err != nil {
			return
		}
		names := []string{".debug_abbrev", ".debug_info", ".debug_line", ".debug_line_str", ".debug_str"}
		name := names[int(section)%len(names)]
		b := append([]byte(nil), o.lines.sections[name]...)
		if len(b) > 0 {
			b[int(at)%len(b)] = to
		}
		o.lines.sections[name] = b
		o.Line(0x1690)
		_ = o.lines.failure()
	})
}
