//go:build linux && (amd64 || arm64)

package guest

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// TestLinkMap reads the dynamic linker's list, which has the same format as ROCr's.
func TestLinkMap(t *testing.T) {
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = in.Write([]byte("x"))
	require.NoError(t, err)
	_, err = out.Read(make([]byte, 1)) // it has started
	require.NoError(t, err)
	p := process(cmd.Process.Pid)
	maps, err := p.maps()
	require.NoError(t, err)
	list, err := p.linkMap(maps, "ld-linux", "_r_debug")
	if len(maps) > 0 && err != nil {
		t.Skipf("cat is not linked with glibc: %v", err)
	}
	found := 0
	for _, l := range list {
		for _, m := range maps {
			if m.off == 0 && m.lo == l.addr && path.Base(m.path) == path.Base(l.name) {
				found++
			}
		}
	}
	assert.GreaterOrEqual(t, len(list), 3, "the program, the C library and the linker")
	assert.Positive(t, found, "%v in %v", list, maps)
	files := p.libraryFiles(maps)
	assert.NotEmpty(t, files)
	for link, file := range files {
		led, err := filepath.EvalSymlinks(link)
		require.NoError(t, err, "%v", files)
		assert.Equal(t, led, file)
	}
	_, err = p.linkMap(maps, "ld-linux", "_amdgpu_r_debug")
	require.ErrorContains(t, err, "it does not export _amdgpu_r_debug")
	_, err = (&held{process: p, mem: -1}).Loaded()
	require.Error(t, err, "it is not known to live")
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
	_, err = p.maps()
	require.Error(t, err)
}

// library is the memory image of a library that exports a list: an ELF header with one program header for the dynamic
// section, that section, a symbol table with its hash table, and a list of n entries.
type library struct {
	bytes []byte
	maps  []mapped
}

// Offsets in such a library.
const (
	libDynamic = 0x200
	libStrings = 0x300
	libSymbols = 0x400
	libHash    = 0x500
	libDebug   = 0x600
	libList    = 0x700
)

func newLibrary(n int) *library {
	l := &library{bytes: make([]byte, 0x2000)}
	base := l.base()
	le := binary.LittleEndian
	put := func(at int, words ...uint64) {
		for i, w := range words {
			le.PutUint64(l.bytes[at+8*i:], w)
		}
	}
	copy(l.bytes, "\x7fELF\x02\x01")
	put(32, 64)
	le.PutUint16(l.bytes[54:], 56)
	le.PutUint16(l.bytes[56:], 2)
	put(64, 1, 0, 0) // PT_LOAD
	put(120, 2, 0, libDynamic)
	put(160, 64)                                                            // size of the section
	put(libDynamic, 5, libStrings, 6, base+libSymbols, 0x6ffffef5, libHash) // one entry is relocated
	copy(l.bytes[libStrings+1:], rocrDebug)
	put(libSymbols+24, 1, libDebug)
	hash := uint32(5381)
	for _, c := range []byte(rocrDebug) {
		hash = hash*33 + uint32(c)
	}
	for i, w := range []uint32{1, 1, 1, 0, 0, 0, 1, hash | 1} { // buckets, first, filter, shift; filter, bucket, chain
		le.PutUint32(l.bytes[libHash+4*i:], w)
	}
	put(libDebug, 7, base+libList)
	for i := range n {
		next := base + libList + 32*uint64(i+1)
		if i == n-1 {
			next = 0
		}
		put(libList+32*i, uint64(i)<<20, base+0x1800, 0, next)
	}
	copy(l.bytes[0x1800:], "memory://1#offset=0x1000&size=16")
	l.maps = []mapped{{lo: base, hi: base + 0x2000, path: "/opt/rocm/lib/libhsa-runtime64.so.1.5.0"}}
	return l
}

func (l *library) base() uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(l.bytes)))) }

func (l *library) list() ([]linked, error) {
	defer runtime.KeepAlive(l)
	return process(os.Getpid()).linkMap(l.maps, rocrLibrary, rocrDebug)
}

// TestLinkMapIsBounded: endless lists, and libraries with arbitrary contents, end with an error.
func TestLinkMapIsBounded(t *testing.T) {
	l := newLibrary(3)
	list, err := l.list()
	require.NoError(t, err)
	const name = "memory://1#offset=0x1000&size=16"
	assert.Equal(t, []linked{{addr: 0, name: name}, {addr: 1 << 20, name: name}, {addr: 2 << 20, name: name}}, list)
	binary.LittleEndian.PutUint64(l.bytes[libList+32+24:], l.base()+libList)
	_, err = l.list()
	require.ErrorContains(t, err, "or its list has no end")
	_, err = process(os.Getpid()).linkMap(nil, rocrLibrary, rocrDebug)
	require.ErrorContains(t, err, "the process has no libhsa-runtime64.so")
	r := rand.New(rand.NewPCG(1, 2))
	for range effort.Rounds(2000) {
		l := newLibrary(3)
		for range 1 + r.IntN(4) {
			l.bytes[r.IntN(libList+96)] = byte(r.IntN(256))
		}
		if list, err := l.list(); err == nil {
			assert.LessOrEqual(t, len(list), maxObjects)
		}
	}
}

// TestPlace: place finds the bytes of a code object from the loader's name for it.
func TestPlace(t *testing.T) {
	maps := []mapped{{0x1000, 0x3000, 0, "/a b"}, {0x8000, 0x9000, 0x4000, "/a b"}}
	for uri, want := range map[string][2]uint64{
		"memory://77#offset=0x555555ab5780&size=29520": {0x555555ab5780, 29520},
		"file:///a%20b#offset=4096&size=4096":          {0x2000, 4096},
		"file:///a%20b#offset=4096&size=4097":          {},
		"file:///a%20b#offset=16400&size=16":           {0x8010, 16},
		"file:///a%20b#offset=12288&size=16":           {},
		"file:///a%20b":                                {0x1000, 0x2000},
		"file:///b#offset=0&size=16":                   {},
		"file:///%zz":                                  {},
		"file:///a%20b#size=18446744073709551615":      {},
		"/lib/x.so": {},
		"":          {},
	} {
		addr, size := place(maps, nil, uri)
		assert.Equal(t, want, [2]uint64{addr, size}, uri)
	}
}

// TestPlaceLink: loaders name a library by the symbolic link through which the program opened it, while the list of
// mappings has the file. The path is not looked up, so neither has to exist.
func TestPlaceLink(t *testing.T) {
	const file, link = "/none/lib.so.1.1", "/none/lib.so.1"
	maps := []mapped{{0x1000, 0x3000, 0, file}}
	for uri, want := range map[string][2]uint64{
		"file://" + link + "#offset=4096&size=16":   {0x2000, 16},
		"file://" + link + "#offset=4096&size=4097": {},
		"file://" + link:                       {0x1000, 0x2000},
		"file:///none/lib.so#offset=0&size=16": {},
	} {
		addr, size := place(maps, map[string]string{link: file}, uri)
		assert.Equal(t, want, [2]uint64{addr, size}, uri)
	}
}
