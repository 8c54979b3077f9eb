package codeobj

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/abi"
)

// Setting tells whether code requires that a feature of the processor is on, or off.
type Setting uint8

// The settings of a feature.
const (
	// Unstated means that the code object does not state it, or that its code runs with both.
	Unstated Setting = iota
	Off
	On
)

// Features holds the settings in the target id of a code object, such as gfx906:sramecc-:xnack+, for the features of
// a processor that can be switched.
type Features struct {
	XNACK   Setting // accesses that fault are replayed
	SRAMECC Setting // memories have error correction
}

// Features in e_flags. Source: LLVM AMDGPUUsage, "AMDGPU ELF Header e_flags".
const (
	xnackV3     = 1 << 8
	srameccV3   = 1 << 9
	xnackShift  = 8 // two bits from version 4 on: 1 any, 2 off, 3 on
	srameccHigh = 10
)

// featuresOf returns the features of a code object: from e_flags, or in version 2 from a note with the processor's
// name or number.
func featuresOf(version int, flags uint32, notes []note) Features {
	if version > 2 {
		return flagFeatures(version, flags)
	}
	if name, ok := findNote(notes, ownerV2, noteISAName); ok {
		return idFeatures(version, string(name))
	}
	if b, ok := findNote(notes, ownerV2, noteISAVersion); ok && len(b) >= 16 {
		return idFeatures(version, abi.VersionID(fmt.Sprintf("%d%d%x", le.Uint32(b[4:]), le.Uint32(b[8:]),
			le.Uint32(b[12:]))))
	}
	return Features{}
}

// flagFeatures returns the features in e_flags of version 3 and later.
func flagFeatures(version int, flags uint32) Features {
	if version == 3 {
		is := func(bit uint32) Setting {
			if flags&bit != 0 {
				return On
			}
			return Off
		}
		return Features{XNACK: is(xnackV3), SRAMECC: is(srameccV3)}
	}
	field := func(shift int) Setting { return [4]Setting{2: Off, 3: On}[flags>>shift&3] }
	return Features{XNACK: field(xnackShift), SRAMECC: field(srameccHigh)}
}

// idFeatures returns the features in a target id. The sign is after the name, as in :xnack+, or in versions 2 and 3
// before it, as in +xnack. Version 2 also has processor names with a feature: gfx907 is gfx906 with XNACK.
func idFeatures(version int, id string) (f Features) {
	says := func(names ...string) Setting {
		for _, name := range names {
			switch {
			case strings.Contains(id, ":"+name+"+"), strings.Contains(id, "+"+name):
				return On
			case strings.Contains(id, ":"+name+"-"), strings.Contains(id, "-"+name):
				return Off
			}
		}
		return Unstated
	}
	f = Features{XNACK: says("xnack"), SRAMECC: says("sramecc", "sram-ecc")}
	if f.XNACK == Unstated && version == 2 && abi.XNACKByName(id) {
		f.XNACK = On
	}
	return f
}
