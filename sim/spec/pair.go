package spec

import (
	"context"
	"slices"

	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/compare"
)

// pairRun is a launch of two programs.
type pairRun struct {
	dispatch *Dispatch // of the first program
	result   *Comparison
	found    [2][]check.Finding
	failed   error // why the second program has no findings
}

// slower is how many times the instructions of the first program the second one may execute: one that is not optimized
// needs many times those of one that is.
const slower = 24

// runBoth compares two programs on a launch. The error says why they were not compared.
func (r *kernelCase) runBoth(ctx context.Context, d *Dispatch, parts [2]*part) (l *pairRun, err error) {
	l = &pairRun{dispatch: d}
	d.Object, d.Name = parts[0].data, parts[0].name
	options := r.DiffOptions
	options.drawn = d.draw()
	if l.found[0], err = r.findings(ctx, d, parts[0], options.drawn); err != nil {
		return nil, err
	}
	d.Expect = r.tolerances(d)
	other := *d
	other.Object, other.Name = parts[1].data, parts[1].name
	other.MaxInstructions *= slower
	if l.result, err = Diff(ctx, d, &other, &options); err != nil {
		return nil, err
	}
	l.found[1], l.failed = r.findings(ctx, &other, parts[1], options.drawn)
	return l, nil
}

// undefined says why the results of l count for nothing, "" if they count or are the same.
func (l *pairRun) undefined() string {
	if l.result.Difference == nil {
		return ""
	}
	return undefined(l.result.Difference, l.found[0], l.found[1])
}

// isDefined reports whether neither program reads what nothing has written, races, or depends on the order
// of work-groups.
func (l *pairRun) isDefined() bool {
	for i := range l.found {
		if l.result.Varies[i] != nil || slices.ContainsFunc(l.found[i], isUndefined) {
			return false
		}
	}
	return l.failed == nil
}

// isUndefined reports whether a finding says that the source leaves undefined what a launch does.
func isUndefined(f check.Finding) bool { return f.Kind == check.Uninit || f.Kind == check.Race }

// maxInstead is how many launches are compared in place of one whose results count for nothing.
const maxInstead = 4

// instead looks for a launch that can take the place of launch i, whose results l are undefined: one without
// undefined behavior in either program, on which both execute every instruction that they execute in l. A
// launch whose results differ and count is a difference whatever it executes. instead returns nil if there is
// no such launch. The error comes from ctx.
func (r *kernelCase) instead(ctx context.Context, i int, parts [2]*part, l *pairRun) (*pairRun, error) {
	if len(r.Check) == 0 {
		return nil, nil // without a check a launch counts as defined
	}
	compared := 0
	for p := range r.launcher.others() {
		d, e, err := r.launcher.run(ctx, p, i)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil || !executesAll(e, &l.result.Effects[0]) {
			continue
		}
		if compared++; compared > maxInstead {
			break
		}
		other, err := r.runBoth(ctx, d, parts)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
		case other.result.Difference != nil && other.undefined() == "":
			return other, nil
		case other.isDefined() && executesAll(&other.result.Effects[0], &l.result.Effects[0]) &&
			executesAll(&other.result.Effects[1], &l.result.Effects[1]):
			return other, nil
		}
	}
	return nil, nil
}

// executesAll reports whether e has executed each instruction that want has.
func executesAll(e, want *compare.Effect) bool {
	var both compare.Effect
	both.Add(want)
	both.Add(e)
	all, _ := both.Executed()
	executed, _ := e.Executed()
	return executed == all
}
