// Package verdict decides whether two programs do the same. [Diff] runs two dispatches on each of their inputs and
// compares what they leave. [DiffObjects] compares the kernels of two code objects, and [GroupObjects] the kernels of
// several. The launches are made from the metadata, see [Launches], and from comments of the source, see [ParseHints].
// [Reduce] makes the input on which two dispatches differ small. The commands diff, reduce and hunt run these.
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
	// Seeds is how many inputs are tried: as many seeds of random data, from those of the dispatches
	// on. 0 is 1.
	Seeds int
	// Jobs is how many inputs are tried at a time; 0 is one for each CPU.
	Jobs int
	// Objects, if not nil, keeps code objects and what is decoded of them for later comparisons.
	Objects *sim.ObjectCache
	// Contract lets differences pass that come from fused multiply-adds: programs that differ run again with a
	// product and a sum, each rounded, in place of each, and that result counts.
	Contract bool
	// Progress, if not nil, is told in a few words how far the comparison is. It may be called by
	// several goroutines at a time.
	Progress func(text string)

	// setup says how a dispatch begins, nil as [spec.Dispatch.Program] does.
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

// Comparison is what comparing two dispatches came to. The effects are the effects of all runs.
type Comparison struct {
	compare.Result
	Runs int // inputs that were tried, up to the one that differs
	// Seed is what was added to the seeds of the input that Difference is about.
	Seed uint64
	// Contracted is how many elements differ, beyond tolerances, by contraction of floating point alone.
	Contracted int
	// Unfused: Difference is one of runs with products and sums in place of fused multiply-adds.
	Unfused bool
	nans    bool // the one tolerance: NaNs are alike
	// Varies are the elements of which the dispatches, a and b, leave one or another by the
	// order in which work-groups run, nil where there are none.
	Varies [2]*compare.Element
}

// KeyError says that [Diff] or [Reduce] takes no such field of a dispatch, or not with such a value.
type KeyError struct {
	Key string // of the field, as in expect[0].ulp
	Err error  // what is wrong and what to do
}

// Error names the key.
func (e *KeyError) Error() string { return fmt.Sprintf("%s: %v", e.Key, e.Err) }

// Unwrap returns what is wrong.
func (e *KeyError) Unwrap() error { return e.Err }

// comparing is a comparison that runs.
type comparing struct {
	*DiffOptions
	programs [2]*spec.Dispatch
	unfused  *sim.ObjectCache // for runs without fused multiply-adds
}

// check refuses what a comparison would ignore.
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

// ambiguous returns the error that an argument is to be compared as elements of two types.
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

// tolerances returns what d expects with a tolerance, without the contents.
func tolerances(d *spec.Dispatch) (all []spec.Expect) {
	for _, s := range d.Expect {
		if tolerant(&s) {
			s.Want, s.File = nil, ""
			all = append(all, s)
		}
	}
	return all
}

// Diff runs two dispatches that should do the same, on each input, and says whether they leave the
// same in all buffers: bit for bit, but within the tolerances of Expect. The error says what is wrong
// with a dispatch, is a *[KeyError], a *[compare.SetupError] or the error of ctx.
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

// aligned returns dispatches of a driver with the arguments first of which something is expected, which alone are
// compared, and as many arguments each: there may be more of the others in one of them.
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

// compareOnly is [Diff] without [Comparison].Varies, which [comparing.reorder] adds.
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

// reorder runs programs that leave the same with their work-groups in another order.
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

// setups returns how both dispatches begin with an input, decoded by objects. What progress is told begins with a text.
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

// batch is how many seeds are tried before their results are looked at.
const batch = 64

// search tries seeds until one differs or cannot run. It finds the lowest one, however many run at a time. A difference
// counts more than faults of both programs.
func (r *comparing) search(ctx context.Context, res *Comparison, seeds int) error {
	var fault *Comparison // the first one of both
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

// try compares the programs with the seeds from first to below end, several at a time. Those behind one that differs or
// cannot run need not have a result.
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

// compare compares the programs with a seed. If elements differ and contraction may be why, what the programs do
// without fused multiply-adds decides, unless one of them faults then. What progress is told begins with a text.
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
