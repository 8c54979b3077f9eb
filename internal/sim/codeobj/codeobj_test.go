package codeobj

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/testkit/elftest"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
)

// dump returns the text of an object for golden files.
func dump(o *Object) string {
	var b strings.Builder
	lo, hi := o.extent()
	fmt.Fprintf(&b, "%v v%d image %#x-%#x relocations %d\n", o.Target, o.Version, lo, hi, len(o.relocs))
	for _, k := range o.Kernels {
		fmt.Fprintf(&b, "kernel %s descriptor %#x entry %#x\n", k.Name, k.Descriptor, k.Entry)
		fmt.Fprintf(&b, "  LDS %d private %d kernarg %d VGPRs %d SGPRs %d rsrc %08x %08x %08x mode %03x\n",
			k.GroupBytes, k.PrivateBytes, k.KernargBytes, k.VGPRs, k.SGPRs, k.RSRC[0], k.RSRC[1], k.RSRC[2],
			k.RSRC.Fields(o.Target).Mode)
		fmt.Fprintf(&b, "  work-item ids %d user SGPRs %d element %d group %v flat %d dynamic stack %v\n",
			k.WorkItemVGPRs, k.UserSGPRs, k.scratchElementBytes, k.ReqdGroupSize, k.MaxFlatGroupSize, k.UsesDynamicStack)
		for _, s := range k.initSGPRs {
			fmt.Fprintf(&b, "  s[%d:%d] %v\n", s.First, s.First+s.Count-1, itemNames[s.Item])
		}
		for _, a := range k.Args {
			fmt.Fprintf(&b, "  arg %d+%d align %d %v (%s) name %q type %q space %q pointee %d\n",
				a.Offset, a.Size, a.align, a.Kind, a.ValueKind, a.Name, a.TypeName, a.addressSpace, a.PointeeAlign)
		}
	}
	for _, s := range o.symbols {
		fmt.Fprintf(&b, "symbol %s %#x+%d abs %v\n", s.Name, s.VAddr, s.Size, s.abs)
	}
	return b.String()
}

func load(t testing.TB, name string) []byte {
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return data
}

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.co")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			o, err := Parse(load(t, filepath.Base(file)))
			require.NoError(t, err)
			golden.Compare(t, strings.TrimSuffix(file, ".co")+".golden", []byte(dump(o)))
		})
	}
}

// TestVersions checks facts that follow from probe.cl, independent of the golden files.
func TestVersions(t *testing.T) {
	for file, want := range map[string]struct {
		version int
		target  gcn.Target
	}{
		"probe.v2.tahiti.co": {2, gcn.GFX600}, "probe.v2.fiji.co": {2, gcn.GFX803}, "probe.v2.gfx906.co": {2, gcn.GFX906},
		"probe.v3.hawaii.co": {3, gcn.GFX701}, "probe.v3.gfx900.co": {3, gcn.GFX900},
		"probe.v4.fiji.co": {4, gcn.GFX803}, "probe.v4.gfx906.co": {4, gcn.GFX906},
		"probe.v5.gfx906.co": {5, gcn.GFX906}, "probe.v5.hawaii.co": {5, gcn.GFX701},
		"probe.v6.gfx900.co": {6, gcn.GFX900},
	} {
		t.Run(file, func(t *testing.T) {
			o, err := Parse(load(t, file))
			require.NoError(t, err)
			require.Equal(t, want.version, o.Version)
			require.Equal(t, want.target, o.Target)
			var names []string
			for _, k := range o.Kernels {
				names = append(names, k.Name)
			}
			require.Equal(t, []string{"arguments", "constants", "local_memory", "private_memory"}, names)

			k, err := o.Kernel("local_memory")
			require.NoError(t, err)
			require.Equal(t, [3]uint32{8, 4, 2}, k.ReqdGroupSize)
			require.Equal(t, uint32(64), k.MaxFlatGroupSize)
			require.GreaterOrEqual(t, k.GroupBytes, uint32(256))
			require.Equal(t, 3, k.WorkItemVGPRs)
			require.Equal(t, DynamicSharedPointer, k.Args[1].Kind)
			_, y := k.initSGPR(WorkGroupIDY)
			_, z := k.initSGPR(WorkGroupIDZ)
			require.True(t, y && z)

			k, err = o.Kernel("arguments")
			require.NoError(t, err)
			var layout [][2]uint32
			for _, a := range k.Args {
				if !a.Hidden {
					layout = append(layout, [2]uint32{a.Offset, a.Size})
				}
			}
			require.Equal(t, [][2]uint32{{0, 8}, {8, 1}, {10, 2}, {12, 4}, {16, 8}, {32, 16}, {48, 8}, {56, 8}, {64, 4},
				{72, 8}, {80, 8}}, layout)
			_, packet := k.initSGPR(DispatchPtr)
			kernarg, ok := k.initSGPR(KernargSegmentPtr)
			require.True(t, packet && ok)
			require.Less(t, kernarg, k.UserSGPRs)

			k, err = o.Kernel("private_memory")
			require.NoError(t, err)
			require.GreaterOrEqual(t, k.PrivateBytes, uint32(96))
			first, ok := k.initSGPR(PrivateSegmentWaveByteOffset)
			require.True(t, ok)
			require.GreaterOrEqual(t, first, k.UserSGPRs)

			segs, err := Load(o, 0x7f0000000000)
			require.NoError(t, err)
			table := o.symbol("table")
			if table == nil { // lld removes the names of local symbols
				return
			}
			for _, s := range segs {
				if at := 0x7f0000000000 + table.VAddr - s.VAddr; at < uint64(len(s.Data)) {
					require.Equal(t, []byte{3, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0}, s.Data[at:at+16])
				}
			}
		})
	}
}

// TestFlagsOfV2: in v2, e_flags of old compilers holds features and not the processor; a note names the processor.
func TestFlagsOfV2(t *testing.T) {
	read := func(file string, flags uint32) error {
		data := load(t, file)
		le.PutUint32(data[48:], flags)
		o, err := Parse(data)
		target, _, textErr := ReadText(data)
		require.Equal(t, err == nil, textErr == nil)
		if err == nil {
			require.Equal(t, gcn.GFX803, o.Target)
			require.Equal(t, gcn.GFX803, target)
		}
		return err
	}
	for flags := range uint32(4) {
		require.NoError(t, read("probe.v2.fiji.co", flags), "e_flags %d", flags)
	}
	require.ErrorContains(t, read("probe.v2.fiji.co", 4), "processor 0x04")
	require.ErrorContains(t, read("probe.v4.fiji.co", 2), "processor 0x02")
}

func TestImage(t *testing.T) {
	data := load(t, "reloc.co")
	o, err := Parse(data)
	require.NoError(t, err)
	const base = 0x1_2345_0000
	places, constant := o.symbol("places").VAddr, o.symbol("constant").VAddr
	words := func(base uint64) [3]uint64 {
		segs, err := Load(o, base)
		require.NoError(t, err)
		last := segs[len(segs)-1]
		require.Equal(t, base+o.symbol("zeros").VAddr+4096, last.VAddr+last.MemSize)
		b := last.Data[base+places-last.VAddr:]
		return [3]uint64{le.Uint64(b), le.Uint64(b[8:]), le.Uint64(b[16:])}
	}
	require.Equal(t, [3]uint64{base + constant + 8, base + o.symbol("hidden").VAddr, 0}, words(base))
	require.Equal(t, [3]uint64{constant + 8, o.symbol("hidden").VAddr, 0}, words(0))

	// The kinds of relocations that lld writes only for other inputs. S is a constant, A is 8, P is places.
	at := bytes.Index(data, le.AppendUint64(le.AppendUint64(nil, places), le.Uint64(data[0x348+2*24+8:])))
	require.Positive(t, at)
	for kind, want := range map[uint32]uint64{
		1: (base + constant + 8) & 0xffffffff, 2: 1, 3: base + constant + 8, 4: (constant + 8 - places) & 0xffffffff,
		5: constant + 8 - places, 10: (constant + 8 - places) & 0xffffffff, 11: 0xffffffff,
	} {
		patched := bytes.Clone(data)
		le.PutUint32(patched[at+8:], kind)
		o, err := Parse(patched)
		require.NoError(t, err)
		segs, err := Load(o, base)
		require.NoError(t, err)
		last := segs[len(segs)-1]
		got := le.Uint64(last.Data[base+places-last.VAddr:])
		if relocKinds[kind].bytes == 4 {
			got &= 0xffffffff
		}
		require.Equal(t, want, got, relocKinds[kind].name)
	}
	patched := bytes.Clone(data)
	le.PutUint32(patched[at+8:], 6) // R_AMDGPU_ABS32 fits only for low addresses
	o, err = Parse(patched)
	require.NoError(t, err)
	_, err = Load(o, 0)
	require.NoError(t, err)
	_, err = Load(o, base)
	require.ErrorContains(t, err, "does not fit 32 bits")
}

func TestErrors(t *testing.T) {
	good := load(t, "probe.v4.fiji.co")
	patch := func(off int, b ...byte) []byte {
		data := bytes.Clone(good)
		copy(data[off:], b)
		return data
	}
	o, err := Parse(good)
	require.NoError(t, err)
	kd := int(o.Kernels[0].Descriptor) // in .rodata file offsets and addresses are equal
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"empty":         {nil, "not an ELF file"},
		"text":          {[]byte("#!/bin/sh\n"), "not an ELF file"},
		"bundle":        {[]byte("__CLANG_OFFLOAD_BUNDLE__\x00"), "offload bundle: it does not begin as one"},
		"bitcode":       {[]byte("BC\xc0\xde"), "bitcode"},
		"magic only":    {good[:4], "ELF header"},
		"header only":   {good[:64], "program headers"},
		"half":          {good[:len(good)/2], "truncated"},
		"x86":           {patch(18, 62, 0), "EM_X86_64"},
		"32-bit":        {patch(4, 1), "32-bit"},
		"core":          {patch(16, 4), "ET_CORE"},
		"Mesa":          {patch(7, 66), "OS ABI"},
		"ABI version":   {patch(8, 9), "ABI version 9"},
		"gfx1030":       {patch(48, 0x36), "for gfx1030"},
		"R600":          {patch(48, 0x01), "0x01"},
		"LDS":           {patch(kd, 0, 0, 2, 0), "LDS"},
		"arguments":     {patch(kd+8, 0, 0, 0, 0xff), "it wants 4278190080 bytes of arguments"},
		"entry":         {patch(kd+16, 0, 0, 0, 0x40), "entry"},
		"user SGPRs":    {patch(kd+52, 0), "USER_SGPR"},
		"work-item ids": {patch(kd+53, 0x18|good[kd+53]), "ENABLE_VGPR_WORKITEM_ID"},
		"wave32":        {patch(kd+57, 4), "32 lanes"},
		"kind of value": {bytes.Replace(good, []byte("global_buffer"), []byte("global_buffet"), 1), "global_buffet"},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := Parse(tt.data)
			require.Nil(t, o)
			var e *Error
			require.True(t, errors.As(err, &e))
			require.ErrorContains(t, err, tt.want)
			require.NotEmpty(t, e.Where)
			require.NotEmpty(t, e.Do)
		})
	}
	object := load(t, "link.o")
	object[48] = 0x4c
	_, err = Parse(object)
	require.ErrorContains(t, err, "for gfx942", "its target is refused before anything is asked for")
	_, err = o.Kernel("nosuch")
	require.ErrorContains(t, err, "arguments constants local_memory private_memory")
}

// TestSizesAreBounded: the memory that the reader allocates is bounded by the size of the file, whatever its headers
// contain.
func TestSizesAreBounded(t *testing.T) {
	good := load(t, "probe.v4.fiji.co")
	programs, sections := le.Uint64(good[32:]), le.Uint64(good[40:])
	// Many headers that describe the same bytes.
	repeat := func(table uint64, entry int, numberAt int, pick func(b []byte) bool) []byte {
		data := bytes.Clone(good)
		n := int(le.Uint16(data[numberAt:]))
		var chosen []byte
		for i := range n {
			if b := data[int(table)+i*entry:][:entry]; pick(b) {
				chosen = b
			}
		}
		require.NotNil(t, chosen)
		entries := append(bytes.Clone(data[table:][:n*entry]), bytes.Repeat(chosen, 20000)...)
		tableAt := map[int]int{56: 32, 60: 40}[numberAt]
		le.PutUint64(data[tableAt:], uint64(len(data)))
		le.PutUint16(data[numberAt:], uint16(n+20000))
		return append(data, entries...)
	}
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"notes":       {repeat(programs, programBytes, 56, func(b []byte) bool { return elf.ProgType(le.Uint32(b)) == elf.PT_NOTE }), "beyond the end"},
		"segments":    {repeat(programs, programBytes, 56, func(b []byte) bool { return elf.ProgType(le.Uint32(b)) == elf.PT_LOAD }), "overlap"},
		"sections":    {repeat(sections, sectionBytes, 60, func(b []byte) bool { return elf.SectionType(le.Uint32(b[4:])) == elf.SHT_STRTAB }), ""},
		"huge memory": {edit(good, programs, func(b []byte) { le.PutUint64(b[40:], 1<<31) }), "they may have 1073741824"},
		"odd code":    {edit(good, programs, func(b []byte) { le.PutUint32(b[4:], 5); le.PutUint64(b[16:], le.Uint64(b[16:])+1) }), "not aligned"},
	} {
		t.Run(name, func(t *testing.T) {
			parseAll(t, tt.data)
			_, err := Parse(tt.data)
			if tt.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tt.want)
			}
		})
	}
	long := bytes.Replace(good, []byte("global_buffer"), bytes.Repeat([]byte("x"), 13), 1)
	_, err := Parse(long)
	require.ErrorContains(t, err, "xxxxxxxxxxxxx")
	require.LessOrEqual(t, len(errorf("where", "do", "%s", strings.Repeat("x", 1<<20)).Error()), 500)
}

// edit changes the header of the last PT_LOAD segment of a file.
func edit(file []byte, programs uint64, change func(b []byte)) []byte {
	data := bytes.Clone(file)
	for i := int(le.Uint16(data[56:])) - 1; i >= 0; i-- {
		if b := data[int(programs)+i*programBytes:]; elf.ProgType(le.Uint32(b)) == elf.PT_LOAD {
			change(b)
			return data
		}
	}
	return data
}

// parseAll calls every function of the package on a file. The memory must be bounded by the file's size.
func parseAll(t *testing.T, data []byte) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	o, err := Parse(data)
	_, _, textErr := ReadText(data)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<17+200*len(data)))
	for _, err := range []error{err, textErr} {
		if err != nil {
			var e *Error
			require.True(t, errors.As(err, &e))
			require.Less(t, len(err.Error()), 1000)
		}
	}
	if err != nil {
		return
	}
	total := uint64(0)
	for _, s := range o.segments {
		total += s.MemSize
	}
	require.LessOrEqual(t, total, uint64(maxImage))
	if total < 1<<24 {
		_, _ = Load(o, 0x7f0000000000)
	}
}

func objects(f *testing.F) (all [][]byte) {
	files, err := filepath.Glob("testdata/*.co")
	require.NoError(f, err)
	for _, file := range append(files, "link.o") {
		all = append(all, load(f, filepath.Base(file)))
	}
	return all
}

// FuzzParse reads arbitrary bytes. The result must be an object whose image has a bounded size, or an *Error.
func FuzzParse(f *testing.F) {
	for _, data := range objects(f) {
		f.Add(data)
	}
	f.Fuzz(parseAll)
}

// FuzzFields does what FuzzParse does, with changed fields in an object's headers.
func FuzzFields(f *testing.F) {
	all := objects(f)
	for i := range all {
		f.Add(byte(i), []byte("\x01\x01\x06\x03\x3f\x00\x02\x03\x05\x02\x00\x00"))
	}
	f.Fuzz(func(t *testing.T, file byte, script []byte) {
		parseAll(t, elftest.Mutate(all[int(file)%len(all)], script))
	})
}

// FuzzMetadata reads arbitrary text as YAML and arbitrary bytes as MessagePack. Both may only return an error.
func FuzzMetadata(f *testing.F) {
	f.Add(true, "---\nVersion: [ 1, 0 ]\nKernels:\n  - Name: 'a'\n    Args:\n      - Size: 8\n        Align: 8\n...\n")
	f.Add(false, "\x82\xa1a\x93\x01\xcd\x01\x00\xff\xa1b\xde\x00\x01\xa1c\xc3")
	f.Fuzz(func(_ *testing.T, yaml bool, data string) {
		if yaml {
			_, _ = unmarshalYAML(data)
		} else {
			_, _ = unmarshalMsgpack([]byte(data))
		}
	})
}
