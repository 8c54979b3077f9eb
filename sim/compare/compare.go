// Package compare runs two programs that should do the same: [Diverge] finds the first instruction after which two runs
// part, [Programs] compares what two dispatches leave in memory. `gcnsim diff` is more: it draws inputs and launches.
package compare

import (
	"context"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
)

// Run runs something from its beginning with a watcher. [Diverge] calls it up to twice, and may cancel ctx when it has
// seen enough.
type Run = compare.Run

// Divergence is the first instruction after which two runs are not in the same state.
type Divergence struct {
	Base  uint64 // String counts addresses of instructions from here
	found *compare.Divergence
}

// Diverge compares the waves of two runs instruction by instruction and returns the first after which a wave differs,
// nil if there is none. Both must begin in the same state, with code and buffers at the same addresses, and run
// work-groups in the same order. The error comes from the expected run.
func Diverge(ctx context.Context, want, got Run) (*Divergence, error) {
	d, err := compare.Diverge(contexts.Given(ctx), want, got)
	if d == nil {
		return nil, err
	}
	return &Divergence{found: d}, err
}

// String returns the instruction and the lanes that differ as text.
func (d *Divergence) String() string {
	var text strings.Builder
	_ = d.found.Write(&text, d.Base) // a builder takes everything
	return text.String()
}

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

// String returns the text of gcnsim diff: the element that differs, the instruction that stored it, and where the
// values come from. It is the verdict if nothing differs.
func (r *Result) String() string {
	v, why := r.Verdict()
	if r.found.Difference == nil {
		return strings.TrimSuffix(v+": "+why, ": ")
	}
	var text strings.Builder
	_ = r.found.Difference.Write(&text) // a builder takes everything
	return text.String()
}
