// Package trace counts what the instructions of a run moved. `gcnsim run` also writes traces for Perfetto and Konata,
// and reports.
package trace

import (
	"io"

	"github.com/gcnsim/gcnsim/internal/sim/trace"
	"github.com/gcnsim/gcnsim/sim"
)

// Profile counts, for each instruction of a program, how often it ran and what it moved.
type Profile struct {
	sim.Watcher
	profile *trace.Profile
}

// NewProfile returns an empty profile.
func NewProfile() *Profile {
	p := new(trace.Profile)
	return &Profile{Watcher: p, profile: p}
}

// WriteMemory writes a table of the instructions that accessed memory. PCs count from base.
func (p *Profile) WriteMemory(w io.Writer, base uint64) error { return p.profile.WriteMemory(w, base) }
