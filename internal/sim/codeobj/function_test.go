package codeobj

import (
	"debug/elf"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFunctions(t *testing.T) {
	data, err := os.ReadFile("testdata/lines.clang22.fiji.co")
	require.NoError(t, err)
	o, err := Parse(data)
	require.NoError(t, err)
	all := o.Functions
	require.Len(t, all, 2)
	require.Equal(t, Symbol{Name: "lines", VAddr: 0x1600, Size: 120, kind: elf.STT_FUNC}, all[0])
	require.Equal(t, "__clang_ocl_kern_imp_lines", all[1].Name)

	// The cases: several names of the same code, symbols without sizes, labels and data.
	all = functions([]Symbol{
		{Name: "alias", VAddr: 0x100, Size: 8, kind: elf.STT_FUNC},
		{Name: "data", VAddr: 0x180, Size: 8, kind: elf.STT_OBJECT},
		{Name: "inner", VAddr: 0x110, Size: 4, kind: elf.STT_FUNC}, {Name: "label", VAddr: 0x104},
		{Name: "last", VAddr: 0x300, kind: symKernel}, {Name: "open", VAddr: 0x200, kind: elf.STT_FUNC},
		{Name: "whole", VAddr: 0x100, Size: 64, kind: elf.STT_FUNC},
		{Name: "zero", abs: true, kind: elf.STT_FUNC},
	})
	type span struct {
		name       string
		start, end uint64
	}
	var spans []span
	for _, s := range all {
		spans = append(spans, span{s.Name, s.VAddr, s.VAddr + s.Size})
	}
	require.Equal(t, []span{{"whole", 0x100, 0x140}, {"open", 0x200, 0x300}, {"last", 0x300, 0}}, spans)
}
