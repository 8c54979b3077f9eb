package unit

import (
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

// overCode returns the fault of a lane that stores to code. For scalar stores lane is NoLane.
func overCode(lane int, addr uint64) *state.Fault {
	return &state.Fault{
		Kind: state.FaultUnsupported, Lane: lane, Addr: addr,
		What: fmt.Sprintf("it stores to 0x%x, among the instructions of a program; code that changes itself is not modelled", addr),
	}
}

// Writable returns the range that holds size bytes at addr for a store that is no vector
// one, and where they begin in it; the fault says why there is none.
func Writable(mem Memory, addr uint64, size int) (s *Span, off uint64, f *state.Fault) {
	if s = mem.Find(addr); s != nil {
		if s.Code {
			return nil, 0, overCode(state.NoLane, addr)
		}
		if off, ok := s.Offset(addr, uint64(size)); ok {
			return s, off, nil
		}
	}
	return nil, 0, Unmapped(state.NoLane, addr, size)
}
