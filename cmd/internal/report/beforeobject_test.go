package report

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/specjson"
	"github.com/gcnsim/gcnsim/r600"
)

// objectOf returns an object as LLVM writes it, with two kernels: words of the same program.
func objectOf(flags uint32, words []uint32) []byte {
	var text, symbols []byte
	for _, w := range append(words, words...) {
		text = binary.LittleEndian.AppendUint32(text, w)
	}
	size := uint32(4 * len(words))
	for _, s := range [][4]uint32{{9, size, size, 2}, {1, 0, size, 2}} { // name, value, size and type: second, first
		for _, v := range s {
			symbols = binary.LittleEndian.AppendUint32(symbols, v)
		}
	}
	var config []byte
	for _, v := range []uint32{0x288d4, 2, 0x2880c, 0, ldsRegister, 4, 0x288d4, 2, 0x2880c, 0, ldsRegister, 8} {
		config = binary.LittleEndian.AppendUint32(config, v)
	}
	names := []byte("\x00first\x00\x00\x00second\x00.text\x00.AMDGPU.config\x00.symtab\x00")
	at := func(name string) uint32 { return uint32(bytes.Index(names, []byte(name))) }
	out := make([]byte, elfHeaderBytes)
	copy(out, elfMagic+"\x01\x01\x01")
	binary.LittleEndian.PutUint16(out[18:], elfMachine)
	binary.LittleEndian.PutUint32(out[36:], flags)
	var headers []byte
	section := func(name, kind uint32, data []byte) {
		for _, v := range []uint32{name, kind, 0, 0, uint32(len(out)), uint32(len(data)), 0, 0, 0, 0} {
			headers = binary.LittleEndian.AppendUint32(headers, v)
		}
		out = append(out, data...)
	}
	section(0, 3, names)
	section(at(".text"), 1, text)
	section(at(".AMDGPU.config"), 1, config)
	section(at(".symtab"), symbolTable, symbols)
	binary.LittleEndian.PutUint32(out[32:], uint32(len(out)))
	binary.LittleEndian.PutUint16(out[48:], 4)
	return append(out, headers...)
}

// Kernels of an object are read with their names, words and LDS, by address; one runs.
func TestObjectBeforeGCN(t *testing.T) {
	words := []uint32{0, 0x80200000}
	data := objectOf(11, words)
	all, err := readObject(r600.Evergreen, data)
	require.NoError(t, err)
	assert.Equal(t, []kernelBefore{{r600.Function{Name: "first", Words: words}, 16},
		{r600.Function{Name: "second", Words: words}, 32}}, all)
	var out bytes.Buffer
	o := &Options{MCPU: "redwood", Command: specjson.Command{Kernel: "second"}}
	_, err = Run(context.Background(), "k.o", data, o, &out)
	require.NoError(t, err)
	assert.Contains(t, out.String(), "second: 1 wave\n")
	for flags, family := range map[uint32]r600.Family{1: r600.R600, 7: r600.R700, 8: r600.Evergreen, 15: r600.Cayman,
		16: r600.Evergreen} {
		for f := r600.R600; f <= r600.Cayman; f++ {
			_, err := readObject(f, objectOf(flags, words))
			assert.Equal(t, f == family, err == nil, "%v %v", flags, f)
		}
	}
}

// What is cut off, or is another file, is an error or has fewer kernels.
func TestBrokenObjectBeforeGCN(t *testing.T) {
	data := objectOf(11, []uint32{0, 0x80200000})
	for n := range data {
		if all, err := readObject(r600.Evergreen, data[:n]); err == nil {
			assert.Empty(t, all)
		}
		broken := bytes.Clone(data)
		broken[n] ^= 0xff
		_, _ = readObject(r600.Evergreen, broken)
	}
}
