package tile

import (
	"fmt"

	"github.com/gcnsim/gcnsim/internal/isa/chip"
)

// ErrorKind says what is wrong.
type ErrorKind uint8

// The kinds of errors.
const (
	BadSurface   ErrorKind = iota // no surface is as it is described
	BadRegister                   // a tiling register has a value without a meaning
	NotSupported                  // no source tells how such a surface lies in memory, or AMD's address library refuses it
	NoElement                     // a level or an element does not exist
	UnknownChip                   // there are no registers of a chip
)

// Error is the error type of all functions of the package.
type Error struct {
	Kind ErrorKind
	What string // what is wrong, and where
}

// Error says what is wrong, and where.
func (e *Error) Error() string {
	if e.Kind == NotSupported {
		return "tile: not supported: " + e.What
	}
	return "tile: " + e.What
}

// registerError says why the value of a register, as in "GB_TILE_MODE5", has no meaning.
func registerError(register string, value uint32, why string) error {
	return &Error{BadRegister, fmt.Sprintf("%s = 0x%08x: %s", register, value, why)}
}

// noElement returns the error for an element outside the surface: it says which levels there are, or the size of level.
func (l *Layout) noElement(level, x, y, z, sample int) error {
	if level < 0 || level >= l.Surface.Levels {
		return &Error{NoElement, fmt.Sprintf("no level %d; the surface has levels 0 to %d", level, l.Surface.Levels-1)}
	}
	v := &l.levels[level]
	return &Error{NoElement, fmt.Sprintf("no element %d, %d, %d, sample %d in level %d, which has %d x %d x %d "+
		"elements of %d samples, each from 0 on",
		x, y, z, sample, level, v.Width, v.Height, v.Depth, l.Surface.Samples)}
}

func unknownChip(name string) error {
	return &Error{UnknownChip, fmt.Sprintf("no registers of chip %q; known are %v", name, chip.Names())}
}
