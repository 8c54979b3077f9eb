//go:build !linux || !amd64 || purego

package block

import (
	"errors"

	"github.com/gcnsim/gcnsim/state"
)

// Compiles reports whether this build can compile blocks.
const Compiles = false

// Unavailable returns the reason why there are no blocks.
func Unavailable() string { return "there is no compiler of blocks for this system" }

// Context holds the state of machine code other than the wave.
type Context struct{}

// Code is the machine code of a program.
type Code struct{}

// Suits reports whether blocks run in mode m.
func Suits(state.Mode) (key int, ok bool) { return 0, false }

// Compile makes machine code for a program.
func Compile([]*Instr, []uint8, state.Mode, bool) (*Code, error) {
	return nil, errors.New("block: " + Unavailable())
}

// Has reports whether a block begins at a step and is worth a call.
func (*Code) Has(int) bool { return false }

// Begins reports whether a block begins at a step.
func (*Code) Begins(int) bool { return false }

// Size is the number of bytes of machine code.
func (*Code) Size() int { return 0 }

// Run executes blocks.
func (*Code) Run(_ *Context, _ *state.Wave, step, _ uint64, _ []byte) (next, executed uint64, why Left) {
	return step, 0, AtEnd
}

// Counted returns the numbers of instructions executed since the last call.
func (*Context) Counted() Counts { return Counts{} }

// Reported returns which reports had an instruction that executed.
func (*Context) Reported() (all [MaxReports]bool) { return all }

// SetSite records the site of an access.
func (*Context) SetSite(*Code, uint64, *state.Wave, Site) {}

// Failed records that an access could not use a site.
func (*Context) Failed(*Code, uint64) {}

// MayHaveSite reports whether an access may have a site.
func (*Context) MayHaveSite(*Code, uint64) bool { return false }

// Follow lets waves follow a wave that ends.
func (*Context) Follow(*Code, uint64, int64, int64, *state.Wave, *[3]state.Lanes, int) {}

// Followed returns how many waves have followed, and the number of instructions of the waves before them.
func (*Context) Followed() (waves, executed uint64) { return 0, 0 }

// Forget forgets all sites.
func (*Context) Forget(*Code) {}

// Loop lets a branch go back.
func (*Context) Loop(_, _, _ uint64) {}

// BeginTrace forgets the trace of accesses.
func (*Context) BeginTrace() {}

// Traced returns how many accesses are in the trace, and how many more may be.
func (*Context) Traced() (n, room int) { return 0, 0 }

// TracedStep returns the step of an access.
func (*Context) TracedStep(*Code, int) uint64 { return 0 }

// Trace sets the addresses of a traced access.
func (*Context) Trace(*Code, int, *state.Access) {}

// LaneAddresses returns the addresses of the lanes of a traced access.
func (*Context) LaneAddresses(*Code, int) (exec, base uint64, places *state.Lanes, second uint64) {
	return 0, 0, nil, 0
}
