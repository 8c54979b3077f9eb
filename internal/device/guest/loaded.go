//go:build linux && (amd64 || arm64)

package guest

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/gcnsim/gcnsim/internal/device"
)

// rocrLibrary and its symbol: ROCr exports a struct r_debug for debuggers, whose list has an entry for each loaded
// code object. Source: ROCR-Runtime, amd_loader_context.cpp, and link.h of glibc.
const (
	rocrLibrary = "libhsa-runtime64.so"
	rocrDebug   = "_amdgpu_r_debug"
)

// The dynamic linker of glibc (ld-linux-x86-64.so.2, ld-2.31.so), and the struct r_debug that it exports for
// debuggers. Its list has an entry for each library.
const (
	dynamicLinker = "ld-"
	linkerDebug   = "_r_debug"
)

// Limits of the search for a process's code objects: bytes of /proc/PID/maps, entries of the list, bytes of the
// dynamic section, and symbols with the same hash.
const (
	maxMaps    = 16 << 20
	maxObjects = 4096
	maxDynamic = 16 << 10
	maxChain   = 4096
)

// Loaded lists the code objects that ROCr has loaded in the process. It only reads memory of the process and
// /proc/PID/maps. It opens no path that the process names, because the program might itself serve that file system
// and never answer.
func (h *held) Loaded() ([]device.Loaded, error) {
	if !h.lives() {
		return nil, unix.ESRCH
	}
	maps, err := h.maps()
	if err != nil {
		return nil, err
	}
	list, err := h.linkMap(maps, rocrLibrary, rocrDebug)
	if err != nil {
		return nil, err
	}
	if !h.lives() { // the process number may have been reused
		return nil, unix.ESRCH
	}
	files := h.libraryFiles(maps)
	all := make([]device.Loaded, 0, len(list))
	for _, l := range list {
		o := device.Loaded{Load: l.addr}
		o.Addr, o.Bytes = place(maps, files, l.name)
		all = append(all, o)
	}
	return all, nil
}

// mapped is an address range of a process where a file is mapped.
type mapped struct {
	lo, hi uint64
	off    uint64 // offset in the file of the byte at lo
	path   string
}

// maps returns the address ranges of the process where files are mapped. Adjacent ranges of the same file are joined.
func (p process) maps() (all []mapped, err error) {
	err = p.eachMap(func(m mapped, _ string, inode uint64) {
		if inode == 0 || !strings.HasPrefix(m.path, "/") {
			return // not a mapping of a file
		}
		if n := len(all); n > 0 {
			if last := &all[n-1]; last.path == m.path && last.hi == m.lo && last.off+last.hi-last.lo == m.off {
				last.hi = m.hi
				return
			}
		}
		all = append(all, m)
	})
	return all, err
}

// eachMap calls visit for each address range of the process, with its access rights and the inode of its file, which
// is 0 if no file is mapped. The path is the last column: a file, a name such as [heap], or "".
func (p process) eachMap(visit func(m mapped, rights string, inode uint64)) error {
	f, err := os.Open(p.ofProc("maps"))
	if err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxMaps))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		var m mapped
		var rights, disk string
		var inode uint64
		if n, _ := fmt.Sscanf(line, "%x-%x %s %x %s %d", &m.lo, &m.hi, &rights, &m.off, &disk, &inode); n < 6 {
			continue
		}
		if at := strings.IndexAny(line, "/["); at >= 0 {
			m.path = strings.TrimSuffix(line[at:], "\n")
		}
		visit(m, rights, inode)
	}
	return nil
}

// place returns where the process has the bytes of a code object, from the loader's name for it:
// memory://PID#offset=ADDR&size=N, or file://PATH#offset=N&size=N for one in a mapped file. size is 0 if they are not
// in memory. PATH may be a symbolic link, while maps has the target, such as librocrand.so.1.1: files maps such a
// path to its target.
func place(maps []mapped, files map[string]string, uri string) (addr, size uint64) {
	where, fragment, _ := strings.Cut(uri, "#")
	numbers := map[string]uint64{}
	for part := range strings.SplitSeq(fragment, "&") {
		key, value, _ := strings.Cut(part, "=")
		n, err := strconv.ParseUint(value, 0, 64)
		if err == nil {
			numbers[key] = n
		}
	}
	offset, size := numbers["offset"], numbers["size"]
	if strings.HasPrefix(where, "memory:") {
		return offset, size
	}
	name, ok := strings.CutPrefix(where, "file://")
	name, err := url.PathUnescape(name)
	if !ok || err != nil {
		return 0, 0
	}
	whole := fragment == ""
	if addr, size, ok = at(maps, name, offset, numbers["size"], whole); !ok {
		addr, size, _ = at(maps, files[name], offset, numbers["size"], whole)
	}
	return addr, size
}

// libraryFiles maps the path by which the dynamic linker opened a library to its file. It is empty if the process was
// not linked by glibc.
func (p process) libraryFiles(maps []mapped) map[string]string {
	files := map[string]string{}
	list, err := p.linkMap(maps, dynamicLinker, linkerDebug)
	if err != nil {
		return files // paths that are not links do not need it
	}
	for _, l := range list {
		i, _ := slices.BinarySearchFunc(maps, l.section, func(m mapped, addr uint64) int { return cmp.Compare(m.hi, addr+1) })
		if l.name != "" && i < len(maps) && maps[i].lo <= l.section { // the entry of the program itself has no name
			files[l.name] = maps[i].path
		}
	}
	return files
}

// at returns the address where size bytes of a file are mapped, from an offset on. If whole, it returns all bytes
// that are mapped there in one piece.
func at(maps []mapped, name string, offset, size uint64, whole bool) (addr, n uint64, ok bool) {
	for _, m := range maps {
		if m.path != name || offset < m.off || offset-m.off >= m.hi-m.lo {
			continue
		}
		left := m.hi - m.lo - (offset - m.off)
		if whole {
			size = left // the whole file is a code object
		}
		if size <= left {
			return m.lo + offset - m.off, size, true
		}
	}
	return 0, 0, false
}

// linked is an entry in a list of loaded objects.
type linked struct {
	addr    uint64
	name    string
	section uint64 // address of its dynamic section
}

// linkMap returns the list in a struct r_debug that a library exports.
func (p process) linkMap(maps []mapped, library, symbol string) (all []linked, err error) {
	base := uint64(0)
	for _, m := range maps {
		if m.off == 0 && strings.HasPrefix(path.Base(m.path), library) {
			base = m.lo
			break
		}
	}
	if base == 0 {
		return nil, fmt.Errorf("guest: the process has no %s", library)
	}
	at, err := p.symbol(base, symbol)
	if err != nil {
		return nil, fmt.Errorf("guest: %s of the process: %w", library, err)
	}
	const firstEntry = 8 // offset of r_map in r_debug, after r_version
	entry, err := p.words(at+firstEntry, 1)
	if err != nil {
		return nil, err
	}
	for next := entry[0]; next != 0; {
		if len(all) >= maxObjects {
			return nil, fmt.Errorf("guest: the process has loaded more than %d objects, or its list has no end", maxObjects)
		}
		l, err := p.words(next, 4) // l_addr, l_name, l_ld, l_next
		if err != nil {
			return nil, err
		}
		name, err := p.path(l[1])
		if err != nil {
			return nil, err
		}
		all = append(all, linked{l[0], name, l[2]})
		next = l[3]
	}
	return all, nil
}

// words reads n words of 64 bits.
func (p process) words(addr uint64, n int) ([]uint64, error) {
	b := make([]byte, 8*n)
	if err := p.ReadAt(b, addr); err != nil {
		return nil, err
	}
	words := make([]uint64, n)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return words, nil
}

// half reads 32 bits.
func (p process) half(addr uint64) (uint32, error) {
	var b [4]byte
	err := p.ReadAt(b[:], addr)
	return binary.LittleEndian.Uint32(b[:]), err
}

// dynamic has the addresses of the tables of a dynamic section that a search for a symbol needs.
type dynamic struct{ symbols, strings, hash uint64 }

// symbol returns the address of an exported symbol. base is where the process has mapped the first page of the ELF
// file. It reads the same tables as the process's dynamic linker.
func (p process) symbol(base uint64, name string) (uint64, error) {
	d, bias, err := p.dynamic(base)
	if err != nil {
		return 0, err
	}
	return p.lookUp(d, bias, name)
}

// dynamic finds the dynamic section of a file. bias is the number that loading added to its addresses.
func (p process) dynamic(base uint64) (d dynamic, bias uint64, err error) {
	const header, program, load, dynamicKind, maxPrograms = 64, 56, 1, 2, 64
	var h [header]byte
	if err := p.ReadAt(h[:], base); err != nil {
		return d, 0, err
	}
	le := binary.LittleEndian
	count := int(le.Uint16(h[56:]))
	if string(h[:5]) != "\x7fELF\x02" || le.Uint16(h[54:]) != program || count > maxPrograms {
		return d, 0, errors.New("it is no ELF file of 64 bits")
	}
	programs := make([]byte, program*count)
	if err := p.ReadAt(programs, base+le.Uint64(h[32:])); err != nil {
		return d, 0, err
	}
	bias = base
	at, size := uint64(0), uint64(0)
	for ; len(programs) > 0; programs = programs[program:] {
		addr := le.Uint64(programs[16:])
		switch kind := le.Uint32(programs); {
		case kind == load && le.Uint64(programs[8:]) == 0:
			bias = base - addr
		case kind == dynamicKind:
			at, size = addr, min(le.Uint64(programs[40:]), maxDynamic)
		}
	}
	entries, err := p.words(bias+at, int(size/8))
	if err != nil {
		return d, 0, err
	}
	const stringTable, symbolTable, gnuHash = 5, 6, 0x6ffffef5
	for ; len(entries) >= 2; entries = entries[2:] {
		value := entries[1]
		if value < bias { // glibc has already added the bias, other linkers have not
			value += bias
		}
		switch entries[0] {
		case stringTable:
			d.strings = value
		case symbolTable:
			d.symbols = value
		case gnuHash:
			d.hash = value
		}
	}
	if d.strings == 0 || d.symbols == 0 || d.hash == 0 {
		return d, 0, errors.New("it has no table of symbols with a hash of the GNU form")
	}
	return d, bias, nil
}

// lookUp finds a symbol by its hash.
func (p process) lookUp(d dynamic, bias uint64, name string) (uint64, error) {
	const symbolBytes = 24
	hash := uint32(5381)
	for _, c := range []byte(name) {
		hash = hash*33 + uint32(c)
	}
	var h [16]byte // header: buckets, first symbol, words of the filter, shift
	if err := p.ReadAt(h[:], d.hash); err != nil {
		return 0, err
	}
	le := binary.LittleEndian
	buckets, first := le.Uint32(h[:]), le.Uint32(h[4:])
	if buckets == 0 {
		return 0, errors.New("its table of symbols is empty")
	}
	table := d.hash + 16 + 8*uint64(le.Uint32(h[8:]))
	n, err := p.half(table + 4*uint64(hash%buckets))
	if err != nil {
		return 0, err
	}
	chain := table + 4*uint64(buckets)
	for i := uint64(n); n >= first && i < uint64(n)+maxChain; i++ {
		of, err := p.half(chain + 4*(i-uint64(first)))
		if err != nil {
			return 0, err
		}
		if of|1 == hash|1 {
			s, err := p.words(d.symbols+symbolBytes*i, 2) // name and kind, value
			if err != nil {
				return 0, err
			}
			text := make([]byte, len(name)+1)
			if p.ReadAt(text, d.strings+s[0]&0xffffffff) == nil && string(text) == name+"\x00" {
				return bias + s[1], nil
			}
		}
		if of&1 != 0 { // the last symbol of the bucket
			break
		}
	}
	return 0, fmt.Errorf("it does not export %s", name)
}
