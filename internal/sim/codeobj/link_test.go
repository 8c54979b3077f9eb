package codeobj

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLink reads an unlinked object and checks the relocated addresses.
func TestLink(t *testing.T) {
	o, err := Parse(load(t, "link.o"))
	require.NoError(t, err)
	k, err := o.Kernel("get")
	require.NoError(t, err)
	assert.Equal(t, o.symbol("get").VAddr, k.Entry)
	require.Len(t, k.Args, 1)
	const base = 0x7f0000001000
	segs, err := Load(o, base)
	require.NoError(t, err)
	at := func(addr uint64) []byte {
		for _, s := range segs {
			if off := addr - s.VAddr; off < uint64(len(s.Data)) {
				return s.Data[off:]
			}
		}
		t.Fatalf("nothing at 0x%x", addr)
		return nil
	}
	value := base + o.symbol("value").VAddr
	assert.EqualValues(t, 42, le.Uint32(at(value)))
	assert.Equal(t, value+4, le.Uint64(at(base+o.symbol("table").VAddr)), "a pointer in data")
	// s_getpc_b64 is at offset 8 of the code and returns the address of the next instruction.
	code := at(base + k.Entry)
	slot := base + k.Entry + 12 + (uint64(le.Uint32(code[16:])) | uint64(le.Uint32(code[24:]))<<32)
	assert.Equal(t, value, le.Uint64(at(slot)), "the global offset table")
	lo, hi := o.extent()
	zeros := o.symbol("zeros").VAddr
	assert.True(t, lo <= zeros && zeros+4096 <= hi)
	for i := range segs[1:] {
		assert.Zero(t, segs[i+1].VAddr%0x1000)
		assert.GreaterOrEqual(t, segs[i+1].VAddr, segs[i].VAddr+segs[i].MemSize)
	}
}

// TestLinkErrors changes single bytes of the object.
func TestLinkErrors(t *testing.T) {
	good := load(t, "link.o")
	f, ferr := readELF(good)
	require.Nil(t, ferr)
	at := func(name string) (header, contents uint64) {
		for i, s := range f.Sections {
			if s.Name == name {
				return le.Uint64(good[40:]) + uint64(i)*sectionBytes, s.Offset
			}
		}
		t.Fatal(name)
		return 0, 0
	}
	table, first := at(".symtab")
	code, _ := at(".text")
	rela, relocs := at(".rela.text")
	value := first + uint64(4*symbolBytes) // symbol 4
	for name, c := range map[string]struct {
		off   uint64
		value byte
		want  string
	}{
		"undefined symbol":      {value + 6, 0, `symbol "value" is not defined; link the object`},
		"symbol of no section":  {value + 7, 0xff, `symbol "value" is not defined`},
		"no such symbol":        {relocs + 12, 99, "it refers to symbol 99"},
		"no table of symbols":   {table + 4, 1, "it refers to symbol"},
		"no such relocation":    {relocs + 8, 99, "relocation type 99"},
		"place beyond the code": {relocs + 2, 99, "outside the data"},
		"relocations cut short": {rela + 32, 5, "cut short"},
		"odd alignment":         {code + 48, 3, "its alignment is 259"},
		"huge alignment":        {code + 51, 1, "its alignment is 16777472"},
		"huge code":             {code + 36, 1, "they may have"},
	} {
		data := bytes.Clone(good)
		data[c.off] = c.value
		_, err := Parse(data)
		var e *Error
		require.ErrorAs(t, err, &e, name)
		assert.ErrorContains(t, err, c.want, name)
	}
}

// TestLinkAdvisesLibraries: the error for an undefined symbol of the device libraries names the libraries.
func TestLinkAdvisesLibraries(t *testing.T) {
	good := load(t, "link.o")
	f, ferr := readELF(good)
	require.Nil(t, ferr)
	for name, want := range map[string]string{
		"_Z13get_global_idj": `symbol "_Z13get_global_idj" is not defined; it is a function that OpenCL C has built in: ` +
			`compile with the device library that defines it, libclc`,
		"helper": `symbol "helper" is not defined; link the object that defines it`,
	} {
		data := bytes.Clone(good)
		for i, s := range f.Sections {
			header := data[le.Uint64(good[40:])+uint64(i)*sectionBytes:]
			switch s.Name {
			case ".strtab": // a second table at the end of the file, with one more name
				le.PutUint64(header[24:], uint64(len(data)))
				le.PutUint64(header[32:], s.Size+uint64(len(name))+1)
				data = append(append(append(data, good[s.Offset:][:s.Size]...), name...), 0)
			case ".symtab":
				value := data[s.Offset+4*symbolBytes:]
				le.PutUint32(value, uint32(f.Sections[s.Link].Size))
				le.PutUint16(value[6:], 0)
			}
		}
		_, err := Parse(data)
		var e *Error
		require.ErrorAs(t, err, &e)
		assert.ErrorContains(t, err, want)
	}
}
