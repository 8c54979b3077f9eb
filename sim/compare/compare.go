// Package compare runs two programs that should do the same: [Diverge] finds the first instruction after which two runs
// part, [Programs] compares what two dispatches leave in memory. `gcnsim diff` is more: it draws inputs and launches.
package compare

import (
	"context"
	"io"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
)

// Run runs something from its beginning with a watcher. [Diverge] calls it up to twice, and may cancel ctx when it has
// seen enough.
type Run = compare.Run

// Divergence is the first instruction after which two runs are not in the same state.
type Divergence struct{ found *compare.Divergence }

// Diverge compares the waves of two runs instruction by instruction and returns the first after which a wave differs,
// nil if there is none. Both must begin in the same state, with code and buffers at the same addresses, and run
// work-groups in the same order. The error comes from the expected run.
func Diverge(ctx context.Context, want, got Run) (*Divergence, error) {
	d, err := compare.Diverge(contexts.Given(ctx), want, got)
	if d == nil {
		return nil, err
	}
	return &Divergence{d}, err
}

// Write writes the instruction and the lanes that differ as text. PCs count from base.
func (d *Divergence) Write(w io.Writer, base uint64) error { return d.found.Write(w, base) }

// Program is an argument of [Programs]: Program of a dispatch of package spec returns one.
type Program = compare.Program

// Result is the result of [Programs].
type Result struct{ found *compare.Result }

// Programs runs two programs and compares the memory of their arguments.
func Programs(ctx context.Context, a, b Program) (*Result, error) {
	r, err := compare.Programs(contexts.Given(ctx), compare.SetupOf(a), compare.SetupOf(b))
	if err != nil {
		return nil, err
	}
	return &Result{r}, nil
}

// Verdict returns "same", "different" or "none", and why there is none.
func (r *Result) Verdict() (verdict, why string) {
	v, why := r.found.Verdict()
	return v.String(), why
}

// Write writes the element that differs, who stored it, and where the values come from. It writes nothing if nothing
// differs.
func (r *Result) Write(w io.Writer) error {
	if d := r.found.Difference; d != nil {
		return d.Write(w)
	}
	return nil
}
