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
	drawn    drawn
	failed   error // why the second program has no findings
}

// slower is how many times the instructions of the first program the second one may execute: one that is not optimized
// needs many times those of one that is.
const slower = 24

// check runs the first program on a launch. The error says why it has no findings.
func (r *kernelCase) check(ctx context.Context, d *Dispatch, of *part) (l *pairRun, err error) {
	l = &pairRun{dispatch: d, drawn: d.draw()}
	d.Object, d.Name = of.data, of.name
	l.found[0], err = r.findings(ctx, d, of, l.drawn)
	return l, err
}

// compareBoth compares both programs on a launch. The error says why they were not compared.
func (r *kernelCase) compareBoth(ctx context.Context, l *pairRun, second *part) (err error) {
	options := r.DiffOptions
	options.drawn, options.nearAs = l.drawn, r.nearAs()
	l.dispatch.Expect = r.tolerances(l.dispatch)
	other := *l.dispatch
	other.Object, other.Name = second.data, second.name
	other.MaxInstructions *= slower
	if l.result, err = Diff(ctx, l.dispatch, &other, &options); err != nil {
		return err
	}
	l.found[1], l.failed = r.findings(ctx, &other, second, options.drawn)
	return nil
}

// undefined says why the results of l count for nothing, "" if they count or are the same.
func (l *pairRun) undefined() string {
	if l.result.Difference == nil {
		return ""
	}
	return undefined(l.result.Difference, l.found[0], l.found[1])
}

// isUndefined reports whether a finding says that the source leaves undefined what a launch does.
func isUndefined(f check.Finding) bool { return f.Kind == check.Uninit || f.Kind == check.Race }

// More launches are not tried in place of one, or of all launches of a kernel, that the source does not define.
const (
	maxInstead    = 8
	maxAllInstead = 16
)

// pair compares programs on launch i: the first of its candidates that the source defines, and on which the kernel
// executes every instruction that it executes on the first candidate. If there is none, it is the first candidate. The
// error says why there is no launch on which they are compared, or comes from ctx.
func (r *kernelCase) pair(ctx context.Context, i int, parts [2]*part) (*pairRun, error) {
	var first *pairRun
	var executed *compare.Effect
	var failed error
	tried := 0
	for _, p := range r.launcher.candidates(i) {
		if first != nil && !p.alone && r.launcher.misfits(p.group) && p.group != first.dispatch.Group {
			continue
		}
		d, e, err := r.launcher.run(ctx, p, i)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			failed = err
			continue
		case executed != nil && !executesAll(e, executed):
			continue
		case executed == nil:
			executed = e
		}
		if first != nil {
			if tried++; tried > maxInstead || r.instead >= maxAllInstead {
				break
			}
			r.instead++
		}
		l, err := r.check(ctx, d, parts[0])
		if err == nil && slices.ContainsFunc(l.found[0], isUndefined) {
			r.launcher.undefined(d)
			if first == nil {
				first = l
			}
			continue
		}
		if err == nil {
			err = r.compareBoth(ctx, l, parts[1])
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && first == nil:
			return nil, err
		case err == nil && l.undefined() == "":
			r.launcher.defined[d.Group] = true
			return l, nil
		case first == nil:
			first = l
		}
	}
	switch {
	case first == nil:
		return nil, r.launcher.without(i, failed)
	case first.result == nil:
		return first, r.compareBoth(ctx, first, parts[1])
	}
	return first, nil
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
