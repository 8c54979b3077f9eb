package codeobj

import (
	"bytes"
	"compress/zlib"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
)

// bundle returns an offload bundle of files. The arguments alternate between ID and contents.
func bundle(files ...string) []byte {
	header := len(bundleMagic) + 8
	for i := 0; i < len(files); i += 2 {
		header += 24 + len(files[i])
	}
	b, end := le.AppendUint64([]byte(bundleMagic), uint64(len(files)/2)), header
	var data []byte
	for i := 0; i < len(files); i += 2 {
		b = le.AppendUint64(le.AppendUint64(le.AppendUint64(b, uint64(end)), uint64(len(files[i+1]))), uint64(len(files[i])))
		b = append(b, files[i]...)
		data = append(data, files[i+1]...)
		end += len(files[i+1])
	}
	return append(b, data...)
}

// compressed returns a bundle in the compressed format of a version of clang.
func compressed(t testing.TB, version, method uint16, data []byte) []byte {
	t.Helper()
	b := le.AppendUint16(le.AppendUint16([]byte(compressedMagic), version), method)
	switch version {
	case 1:
		b = le.AppendUint32(b, uint32(len(data)))
	case 2:
		b = le.AppendUint32(le.AppendUint32(b, 0), uint32(len(data)))
	default:
		b = le.AppendUint64(le.AppendUint64(b, 0), uint64(len(data)))
	}
	out := bytes.NewBuffer(le.AppendUint64(b, 0x1234)) // 0x1234 stands for the hash
	w := zlib.NewWriter(out)
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	switch b = out.Bytes(); version { // append the size of the file
	case 2:
		le.PutUint32(b[8:], uint32(len(b)))
	case 3:
		le.PutUint64(b[8:], uint64(len(b)))
	}
	return b
}

const (
	hostID = "host-x86_64-unknown-linux--"
	hip    = "hipv4-amdgcn-amd-amdhsa--"
)

func TestUnbundle(t *testing.T) {
	fiji, vega := string(load(t, "probe.v4.fiji.co")), string(load(t, "probe.v3.gfx900.co"))
	one := bundle(hostID, "", hip+"gfx803", fiji)
	both := bundle(hostID, "", hip+"gfx803", fiji, hip+"gfx900:xnack-", vega, hip+"gfx1030", "x")
	for name, c := range map[string]struct {
		data      []byte
		processor string
		want      string
	}{
		"the only one":     {one, "", fiji},
		"by its processor": {both, "gfx900", vega},
		"by its ID":        {both, "gfx900:xnack-", vega},
		"by a chip":        {both, "fiji", fiji},
		"the only of GCN":  {bundle(hip+"gfx1030", "x", "openmp-amdgcn-amd-amdhsa-gfx803", fiji), "", fiji},
		"zlib, version 1":  {compressed(t, 1, 0, one), "", fiji},
		"zlib, version 2":  {compressed(t, 2, 0, both), "gfx900", vega},
		"zlib, version 3":  {compressed(t, 3, 0, one), "", fiji},
		"no bundle":        {[]byte(fiji), "gfx900", fiji},
	} {
		got, err := Unbundle(c.data, c.processor)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, string(got), name)
	}
	plain, err := Parse([]byte(fiji))
	require.NoError(t, err)
	bundled, err := Parse(one)
	require.NoError(t, err)
	assert.Equal(t, plain.segments, bundled.segments)
	assert.Equal(t, plain.Kernels, bundled.Kernels)
	target, want, err := ReadText([]byte(fiji))
	require.NoError(t, err)
	assert.Equal(t, gcn.GFX803, target)
	_, texts, err := ReadText(one)
	require.NoError(t, err)
	require.Len(t, texts, len(want))
	for i := range want {
		assert.Equal(t, want[i].Data, texts[i].Data)
	}
	all, _, failed := readBundle(both)
	require.Nil(t, failed)
	var processors []string
	for i := range all {
		processors = append(processors, all[i].processor())
	}
	assert.Equal(t, []string{"", "gfx803", "gfx900:xnack-", "gfx1030"}, processors)
}

func TestUnbundleRefuses(t *testing.T) {
	both := bundle(hip+"gfx803", "x", hip+"gfx900", "y")
	twice := bundle(hip+"gfx906:xnack+", "x", hip+"gfx906:xnack-", "y")
	zip := compressed(t, 2, 0, both)
	for name, c := range map[string]struct {
		data      []byte
		processor string
		says      string
	}{
		"two":                {both, "", "it holds code for gfx803, gfx900; choose one: --mcpu"},
		"another":            {both, "gfx801", "it holds code for gfx803, gfx900, not for gfx801"},
		"unknown":            {both, "banana", "not for banana"},
		"two of a processor": {twice, "gfx906", "it holds code for gfx906:xnack+, gfx906:xnack-; choose one"},
		"host alone":         {bundle(hostID, "x"), "", "none of its 1 files is for an AMD GPU"},
		"RDNA alone":         {bundle(hip+"gfx1030", "x"), "", "gfx1030, not for a GCN processor"},
		"magic alone":        {[]byte(bundleMagic), "", "it does not begin as one"},
		"many":               {le.AppendUint64([]byte(bundleMagic), 1<<60), "", "more than the 4096"},
		"cut header":         {both[:len(bundleMagic)+8+30], "", "it ends in the header of file 0 of 2"},
		"cut file":           {both[:len(both)-1], "", "file 1 has 1 bytes at"},
		"zstd":               {compressed(t, 2, 1, both), "", "compressed with zstd, which is not read; take the code object out with clang-offload-bundler"},
		"another method":     {compressed(t, 2, 7, both), "", "method 7"},
		"another version":    {compressed(t, 9, 0, both), "", "version 9"},
		"cut":                {zip[:len(zip)-3], "", "it cannot be decompressed"},
		"CCOB alone":         {[]byte(compressedMagic), "", "it ends in its header"},
		"CCOB header":        {zip[:12], "", "it ends in its header"},
	} {
		_, err := Unbundle(c.data, c.processor)
		var e *Error
		require.ErrorAs(t, err, &e, name)
		assert.ErrorContains(t, err, c.says, name)
	}
}

// FuzzBundle reads arbitrary bytes as a bundle. The result must be a code object or an *Error.
func FuzzBundle(f *testing.F) {
	f.Add(bundle(hostID, "", hip+"gfx803", "x"), "gfx803")
	f.Add(bundle(hip+"gfx906:xnack+", "x", hip+"gfx906:xnack-", "y"), "")
	f.Add(compressed(f, 2, 0, bundle(hip+"gfx900", "x")), "fiji")
	f.Add(archive("//", "long.o/\n", "/0", string(bundle(hip+"gfx803", "x")), "#1/2", "k\x00\x7fELF"), "gfx803")
	f.Fuzz(func(t *testing.T, data []byte, processor string) {
		if len(data) > 1<<16 {
			return
		}
		var e *Error
		if _, err := Unbundle(data, processor); err != nil {
			require.ErrorAs(t, err, &e)
		}
		if _, err := UnbundleKernel(data, processor, "k"); err != nil {
			require.ErrorAs(t, err, &e)
		}
		_, _, _ = readBundle(data) // it does not panic
	})
}

// program returns an ELF file for x86-64 whose section .hip_fatbin contains data.
func program(data []byte) []byte {
	const names = "\x00.hip_fatbin\x00.shstrtab\x00"
	b := make([]byte, headerBytes)
	copy(b, "\x7fELF\x02\x01\x01")
	le.PutUint16(b[16:], 2)  // ET_EXEC
	le.PutUint16(b[18:], 62) // EM_X86_64
	at := uint64(len(b))
	b = append(append(b, data...), names...)
	le.PutUint64(b[40:], uint64(len(b)))
	le.PutUint16(b[58:], sectionBytes)
	le.PutUint16(b[60:], 3)
	le.PutUint16(b[62:], 2)
	section := func(name, kind uint32, off, size uint64) {
		s := make([]byte, sectionBytes)
		le.PutUint32(s, name)
		le.PutUint32(s[4:], kind)
		le.PutUint64(s[24:], off)
		le.PutUint64(s[32:], size)
		b = append(b, s...)
	}
	section(0, 0, 0, 0)
	section(1, 1, at, uint64(len(data)))
	section(13, 3, at+uint64(len(data)), uint64(len(names)))
	return b
}

// TestUnbundleProgram: a program linked by hipcc can be used like the bundle in it.
func TestUnbundleProgram(t *testing.T) {
	fiji := string(load(t, "probe.v4.fiji.co"))
	one := bundle(hostID, "", hip+"gfx803", fiji)
	got, err := Unbundle(program(one), "")
	require.NoError(t, err)
	assert.Equal(t, fiji, string(got))
	o, err := Parse(program(one))
	require.NoError(t, err)
	assert.Equal(t, gcn.GFX803, o.Target)
	padded := append(append(compressed(t, 2, 0, one), make([]byte, 100)...), one...)
	_, err = Unbundle(program(padded), "")
	require.EqualError(t, err, "code object: section .hip_fatbin: it holds 2 code objects: bundle 1, bundle 2; name a "+
		"kernel, or give one of the objects")
	all, err := CodeObjects(program(padded), "gfx803")
	require.NoError(t, err)
	assert.Equal(t, []Member{{"bundle 1", []byte(fiji)}, {"bundle 2", []byte(fiji)}}, all)
	_, err = Unbundle(program(append(one, "more"...)), "")
	require.ErrorContains(t, err, "or something else behind 1")
	_, err = Unbundle(program([]byte("nothing")), "")
	require.ErrorContains(t, err, "section .hip_fatbin: it does not hold an offload bundle")
	for cut := range program(one) {
		_, _ = Unbundle(program(one)[:cut], "") // it must not panic
	}
}
