package alu

import (
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// denorm is a denormal mode in the encoding of FP_DENORM. Bit 0 keeps denormal operands, bit 1 keeps denormal
// results.
type denorm uint8

const (
	keepIn  denorm = 1 << 0
	keepOut denorm = 1 << 1
	// The modes in which host arithmetic can be used: denormals are all kept, or all flushed before and after the
	// operation.
	flushAll denorm = 0
	keepAll         = keepIn | keepOut
)

// rounding is a rounding mode in the encoding of FP_ROUND.
type rounding uint8

const (
	roundNearestEven rounding = iota
	roundPlusInf
	roundMinusInf
	roundToZero
)

func round32(m state.Mode) rounding { return rounding(m & state.ModeRound32) }

func round64(m state.Mode) rounding { return rounding(m & state.ModeRound64 >> 2) }

func denorm32(m state.Mode) denorm { return denorm(m & state.ModeDenorm32 >> 4) }

func denorm64(m state.Mode) denorm { return denorm(m & state.ModeDenorm64 >> 6) }

const cspShift = 29

func csp(w *state.Wave) uint32 { return uint32(w.Mode >> cspShift) }

func setCSP(w *state.Wave, csp uint32) {
	w.Mode = w.Mode&^state.ModeCSP | state.Mode(csp)<<cspShift
}

// unmodelled returns the bits of m that change the arithmetic of hardware in a way that is not modelled.
func unmodelled(m state.Mode, t *isa.Traits) state.Mode {
	bits := state.ModeVSkip
	if t.FP16Ovfl {
		bits |= state.ModeFP16Ovfl
	}
	return m & bits
}
