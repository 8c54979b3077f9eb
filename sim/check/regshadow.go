package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/state"
)

// regShadow has the undefined bits of a wave's registers, and their origins: one for each VGPR lane, each scalar
// register and SCC.
type regShadow struct {
	v     []state.Lanes // set bits are undefined
	vFrom [][state.NumLanes]tag
	lanes [state.MaxVGPRs]uint64 // lanes of a VGPR with undefined bits
	never [state.MaxVGPRs]uint64 // lanes among them that were never written: v and vFrom do not contain these
	scalarBits
}

// scalarBits is the part of a [regShadow] for scalar registers and flags.
type scalarBits struct {
	s     [isa.NumScalarCodes]uint32
	sFrom [isa.NumScalarCodes]tag
	scc   uint32
	cFrom tag
	// SCC tells whether the result in test SGPRs from nonzero on is not 0. Once one of its bits is known to be 1, SCC
	// is defined. test is 0 if SCC means something else.
	nonzero, test int
	// dirty contains all registers with undefined bits, and maybe others.
	dirty regset
}

// resize changes the number of VGPRs to n. New ones have no undefined bits.
func (h *regShadow) resize(n int) {
	for i := range h.v {
		if h.lanes[i]&^h.never[i] != 0 {
			h.v[i] = state.Lanes{}
		}
	}
	clear(h.lanes[:len(h.v)])
	clear(h.never[:len(h.v)])
	if n > cap(h.v) {
		h.v, h.vFrom = make([]state.Lanes, n), make([][state.NumLanes]tag, n)
	}
	h.v, h.vFrom = h.v[:n], h.vFrom[:n]
}

// fresh marks VGPR n as never written, in the lanes of mask.
func (h *regShadow) fresh(n int, mask uint64) {
	h.lanes[n], h.never[n] = mask, mask
	h.dirty.add(reg(n))
}

// vgpr returns the undefined bits of a lane of VGPR n, and their origin.
func (h *regShadow) vgpr(n, lane int) (undefined uint32, from tag) {
	if h.never[n]>>lane&1 != 0 {
		return ^uint32(0), neverWritten(reg(n))
	}
	return h.v[n][lane], h.vFrom[n][lane]
}

// setVGPR sets the shadow of the bits in mask of one lane.
func (h *regShadow) setVGPR(n, lane int, undefined, mask uint32, from tag) {
	h.write(n, 1<<lane)
	u := &h.v[n][lane]
	if *u = *u&^mask | undefined&mask; *u == 0 {
		h.lanes[n] &^= 1 << lane
		return
	}
	h.lanes[n] |= 1 << lane
	h.dirty.add(reg(n))
	if undefined&mask != 0 {
		h.vFrom[n][lane] = from
	}
}

// write enters the lanes of mask that were never written into v and vFrom.
func (h *regShadow) write(n int, mask uint64) {
	mask &= h.never[n]
	h.never[n] &^= mask
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		h.v[n][lane], h.vFrom[n][lane] = ^uint32(0), neverWritten(reg(n))
	}
}

// setScalar sets the shadow of a scalar register.
func (h *regShadow) setScalar(code int, undefined uint32, from tag) {
	code &= isa.NumScalarCodes - 1
	h.s[code] = undefined
	if undefined != 0 {
		h.dirty.add(registers.ScalarRegs + reg(code))
		h.sFrom[code] = from
	}
}

func (h *regShadow) setSCC(undefined bool, from tag) {
	h.scc = 0
	if undefined {
		h.scc, h.cFrom = 1, from
		h.dirty.add(scc)
	}
}

// defineVGPR marks bytes as defined in the lanes of mask.
func (h *regShadow) defineVGPR(n int, mask uint64, bytes uint8) {
	mask &= h.lanes[n]
	if bytes == 0xf {
		never := mask & h.never[n]
		h.never[n] &^= never
		h.lanes[n] &^= never
		mask &^= never
	}
	h.write(n, mask)
	keep := ^spread(bytes)
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		if h.v[n][lane] &= keep; h.v[n][lane] == 0 {
			h.lanes[n] &^= 1 << lane
		}
	}
	if h.lanes[n] == 0 {
		h.dirty.drop(reg(n))
	}
}

// define marks the registers of f as defined in the lanes of mask.
func (h *regShadow) define(f *isa.Effect, mask uint64) {
	for i := range int(f.Dwords) {
		switch f.File {
		case isa.VReg:
			if n := int(f.Code) + i; n < len(h.v) {
				h.defineVGPR(n, mask, f.Bytes)
			}
		case isa.SReg:
			code := (int(f.Code) + i) & (isa.NumScalarCodes - 1)
			h.s[code] = 0
			h.dirty.drop(registers.ScalarRegs + reg(code))
		default:
			h.defineFlag(isa.Flag(f.Code))
		}
	}
}

func (h *regShadow) defineFlag(f isa.Flag) {
	switch f {
	case isa.FlagSCC:
		h.scc = 0
	case isa.FlagVCCZ:
		h.s[gcn.VCC], h.s[gcn.VCC+1] = 0, 0
	}
}

// found identifies undefined bits in a register.
type found struct {
	reg  reg
	lane int // [state.NoLane] for a scalar register
	from tag
}

// first returns the first register of f with undefined bits in the lanes of mask. For scalar registers care selects
// the bits that matter, by dword; nil means all.
func (h *regShadow) first(f *isa.Effect, mask uint64, care *[4]uint32) (u found, ok bool) {
	for i := range int(f.Dwords) {
		switch n := int(f.Code) + i; f.File {
		case isa.VReg:
			if n >= len(h.v) {
				continue
			}
			for m := h.lanes[n] & mask; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros64(m) & 63
				if u, from := h.vgpr(n, lane); u&spread(f.Bytes) != 0 {
					return found{reg(n), lane, from}, true
				}
			}
		case isa.SReg:
			n &= isa.NumScalarCodes - 1
			u := h.s[n] & spread(f.Bytes)
			if care != nil {
				u &= care[i&3]
			}
			if u != 0 {
				return found{registers.ScalarRegs + reg(n), state.NoLane, h.sFrom[n]}, true
			}
		default:
			return h.firstFlag(isa.Flag(f.Code))
		}
	}
	return found{}, false
}

func (h *regShadow) firstFlag(f isa.Flag) (u found, ok bool) {
	switch f {
	case isa.FlagSCC:
		return found{registers.FlagRegs + reg(f), state.NoLane, h.cFrom}, h.scc != 0
	case isa.FlagVCCZ:
		for n := gcn.VCC; n < gcn.VCC+2; n++ {
			if h.s[n] != 0 {
				return found{registers.ScalarRegs + reg(n), state.NoLane, h.sFrom[n]}, true
			}
		}
	}
	return found{}, false
}

// holds reports whether registers of f have undefined bits. For VGPRs only lanes of mask count; it ignores which
// bytes f uses.
func (h *regShadow) holds(f *isa.Effect, mask uint64) bool {
	switch f.File {
	case isa.VReg:
		var found uint64
		for i := range int(f.Dwords) {
			found |= h.lanes[(int(f.Code)+i)&(state.MaxVGPRs-1)]
		}
		return found&mask != 0
	case isa.SReg:
		var found uint32
		for i := range int(f.Dwords) {
			found |= h.s[(int(f.Code)+i)&(isa.NumScalarCodes-1)]
		}
		return found != 0
	}
	switch isa.Flag(f.Code) {
	case isa.FlagSCC:
		return h.scc != 0
	case isa.FlagVCCZ:
		return h.s[gcn.VCC]|h.s[gcn.VCC+1] != 0
	}
	return false
}

// spread converts a mask of bytes to a mask of bits.
func spread(bytes uint8) uint32 {
	m := uint32(bytes&1) | uint32(bytes&2)<<7 | uint32(bytes&4)<<14 | uint32(bytes&8)<<21
	return m * 0xff
}
