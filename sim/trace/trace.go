// Package trace counts the executions and bytes of instructions in a run. `gcnsim run` also writes traces for
// Perfetto and Konata, and reports.
package trace

import (
	"io"

	"github.com/gcnsim/gcnsim/internal/sim/trace"
	"github.com/gcnsim/gcnsim/sim"
)

// Profile counts, for each instruction of a program, its executions and the bytes it moved.
type Profile struct {
	sim.Watcher
	profile *trace.Profile
}

// NewProfile returns an empty profile.
func NewProfile() *Profile {
	p := new(trace.Profile)
	return &Profile{Watcher: p, profile: p}
}

// WriteMemory writes a table of the instructions that accessed memory. PCs are relative to base. The error comes from
// w.
func (p *Profile) WriteMemory(w io.Writer, base uint64) error { return p.profile.WriteMemory(w, base) }
