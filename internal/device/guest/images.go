//go:build linux && (amd64 || arm64)

package guest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/gcnsim/gcnsim/internal/device"
)

// Limits of the search for code objects.
const (
	maxSearched = 1 << 30   // bytes of a process that are searched
	searchPiece = 1 << 20   // bytes that are read at a time
	elfHeader   = 64        // bytes of the header of a 64-bit file
	pieceBefore = elfHeader // bytes that are read again, because a header may lie across two pieces
)

// Images returns the code objects for AMD's GPUs in the heap of the process, which is its private writable memory.
// Load is 0, because nothing has loaded them.
func (h *held) Images() (all []device.Loaded, err error) {
	if !h.lives() {
		return nil, unix.ESRCH
	}
	ranges, err := h.privateMemory()
	if err != nil {
		return nil, err
	}
	piece := make([]byte, searchPiece)
	searched := uint64(0)
	for _, r := range ranges {
		for at := r.lo; at < r.hi && searched < maxSearched; at += searchPiece - pieceBefore {
			b := piece[:min(uint64(len(piece)), r.hi-at)]
			n, err := h.readSome(b, at)
			if err != nil {
				break // the memory was unmapped meanwhile
			}
			searched += uint64(n)
			all = append(all, images(b[:n], at)...)
		}
	}
	if !h.lives() { // the number may have been reused
		return nil, unix.ESRCH
	}
	return all, nil
}

// images returns the code objects whose headers are in b. at is the address of b.
func images(b []byte, at uint64) (all []device.Loaded) {
	magic := []byte(elf.ELFMAG + "\x02\x01\x01") // 64 bits, little-endian, version 1
	for from := 0; ; {
		i := bytes.Index(b[from:], magic)
		if i < 0 || from+i+elfHeader > len(b) {
			return all
		}
		from += i
		var h elf.Header64
		if _, err := binary.Decode(b[from:], binary.LittleEndian, &h); err == nil && elf.Machine(h.Machine) == elf.EM_AMDGPU {
			const most = 1 << 30
			size := min(h.Shoff, most) + uint64(h.Shentsize)*uint64(h.Shnum)
			all = append(all, device.Loaded{Addr: at + uint64(from), Bytes: size})
		}
		from += len(magic)
	}
}

// privateMemory returns the writable address ranges of the process where no file is mapped.
func (p process) privateMemory() (all []mapped, err error) {
	err = p.eachMap(func(m mapped, rights string, inode uint64) {
		if inode == 0 && strings.HasPrefix(rights, "rw") && (m.path == "" || m.path == "[heap]") {
			all = append(all, m)
		}
	})
	return all, err
}
