package executor

import (
	"encoding/binary"
	"fmt"

	"github.com/gcnsim/gcnsim/state"
)

// Unmapped returns the fault of a lane that accesses size bytes at addr, which no
// range holds. For scalar accesses lane is NoLane.
func Unmapped(lane int, addr uint64, size int) *state.Fault {
	return &state.Fault{
		Kind: state.FaultMemory, Lane: lane, Addr: addr,
		What: fmt.Sprintf("no mapped range holds the %d bytes there; map it or check the address", size),
	}
}

// sealed returns the fault of a lane that stores to a range that is sealed. For scalar
// stores lane is NoLane.
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

// ReadWords reads the dwords at addr, sixteen at most. After a fault, which is of no lane,
// dst is unchanged.
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
	for i := range dst { // a call would take longer for so few bytes
		dst[i] = words[i]
	}
	return nil
}

// readWords is ReadWords in several ranges, or where the dwords of a range are not those of
// its storage.
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

// WriteWords is the inverse of [ReadWords]. After a fault memory is as it was.
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

// writable returns the range that holds all size bytes at addr for a scalar atomic, and
// where they begin in it; the fault says why there is none. What is stored to a range that is
// unbound must be dropped.
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
