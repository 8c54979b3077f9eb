package check

import (
	"encoding/binary"
	"math/bits"

	"github.com/gcnsim/gcnsim/state"
)

// This file gives the analysis of races access to the content of memory.

// memoryView is a range of memory that an instruction has accessed in a dispatch.
type memoryView struct {
	dispatch uint64
	from     uint64
	bytes    []byte
}

// maps finds the mapping of addr. It returns false if addr is not mapped, or is in private memory, which no other
// lane accesses.
func (r *races) maps(x *step, addr uint64) bool {
	if addr-x.PrivateBase < uint64(len(x.Private)) {
		return false
	}
	if addr-r.from < uint64(len(r.view)) {
		return true
	}
	if v := &x.view; v.dispatch == r.dispatch && addr-v.from < uint64(len(v.bytes)) {
		r.from, r.view = v.from, v.bytes
		return true
	}
	r.from, r.view = addr, x.Memory.View(addr)
	x.view = memoryView{r.dispatch, r.from, r.view}
	return len(r.view) > 0
}

// value returns the content of the bytes of the dword at addr after the current access, a store or an atomic.
func (c *Checker) value(h *hand, addr uint64, bytes uint8) (value uint32) {
	if !h.overtaken || !h.plain() {
		from, view := c.races.viewOf(h)
		return valueIn(from, view, addr&^3) & byteMasks[bytes]
	}
	for i := range uint64(4) {
		if bytes>>i&1 != 0 {
			value |= uint32(h.lastByte(addr&^3+i)) << (8 * i)
		}
	}
	return value
}

// lastByte returns the content of the byte at addr after the current store. If several elements write it, the last
// element in the highest lane counts.
func (h *hand) lastByte(addr uint64) byte {
	lanes := uint64(1) << h.now.lane
	if h.overlaps {
		lanes = h.Access.Exec
	}
	for i := int(h.Access.Count) - 1; i >= 0; i-- {
		for m := lanes; m != 0; {
			lane := bits.Len64(m) - 1
			m &^= 1 << lane
			if value, ok := h.elementByte(i, lane, addr); ok {
				return value
			}
		}
	}
	return 0
}

// viewOf returns the memory of the current access, and its address.
func (r *races) viewOf(h *hand) (from uint64, view []byte) {
	switch h.sh.space {
	case state.LDS:
		return 0, h.LDS
	case state.GDS:
		return 0, h.GDS
	}
	return r.from, r.view
}

// byteMasks convert a mask of a dword's bytes to a mask of its bits.
var byteMasks = func() (all [16]uint32) {
	for bytes := range all {
		for i := range 4 {
			if bytes>>i&1 != 0 {
				all[bytes] |= 0xff << (8 * i)
			}
		}
	}
	return all
}()

// valueIn returns the dword at addr, without the bytes that are outside of view. view is the memory from address from
// on.
func valueIn(from uint64, view []byte, addr uint64) (value uint32) {
	at := addr - from
	if at+4 <= uint64(len(view)) && at+4 > at {
		return binary.LittleEndian.Uint32(view[at:])
	}
	for i := range uint64(4) { // some of its bytes are outside of view
		if at+i < uint64(len(view)) {
			value |= uint32(view[at+i]) << (8 * i)
		}
	}
	return value
}
