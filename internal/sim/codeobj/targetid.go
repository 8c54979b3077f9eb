package codeobj

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/abi"
)

// Setting says whether code is made for processors that have a feature on, or off.
type Setting uint8

// The settings.
const (
	// Unstated: the code object does not say, or says that its code runs with either.
	Unstated Setting = iota
	Off
	On
)

// Features holds the settings in the target id of a code object, such as gfx906:sramecc-:xnack+, for features that
// a processor can have on or off.
type Features struct {
	XNACK   Setting // accesses that fault are replayed
	SRAMECC Setting // memories have error correction
}

// Features in e_flags. Source: LLVM AMDGPUUsage, "AMDGPU ELF Header e_flags".
const (
	xnackV3     = 1 << 8
	srameccV3   = 1 << 9
	xnackShift  = 8 // from version 4 on two bits: 1 any, 2 off, 3 on
	srameccHigh = 10
)

// featuresOf returns what a file says of features: in e_flags, in version 2 in a note, the name of the
// processor or its number.
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

// flagFeatures returns the features in e_flags, from version 3 on.
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

// idFeatures returns what a target id says. Signs stand behind names, as in :xnack+; in versions 2
// and 3 before them, as in +xnack. Version 2 also has processors for it: gfx907 is gfx906 with XNACK.
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
