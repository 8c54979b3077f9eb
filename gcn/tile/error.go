package tile

import (
	"fmt"

	"github.com/gcnsim/gcnsim/internal/isa/chip"
)

// ErrorKind classifies an [Error].
type ErrorKind uint8

// The kinds of errors.
const (
	BadSurface   ErrorKind = iota // the description of the surface is contradictory
	BadRegister                   // a tiling register has a reserved value
	NotSupported                  // no source states the memory layout of the surface, or AMD's address library refuses it
	NoElement                     // a level or an element does not exist
	UnknownChip                   // no registers are known for the chip
)

// Error is the error type of all functions of the package.
type Error struct {
	Kind ErrorKind
	What string // the problem, and where it is
}

// Error says what is wrong, and where.
func (e *Error) Error() string {
	if e.Kind == NotSupported {
		return "tile: not supported: " + e.What
	}
	return "tile: " + e.What
}

// registerError returns the error for a reserved value of a register such as "GB_TILE_MODE5", with the reason why.
func registerError(register string, value uint32, why string) error {
	return &Error{BadRegister, fmt.Sprintf("%s = 0x%08x: %s", register, value, why)}
}

// noElement returns the error for an element outside the surface. Its text has the valid levels, or the size of
// level.
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
