// Package verdict decides whether two programs do the same. [Diff] runs two dispatches on each of their inputs and
// compares the memory afterwards. [DiffObjects] compares the kernels of two code objects, [GroupObjects] the kernels of
// several. [Launches] makes launches from the metadata, [ParseHints] reads hints from comments of the source.
// [Reduce] shrinks an input on which two dispatches differ. The commands diff, reduce and hunt use this package.
package verdict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/tool/crash"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// DiffOptions say how two dispatches are compared; nil is the default.
type DiffOptions struct {
	// Seeds is the number of inputs to try. Each input adds another number, from 0 on, to the seeds of the random
	// data. 0 means 1.
	Seeds int
	// Jobs is the number of inputs that run in parallel. 0 means one for each CPU.
	Jobs int
	// Objects, if not nil, caches code objects and their decoded instructions for later comparisons.
	Objects *sim.ObjectCache
	// Contract ignores differences that are due to fused multiply-adds. Programs that differ run again with each
	// fused multiply-add replaced by a product and a sum, both rounded. The result of that run counts.
	Contract bool
	// Progress, if not nil, receives a short text about the progress of the comparison. Several goroutines may call
	// it at the same time.
	Progress func(text string)

	// setup starts a dispatch. If it is nil, [spec.Dispatch.Program] does.
	setup func(*spec.Dispatch, *spec.Options) compare.Setup
}

// withObjects returns o with a cache of code objects.
func (o *DiffOptions) withObjects() *DiffOptions {
	all := DiffOptions{}
	if o != nil {
		all = *o
	}
	if all.Objects == nil {
		all.Objects = &sim.ObjectCache{}
	}
	return &all
}

// Comparison is the result of comparing two dispatches. Its effects cover all runs.
type Comparison struct {
	compare.Result
	Runs int // number of inputs tried, including the one that differs
	// Seed is the number that was added to the seeds of the input on which Difference occurs.
	Seed uint64
	// Contracted counts elements that differ, beyond tolerances, only because of floating-point contraction.
	Contracted int
	// Unfused reports that Difference comes from runs with products and sums instead of fused multiply-adds.
	Unfused bool
	nans    bool // the only tolerance: all NaNs are equal
	// Varies has, for dispatches a and b, an element whose value depends on the order of the work-groups. It is nil
	// if there is no such element.
	Varies [2]*compare.Element
}

// KeyError says that [Diff] or [Reduce] does not support a field of a dispatch, or the value of the field.
type KeyError struct {
	Key string // the field, for example expect[0].ulp
	Err error  // what is wrong and what to do
}

// Error returns the text of the error, which begins with the key.
func (e *KeyError) Error() string { return fmt.Sprintf("%s: %v", e.Key, e.Err) }

// Unwrap returns the error without the key.
func (e *KeyError) Unwrap() error { return e.Err }

// comparing is the state of a comparison that is in progress.
type comparing struct {
	*DiffOptions
	programs [2]*spec.Dispatch
	unfused  *sim.ObjectCache // for runs without fused multiply-adds
}

// check returns an error for fields of the dispatches that a comparison would ignore.
func (r *comparing) check() error {
	for _, d := range r.programs {
		switch {
		case len(d.Check) > 0:
			return &KeyError{"check", errors.New("diff compares what programs leave in memory, findings are those of " +
				"dispatch; leave it out")}
		case d.Timing != spec.NotTimed || d.Params != nil:
			return &KeyError{"timing", errors.New("diff does not look at time; leave it out")}
		}
	}
	a, b := r.programs[0], r.programs[1]
	if !reflect.DeepEqual(tolerances(a), tolerances(b)) {
		return &KeyError{"expect", errors.New("a and b have other tolerances; give both the same")}
	}
	if r.Seeds > 1 && !a.IsRandom() && !b.IsRandom() {
		return &KeyError{"seeds", errors.New("more than one seed is asked for, but no buffer has random data; give a " +
			"buffer random, or one seed")}
	}
	return cmp.Or(ambiguous(a), ambiguous(b))
}

// ambiguous returns an error if an argument would have to be compared as elements of two types.
func ambiguous(d *spec.Dispatch) error {
	tolerant := map[int]spec.Element{} // by argument
	for _, e := range tolerances(d) {
		tolerant[e.Arg] = e.As
	}
	for i, e := range d.Expect {
		if as, ok := tolerant[e.Arg]; ok && as != e.As {
			return &KeyError{fmt.Sprintf("expect[%d].as", i), fmt.Errorf("argument %d is compared as %v or as %v; give all "+
				"that is expected of it as one type", e.Arg, e.As, as)}
		}
	}
	return nil
}

// tolerances returns the expectations of d that have a tolerance, without their contents.
func tolerances(d *spec.Dispatch) (all []spec.Expect) {
	for _, s := range d.Expect {
		if tolerant(&s) {
			s.Want, s.File = nil, ""
			all = append(all, s)
		}
	}
	return all
}

// Diff runs two dispatches on each input and compares all buffers afterwards. Buffers must be equal bit for bit,
// or within the tolerances of Expect. The error says what is wrong with a dispatch, is a *[KeyError], a
// *[compare.SetupError], or the error of ctx.
func Diff(ctx context.Context, a, b *spec.Dispatch, o *DiffOptions) (*Comparison, error) {
	r, res, err := compareOnly(ctx, a, b, o)
	if err == nil {
		err = r.reorder(ctx, res)
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}

// aligned reorders the arguments of two driver dispatches. Arguments that Expect names come first, because only these
// are compared. The dispatch with fewer arguments gets buffers of one byte until both have the same number.
func aligned(a, b *spec.Dispatch) (*spec.Dispatch, *spec.Dispatch) {
	if a.Registers == nil || b.Registers == nil {
		return a, b
	}
	all := [2]*spec.Dispatch{a, b}
	for i, d := range all {
		var order []int // numbers of arguments
		for _, expected := range []bool{true, false} {
			for n := range d.Args {
				if slices.ContainsFunc(d.Expect, func(x spec.Expect) bool { return x.Arg == n }) == expected {
					order = append(order, n)
				}
			}
		}
		next := *d
		next.Args, next.Expect = nil, slices.Clone(d.Expect)
		for _, n := range order {
			next.Args = append(next.Args, d.Args[n])
		}
		for len(d.Expect) > 0 && len(next.Args) < len(all[1-i].Args) {
			next.Args = append(next.Args, spec.Arg{Buffer: &spec.Buffer{Size: 1}})
		}
		for x := range next.Expect {
			next.Expect[x].Arg = slices.Index(order, next.Expect[x].Arg)
		}
		all[i] = &next
	}
	return all[0], all[1]
}

// compareOnly is [Diff] without the run in another order, by which [comparing.reorder] sets [Comparison].Varies.
func compareOnly(ctx context.Context, a, b *spec.Dispatch, o *DiffOptions) (r *comparing, res *Comparison, err error) {
	a, b = aligned(a, b)
	r = &comparing{o.withObjects(), [2]*spec.Dispatch{a, b}, &sim.ObjectCache{Unfused: true}}
	if err = r.check(); err != nil {
		return nil, nil, err
	}
	seeds := max(r.Seeds, 1)
	res = &Comparison{Runs: seeds}
	return r, res, r.search(ctx, res, seeds)
}

// reorder runs programs without a difference again, with their work-groups in another order.
func (r *comparing) reorder(ctx context.Context, res *Comparison) (err error) {
	if v, _ := res.Verdict(); v != compare.Same {
		return nil
	}
	for i, setup := range r.setups(0, r.Objects, "with its work-groups in two orders, ") {
		if res.Varies[i], err = compare.Order(ctx, setup); err != nil {
			return err
		}
	}
	return nil
}

// setups returns the setups of both dispatches for an input. objects caches their code. text begins progress messages.
func (r *comparing) setups(seed uint64, objects *sim.ObjectCache, text string) (all [2]compare.Setup) {
	for i, d := range r.programs {
		var progress func(done, total int)
		if r.Progress != nil {
			progress = func(done, total int) {
				r.Progress(fmt.Sprintf("%c, %s%d of %d work-groups", 'a'+i, text, done, total))
			}
		}
		o := &spec.Options{Seed: seed, Objects: objects, Progress: progress}
		if all[i] = compare.SetupOf(d.Program(o)); r.setup != nil {
			all[i] = r.setup(d, o)
		}
	}
	return all
}

// batch is the number of seeds that run before their results are examined.
const batch = 64

// search tries seeds until one of them differs or cannot run. It finds the lowest such seed, whatever the number of
// jobs. A difference takes precedence over faults of both programs.
func (r *comparing) search(ctx context.Context, res *Comparison, seeds int) error {
	var fault *Comparison // the first input on which both programs fault
	for first := 0; first < seeds; first += batch {
		all, errs, err := r.try(ctx, first, min(first+batch, seeds), seeds)
		if err != nil {
			return err
		}
		for i, got := range all {
			n := first + i
			switch {
			case errs[i] != nil && ctx.Err() == nil && n > 0:
				return fmt.Errorf("seed %d: %w", n, errs[i])
			case errs[i] != nil:
				return errs[i]
			case got.Difference == nil:
				for side := range got.Effects {
					res.Effects[side].Add(&got.Effects[side])
					res.Instructions[side] += got.Instructions[side]
				}
				res.Tolerated += got.Tolerated
				res.Contracted += got.Contracted
				continue
			case !got.bothFault():
				res.Result, res.Unfused, res.Contracted = got.Result, got.Unfused, 0
				res.Seed, res.Runs = uint64(n), n+1
				return nil
			case fault == nil:
				fault, got.Seed = got, uint64(n)
			}
		}
	}
	if fault != nil {
		res.Result, res.Seed, res.Contracted = fault.Result, fault.Seed, 0
	}
	return nil
}

// bothFault reports whether both programs fault.
func (r *Comparison) bothFault() bool {
	return r.Difference != nil && r.Difference.A.Fault != nil && r.Difference.B.Fault != nil
}

// try compares the programs in parallel for the seeds in [first, end). Seeds after one that differs or cannot run may
// lack a result.
func (r *comparing) try(ctx context.Context, first, end, seeds int) (all []*Comparison, errs []error, err error) {
	all, errs = make([]*Comparison, end-first), make([]error, end-first)
	var decided atomic.Bool
	var group errgroup.Group
	group.SetLimit(cmp.Or(max(r.Jobs, 0), runtime.GOMAXPROCS(0)))
	for i := range all {
		if decided.Load() {
			break
		}
		group.Go(func() (err error) {
			defer crash.Guard(&err)
			text := ""
			if seeds > 1 {
				text = fmt.Sprintf("input %d of %d, ", first+i+1, seeds)
			}
			all[i], errs[i] = r.compare(ctx, uint64(first+i), text)
			if errs[i] != nil || all[i].Difference != nil && !all[i].bothFault() {
				decided.Store(true)
			}
			return nil
		})
	}
	return all, errs, group.Wait()
}

// compare compares the programs for a seed. If elements differ and contraction may be the cause, a run without fused
// multiply-adds decides, unless a program faults in that run. text begins the progress messages.
func (r *comparing) compare(ctx context.Context, seed uint64, text string) (*Comparison, error) {
	setups := r.setups(seed, r.Objects, text)
	got, err := compare.Programs(ctx, setups[0], setups[1])
	if err != nil {
		return nil, err
	}
	res := &Comparison{Result: *got}
	if d := got.Difference; !r.Contract || d == nil || d.Faulted {
		return res, nil
	}
	setups = r.setups(seed, r.unfused, text+"without fused multiply-adds, ")
	plain, err := compare.Programs(ctx, setups[0], setups[1])
	switch {
	case err != nil:
		return nil, err
	case plain.Difference == nil:
		res.Difference, res.Contracted = nil, got.Difference.Elements
	case !plain.Difference.Faulted:
		res.Difference, res.Unfused = plain.Difference, true
	}
	return res, nil
}
