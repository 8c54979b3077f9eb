package check

import (
	"encoding/binary"

	"github.com/gcnsim/gcnsim/state"
)

// This file shows the analysis of races what memory holds.

// memoryView is a range of memory that an instruction has accessed in a dispatch.
type memoryView struct {
	dispatch uint64
	from     uint64
	bytes    []byte
}

// maps finds where addr is mapped. It returns false if addr is not mapped, or is in private memory, which no
// other lane accesses.
func (r *races) maps(h *hand, addr uint64) bool {
	if addr-h.PrivateBase < uint64(len(h.Private)) {
		return false
	}
	if addr-r.from < uint64(len(r.view)) {
		return true
	}
	if v := &h.view; v.dispatch == r.dispatch && addr-v.from < uint64(len(v.bytes)) {
		r.from, r.view = v.from, v.bytes
		return true
	}
	r.from, r.view = addr, h.Memory.View(addr)
	h.view = memoryView{r.dispatch, r.from, r.view}
	return len(r.view) > 0
}

// value returns what the dword at addr holds.
func (c *Checker) value(h *hand, addr uint64) uint32 {
	from, view := c.races.viewOf(h)
	return valueIn(from, view, addr&^3)
}

// viewOf returns the bytes of the memory of the access at hand, and where they lie.
func (r *races) viewOf(h *hand) (from uint64, view []byte) {
	switch h.sh.space {
	case state.LDS:
		return 0, h.LDS
	case state.GDS:
		return 0, h.GDS
	}
	return r.from, r.view
}

// byteMasks are the bits of the bytes of a dword.
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

// valueIn returns what the dword at addr holds, as far as view, which lies at from, shows it.
func valueIn(from uint64, view []byte, addr uint64) (value uint32) {
	at := addr - from
	if at+4 <= uint64(len(view)) && at+4 > at {
		return binary.LittleEndian.Uint32(view[at:])
	}
	for i := range uint64(4) { // some of its bytes are not in view
		if at+i < uint64(len(view)) {
			value |= uint32(view[at+i]) << (8 * i)
		}
	}
	return value
}
