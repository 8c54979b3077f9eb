package executor

import (
	"encoding/binary"
	"fmt"

	"github.com/gcnsim/gcnsim/state"
)

// Unmapped returns the fault of a lane that accesses size bytes at addr, which is in no range. lane is NoLane for
// scalar accesses.
func Unmapped(lane int, addr uint64, size int) *state.Fault {
	return &state.Fault{
		Kind: state.FaultMemory, Lane: lane, Addr: addr,
		What: fmt.Sprintf("no mapped range holds the %d bytes there; map it or check the address", size),
	}
}

// sealed returns the fault of a lane that stores to a sealed range. lane is NoLane for scalar stores.
func sealed(s *Span, lane int, addr uint64) *state.Fault {
	if s.Seal == ReadOnly {
		return &state.Fault{
			Kind: state.FaultMemory, Lane: lane, Addr: addr,
			What: "it stores to a range that is mapped for reading alone; map it writable or check the address",
		}
	}
	return &state.Fault{
		Kind: state.FaultUnsupported, Lane: lane, Addr: addr,
		What: fmt.Sprintf("it stores to 0x%x, among the instructions of a program; code that changes itself is not "+
			"modelled", addr),
	}
}

// ReadWords reads the dwords at addr, at most sixteen. A fault has no lane; then dst is unchanged.
func ReadWords(mem Memory, addr uint64, dst []uint32) *state.Fault {
	if len(dst) == 0 {
		return nil
	}
	size := uint64(4 * len(dst))
	s := mem.Find(addr)
	if s == nil {
		return Unmapped(state.NoLane, addr, int(size))
	}
	off, whole := s.Offset(addr, size)
	if !whole || off%4 != 0 {
		return readWords(mem, addr, dst)
	}
	words := s.Words[off/4:][:len(dst)]
	for i := range dst { // a call of copy would take longer for so few bytes
		dst[i] = words[i]
	}
	return nil
}

// readWords does what ReadWords does, for several ranges, or if the dwords are not aligned in the storage.
func readWords(mem Memory, addr uint64, dst []uint32) *state.Fault {
	var buffer [maxAcross]byte
	b := buffer[:4*len(dst)]
	if !readAcross(mem, addr, b) {
		return Unmapped(state.NoLane, addr, len(b))
	}
	for i := range dst {
		dst[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return nil
}

// WriteWords writes the dwords in src to addr. After a fault memory is unchanged.
func WriteWords(mem Memory, addr uint64, src []uint32) *state.Fault {
	var buffer [maxAcross]byte
	b := buffer[:4*len(src)]
	for i, v := range src {
		binary.LittleEndian.PutUint32(b[4*i:], v)
	}
	if s, ok := writeAcross(mem, addr, b); s != nil {
		return sealed(s, state.NoLane, addr)
	} else if !ok {
		return Unmapped(state.NoLane, addr, len(b))
	}
	return nil
}

// writable returns the range that contains all size bytes at addr for a scalar atomic, and their offset in it. The
// fault is the reason why there is none. The caller must ignore stores to an unbound range.
func writable(mem Memory, addr uint64, size int) (s *Span, off uint64, f *state.Fault) {
	if s = mem.Find(addr); s != nil {
		if s.faultsStores() {
			return nil, 0, sealed(s, state.NoLane, addr)
		}
		if off, ok := s.Offset(addr, uint64(size)); ok {
			return s, off, nil
		}
	}
	return nil, 0, Unmapped(state.NoLane, addr, size)
}
