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

// pairRun is a launch that two programs run.
type pairRun struct {
	dispatch *spec.Dispatch // dispatch of the first program
	result   *Comparison
	found    [2][]check.Finding
	drawn    drawn           // contents of its random buffers
	effect   *compare.Effect // effects of the first program
	checked  bool            // the search for findings has run
	failed   error           // reason why the second program has no findings
}

// slower multiplies the instruction limit for the second program. Unoptimized code needs many times the instructions of
// optimized code.
const slower = 24

// other returns the dispatch of another program for the launch.
func (l *pairRun) other(p *part) *spec.Dispatch {
	d := *l.dispatch
	d.Object, d.Name = p.data, p.name
	d.MaxInstructions *= slower
	return &d
}

// looks has the results of the search for findings of a program.
type looks struct {
	kinds map[check.Kind]bool // kinds of its findings
	notes map[check.Kind]check.Finding
	// These two cover launches that the source defines:
	compare.Effect // their effects
	shape          // their shapes
}

// shape is a set of the properties of a launch, other than data, that decide which of its work-items can interact.
type shape uint8

const (
	manyGroups  shape = 1 << iota
	manyWaves         // work-groups with more than one wave
	partialLast       // the last work-groups are partial
)

// shapes returns the shapes of the launch.
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

// shows reports whether l, on which a program had the effects e, may have new findings. It may if it has a shape, or
// executes instructions, that no checked launch of the program had.
func (r *kernelCase) shows(of *part, l *pairRun, e *compare.Effect) bool {
	before := r.looked[of]
	return before == nil || l.shapes()&^before.shape != 0 || !executesAll(&before.Effect, e)
}

// isUndefined reports whether a finding says that the source leaves the launch undefined.
func isUndefined(found []check.Finding) bool {
	return slices.ContainsFunc(found, func(f check.Finding) bool {
		return slices.Contains(undefinedKinds, string(f.Kind))
	})
}

// undefinedKinds are the kinds of findings for which isUndefined is true. Different results do not count with findings
// of the kinds in excusing: code for other work-groups may exceed its LDS or store two values to one address.
var (
	undefinedKinds = []string{string(check.Uninit), string(check.Race)}
	excusing       = append(slices.Clone(undefinedKinds), string(check.OutOfRange), string(check.LaneConflict))
)

// checkNew looks for findings of the first program on a launch. It looks for all kinds if the launch may have new
// findings. Otherwise it looks for [undefinedKinds] if its work-items share LDS and its work-group is new. It reports
// whether there is a finding of [undefinedKinds].
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

// compareBoth compares both programs on a launch. It also looks for findings and tries another order of work-groups if
// the launch may have new findings or results differ. The error is the reason why there is no comparison.
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
		return ctx.Err() // it is unknown whether the source defines the launch
	}
	for i, of := range parts {
		if before := r.looked[of]; before != nil && !isUndefined(l.found[i]) {
			before.shape |= l.shapes()
			before.Add(&result.Effects[i])
		}
	}
	return nil
}

// undefined returns why different results of l do not count. It returns "" if they count or if the results are equal.
func (l *pairRun) undefined() string {
	if l.result.Difference == nil {
		return ""
	}
	return undefined(l.result.Difference, l.found[0], l.found[1])
}

// Limits of launches that replace launches that the source does not define: for one launch, and for a kernel.
const (
	maxInstead    = 8
	maxAllInstead = 16
)

// pair compares programs on launch i. It uses the first candidate that the source defines and that executes all
// instructions of the first candidate. If there is none, it uses the first candidate. The error is the reason why no
// candidate could be compared, or comes from ctx.
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

// executesAll reports whether e includes all instructions that want includes.
func executesAll(e, want *compare.Effect) bool {
	var both compare.Effect
	both.Add(want)
	both.Add(e)
	all, _ := both.Executed()
	executed, _ := e.Executed()
	return executed == all
}

// drawn has, by argument, the contents of random buffers of a launch whose seeds do not change between runs. The first
// session draws the contents. Later sessions, which may run in parallel, reuse them.
type drawn map[int][]byte

// in returns a copy of d that has the contents in data instead of their random descriptions.
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

// session starts a session of d with the contents in data. If data is empty, it records the contents that d draws.
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
