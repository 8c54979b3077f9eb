package block

import "github.com/gcnsim/gcnsim/state"

// modeKey holds the bits of MODE that the machine code of a block depends on.
type modeKey uint8

const (
	keepsDenormals modeKey = 1 << iota // keeps denormals of float32; else they are flushed
	isIEEE
	// NumModes is the number of keys.
	NumModes = 1 << iota
)

// keyOf returns the key of a mode. ok is false if no block runs in that mode: the host rounds or treats denormals in
// another way, or VGPRs are indexed.
func keyOf(m state.Mode) (k modeKey, ok bool) {
	if m&(state.ModeRound32|state.ModeGPRIdxEn|state.ModeVSkip) != 0 {
		return 0, false
	}
	switch m & state.ModeDenorm32 {
	case state.ModeDenorm32:
		k |= keepsDenormals
	case 0:
	default:
		return 0, false
	}
	if m&state.ModeIEEE != 0 {
		k |= isIEEE
	}
	return k, true
}

// mode returns a mode with that key.
func (k modeKey) mode() (m state.Mode) {
	if k&keepsDenormals != 0 {
		m |= state.ModeDenorm32
	}
	if k&isIEEE != 0 {
		m |= state.ModeIEEE
	}
	return m
}

func (k modeKey) flushes() bool { return k&keepsDenormals == 0 }
func (k modeKey) ieee() bool    { return k&isIEEE != 0 }
