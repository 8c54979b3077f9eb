package verdict

import (
	"bytes"
	"context"
	"slices"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// pairRun is a launch of two programs.
type pairRun struct {
	dispatch *spec.Dispatch // of the first program
	result   *Comparison
	found    [2][]check.Finding
	drawn    drawn           // its data
	effect   *compare.Effect // what the first program did
	checked  bool            // findings were looked for
	failed   error           // why the second program has no findings
}

// slower is how many times the instructions of the first program the second one may execute: one that is not optimized
// needs many times those of one that is.
const slower = 24

// other returns the dispatch of another program.
func (l *pairRun) other(p *part) *spec.Dispatch {
	d := *l.dispatch
	d.Object, d.Name = p.data, p.name
	d.MaxInstructions *= slower
	return &d
}

// looks are what looking for findings of a program has come to.
type looks struct {
	kinds map[check.Kind]bool // that it has
	notes map[check.Kind]check.Finding
	// Of launches that its source defines:
	compare.Effect // what they have executed
	shape          // which they have
}

// shape is a set of what decides, beside data, which work-items of a launch can meet.
type shape uint8

const (
	manyGroups  shape = 1 << iota
	manyWaves         // in a work-group
	partialLast       // the last work-groups are not full
)

// shapes returns the shapes that the launch has.
func (l *pairRun) shapes() (all shape) {
	d := l.dispatch
	for axis, n := range d.Group {
		if n > 0 && d.Grid[axis]%n != 0 {
			all |= partialLast
		}
	}
	if d.Grid != d.Group {
		all |= manyGroups
	}
	if workItems(d.Group) > state.NumLanes {
		all |= manyWaves
	}
	return all
}

// shows reports whether l, on which a program did e, may have findings that no checked launch of the program has: it
// has another shape, or executes what they do not.
func (r *kernelCase) shows(of *part, l *pairRun, e *compare.Effect) bool {
	before := r.looked[of]
	return before == nil || l.shapes()&^before.shape != 0 || !executesAll(&before.Effect, e)
}

// isUndefined reports whether one of found says that the source leaves undefined what a launch does.
func isUndefined(found []check.Finding) bool {
	return slices.ContainsFunc(found, func(f check.Finding) bool {
		return slices.Contains(undefinedKinds, string(f.Kind))
	})
}

// undefinedKinds are the kinds of such findings. Those of excusing excuse results that differ, too: work-items of code
// for another work-group leave their LDS, or store different values to one place.
var (
	undefinedKinds = []string{string(check.Uninit), string(check.Race)}
	excusing       = append(slices.Clone(undefinedKinds), string(check.OutOfRange), string(check.LaneConflict))
)

// checkNew looks for findings of the first program on a launch that may show what others do not: for all, or if its
// work-items share LDS in a work-group that no launch had, for those of [undefinedKinds]. It reports whether there is
// one of these.
func (r *kernelCase) checkNew(ctx context.Context, l *pairRun, of *part) (undefined bool, err error) {
	_, known := r.launcher.defined[l.dispatch.Group]
	var found []check.Finding
	switch {
	case r.shows(of, l, l.effect):
		l.checked = true
		l.found[0], err = r.findings(ctx, l.dispatch, of, l.drawn)
		found = l.found[0]
	case known || len(r.Check) == 0 || !r.launcher.sharesLDS():
		return false, nil
	default:
		found, _, err = r.findingsOf(ctx, l.dispatch, undefinedKinds, l.drawn)
	}
	undefined = isUndefined(found)
	if err == nil && !undefined {
		r.launcher.defined[l.dispatch.Group] = true
	}
	return undefined, err
}

// compareBoth compares both programs on a launch. It looks for findings, and at the order of work-groups, if the launch
// may show what others do not, and if results differ. The error says why they were not compared.
func (r *kernelCase) compareBoth(ctx context.Context, l *pairRun, parts [2]*part) (err error) {
	options := r.DiffOptions
	options.setup = r.setup(l.drawn)
	l.dispatch.Expect = r.tolerances(l.dispatch)
	other := l.other(parts[1])
	comparing, result, err := compareOnly(ctx, l.dispatch, other, &options)
	if err != nil {
		return err
	}
	l.result = result
	_, result.nans = r.tolerance()
	if !l.checked && result.Difference == nil && !r.shows(parts[1], l, &result.Effects[1]) {
		return nil
	}
	if err = comparing.reorder(ctx, result); err == nil && !l.checked {
		l.found[0], err = r.findings(ctx, l.dispatch, parts[0], l.drawn)
	}
	if err != nil {
		return err
	}
	l.checked = true
	if l.found[1], l.failed = r.findings(ctx, other, parts[1], l.drawn); ctx.Err() != nil {
		return ctx.Err() // whether the source defines it is not known
	}
	for i, of := range parts {
		if before := r.looked[of]; before != nil && !isUndefined(l.found[i]) {
			before.shape |= l.shapes()
			before.Add(&result.Effects[i])
		}
	}
	return nil
}

// undefined says why the results of l count for nothing, "" if they count or are the same.
func (l *pairRun) undefined() string {
	if l.result.Difference == nil {
		return ""
	}
	return undefined(l.result.Difference, l.found[0], l.found[1])
}

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
		l, err := r.launcher.run(ctx, p, i)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			failed = err
			continue
		case executed != nil && !executesAll(l.effect, executed):
			continue
		case executed == nil:
			executed = l.effect
		}
		if first != nil {
			if tried++; tried > maxInstead || r.instead >= maxAllInstead {
				break
			}
			r.instead++
		}
		d := l.dispatch
		d.Object, d.Name = parts[0].data, parts[0].name
		undefined, err := r.checkNew(ctx, l, parts[0])
		if err == nil && undefined {
			r.launcher.undefined(d)
			if first == nil {
				first = l
			}
			continue
		}
		if err == nil {
			err = r.compareBoth(ctx, l, parts)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && first == nil:
			return nil, err
		case err == nil && l.undefined() == "":
			return l, nil
		case err == nil:
			r.launcher.undefined(d)
		}
		if first == nil {
			first = l
		}
	}
	switch {
	case first == nil:
		return nil, r.launcher.without(i, failed)
	case first.result == nil:
		return first, r.compareBoth(ctx, first, parts)
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

// drawn has the contents of the random buffers of a launch without a seed of a run, by argument. The first session
// fills it, so that later ones, which may run at a time, need not draw it.
type drawn map[int][]byte

// in returns d with the data in place of what makes it.
func (data drawn) in(d *spec.Dispatch) *spec.Dispatch {
	next := *d
	next.Args = slices.Clone(d.Args)
	for i, contents := range data {
		b := *d.Args[i].Buffer
		b.Data, b.Random = contents, nil
		next.Args[i].Buffer = &b
	}
	return &next
}

// session begins d with the data, or keeps the data that it draws.
func (data drawn) session(d *spec.Dispatch, o *spec.Options) (*compare.Session, error) {
	if o.Seed != 0 {
		return compare.SetupOf(d.Program(o))()
	}
	s, err := compare.SetupOf(data.in(d).Program(o))()
	if err != nil {
		return nil, err
	}
	for i, a := range d.Args {
		if a.Buffer == nil || a.Buffer.Random == nil {
			continue
		}
		if data[i] == nil {
			data[i] = bytes.Clone(s.Buffers[i].Bytes())
		}
		if !slices.ContainsFunc(d.Expect, func(e spec.Expect) bool { return e.Arg == i }) {
			s.Elements[i] = element.Of(a.Buffer.Random.As).Bytes
		}
	}
	return s, nil
}
