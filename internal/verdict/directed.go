package verdict

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/internal/sim/hidden"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// This file makes launches that are directed by the code of a kernel. They follow the launches of random data: scalars
// take extreme values, data have special values, and operands of comparisons are made equal. Each directed launch is a
// copy of another launch, its base, with a few changes.

// change changes an argument, or another input, of a launch. The launch owns its arguments.
type change func(l *pairRun)

// director makes directed launches.
type director struct {
	*kernelCase
	ctx      context.Context
	pair     [2]*part
	res      *KernelComparison
	bases    []*pairRun // each with a limit of instructions for a wave of launches made from it
	outcomes [2]compare.Outcomes
	scalars  []input
	buffers  []input      // arguments with random data: all elements, whose type is a guess
	reads    map[int]bool // buffers of a base from which it has loaded

	launches, more int // directed launches made, and how many are allowed beyond [maxDirected]
	dismissed      int
	overflowed     int    // launches whose results differ and in which signed numbers overflow
	work, most     uint64 // executed instructions and their limit
	session        *compare.Session
	solves         bool // somebody needs the operands of comparisons of each launch
	probes         []probed
}

// Limits for the directed launches of a kernel.
const (
	maxDirected   = 120
	maxLookedUp   = 24 // more launches, for outcomes that no comparison has had
	maxBases      = 4
	baseGroups    = 2 // work-groups of a base in the first dimension
	maxOpened     = 4
	maxDismissed  = 6    // launches whose results differ but do not count
	maxOverflowed = 12   // launches whose results differ and in which signed numbers overflow
	maxWork       = 120  // instructions of all launches, as a multiple of those of the base
	wavesLimit    = 2    // instructions of one wave, as a multiple of those of all waves of a base
	waveLeast     = 4096 // added to the limit of instructions of one wave
	maxNear       = 1 << 16
	maxIdle       = 8 // consecutive launches without a new outcome, after which comparisons are no longer recorded
)

// direct compares the programs on directed launches and adds the results to res. The error comes from ctx.
func (r *kernelCase) direct(ctx context.Context, pair [2]*part, res *KernelComparison) error {
	x := &director{kernelCase: r, ctx: ctx, pair: pair, res: res, scalars: scalarsOf(r.launcher), reads: map[int]bool{}}
	x.solves = true
	x.findBases()
	x.solves = false
	if len(x.bases) == 0 || res.Difference != nil {
		return ctx.Err()
	}
	args := codeobj.Explicit(r.launcher.kernel)
	for n, a := range x.bases[0].dispatch.Args {
		_, given := r.launcher.known.arg(args[n], n)
		if !given && (a.Buffer != nil && a.Buffer.Random != nil || a.Image != nil && a.Image.Random != nil) {
			as, known := element.Named(args[n].TypeName)
			x.buffers = append(x.buffers, input{n, everywhere, as, known})
		}
	}
	first := len(x.bases)
	x.special(x.bases)
	x.walk(x.bases, 0, firstValues)
	x.sizes(x.bases[0])
	x.offset(x.bases[0])
	x.overlap(x.bases[0])
	x.probe(x.bases[0])
	for n := first; n < len(x.bases); n++ {
		opened := x.bases[n : n+1]
		x.special(opened)
		x.probe(x.bases[n])
		x.walk(opened, 0, firstValues)
	}
	x.walk(x.bases[:first], firstValues, math.MaxInt)
	x.climb(x.bases[0])
	x.lookUp()
	for i := range x.outcomes {
		res.tried.compared(string(rune('a'+i)), &x.outcomes[i])
	}
	return ctx.Err()
}

// baseOrder lists launches of random data in the order in which they become bases. The first four have small numbers,
// numbers of all sizes, special values, and floats where the type of data is unknown. The others replace missing ones.
var baseOrder = [...]int{0, 2, 3, 1, 4, 5, 6, 7, 8, 9}

// findBases runs the bases to record their comparisons and the number of instructions of their waves.
func (x *director) findBases() {
	for _, i := range baseOrder {
		if i >= len(x.res.counted) || x.res.counted[i] == nil || len(x.bases) == maxBases {
			continue
		}
		of := x.res.counted[i]
		d := *of.dispatch
		if x.launcher.known.Grid == [3]uint32{} { // one or two waves show the effect of a value
			d.Grid[0] = min(d.Grid[0], baseGroups*max(d.Group[0], 1))
		}
		x.most += maxWork * (of.result.Instructions[0] + of.result.Instructions[1]) / maxBases
		b := &pairRun{dispatch: &d, drawn: of.drawn}
		l := x.launch(b)
		got, err := x.run(l)
		switch {
		case err != nil:
			return
		case got.Difference == nil:
			d.MaxInstructions = min(d.MaxInstructions, waveLeast+wavesLimit*got.Instructions[0])
			x.bases = append(x.bases, b)
			for n, b := range x.session.Buffers {
				x.reads[n] = x.reads[n] || b != nil && (x.outcomes[0].Loads(b) || x.outcomes[1].Loads(b))
			}
		case got.Difference.A.Fault == nil && !isLimit(got.Difference.B.Fault): // the smaller grid shows a difference
			if x.judge(l); x.res.Difference != nil {
				return
			}
		}
	}
}

// over reports whether no more launches are to be made.
func (x *director) over() bool {
	return x.ctx.Err() != nil || x.res.Difference != nil || len(x.res.Findings[1]) > 0 ||
		x.launches >= maxDirected+x.more || x.work > x.most || x.dismissed >= maxDismissed || x.overflowed >= maxOverflowed
}

// launch copies a base and applies changes to the copy.
func (x *director) launch(b *pairRun, changes ...change) *pairRun {
	d := *b.dispatch
	d.Args = slices.Clone(d.Args)
	l := &pairRun{dispatch: &d, drawn: maps.Clone(b.drawn)}
	for _, c := range changes {
		c(l)
	}
	return l
}

// run runs both programs. It records their comparisons if a probe needs them, or if recent launches had new outcomes.
func (x *director) run(l *pairRun) (*compare.Result, error) {
	var setups [2]compare.Setup
	l.dispatch.Expect = x.tolerances(l.dispatch)
	begin := x.setup(l.drawn)
	for i, d := range []*spec.Dispatch{l.dispatch, l.other(x.pair[1])} {
		setup := begin(d, &spec.Options{Objects: x.Objects})
		setups[i] = func() (*compare.Session, error) {
			s, err := setup()
			if err == nil && (x.solves || x.outcomes[i].Idle < maxIdle) {
				err = s.Launch.Watch(&x.outcomes[i])
			}
			if i == 0 {
				x.session = s
			}
			return s, err
		}
	}
	got, err := compare.Glance(x.ctx, setups[0], setups[1])
	if err == nil {
		x.work += got.Instructions[0] + got.Instructions[1]
	}
	return got, err
}

// try compares both programs on a launch made from a base, and reports whether the launch counts. It does not count if
// the first program faults, needs far more instructions than the base, or does what its source leaves undefined.
func (x *director) try(b *pairRun, changes ...change) bool {
	if x.over() {
		return false
	}
	x.launches++
	l := x.launch(b, changes...)
	got, err := x.run(l)
	for n := 0; err == nil && n < maxGrowth && got.Difference != nil && x.grows(l, got.Difference.A.Fault); n++ {
		got, err = x.run(l)
	}
	if err != nil || got.Difference != nil && (got.Difference.A.Fault != nil || isLimit(got.Difference.B.Fault)) {
		x.res.tried.not++
		return false
	}
	if got.Difference != nil {
		return x.judge(l)
	}
	l.effect, l.result = &got.Effects[0], &Comparison{Result: *got, Runs: 1}
	if executesAll(&x.res.Effects[0], l.effect) && executesAll(&x.res.Effects[1], &got.Effects[1]) {
		x.take(l, x.pair, x.res)
		return true
	}
	counts := x.judge(l)
	if counts && len(x.bases) < maxBases+maxOpened {
		x.bases = append(x.bases, l)
	}
	return counts
}

func isLimit(f *state.Fault) bool { return f != nil && f.Kind == state.FaultLimit }

// grows enlarges a buffer of l if f is an access close behind its end. It changes no buffer that a hint gives.
func (x *director) grows(l *pairRun, f *state.Fault) bool {
	if f == nil || f.Kind != state.FaultMemory {
		return false
	}
	n, size, ok := behind(x.session, f.Addr, maxNear)
	if !ok || l.dispatch.Args[n].Buffer == nil {
		return false
	}
	if _, given := x.launcher.known.arg(codeobj.Explicit(x.launcher.kernel)[n], n); given {
		return false
	}
	b := *l.dispatch.Args[n].Buffer
	b.Size = size
	delete(l.drawn, n)
	l.dispatch.Args[n].Buffer = &b
	return size <= guessMost
}

// judge compares both programs on a launch as on launches of random data, and reports whether the launch counts.
// It is called if the results differ, or if the launch executes instructions for the first time.
func (x *director) judge(l *pairRun) bool {
	found, _, err := x.findingsOf(x.ctx, l.dispatch, launchKinds, l.drawn)
	if err == nil && len(found) == 0 {
		err = x.compareBoth(x.ctx, l, x.pair)
	}
	if err != nil || len(found) > 0 || l.undefined() != "" {
		x.dismissed++
	} else if d := l.result.Difference; d == nil || d.A.Fault == nil && !isLimit(d.B.Fault) {
		text, overflows := x.overflow(l, d)
		if !overflows {
			x.take(l, x.pair, x.res)
			return true
		}
		x.res.overflow = fmt.Sprintf("results differ on no launch but those where signed numbers overflow, which C leaves "+
			"undefined (%s); give arguments with --arg, or a GCNSIM: comment", text)
		x.overflowed++
	}
	x.res.tried.not++
	return false
}

// overflow returns an instruction in a's slice of d whose result overflows a signed 32-bit number. ok is false if there
// is no such instruction, or if the operands are known to be unsigned. The slice of b is ignored: it overflows, too, if
// code changed from signed to unsigned numbers. If a stored nothing, or b faults, there is no slice of a; then all
// instructions of a are examined.
func (x *director) overflow(l *pairRun, d *compare.Difference) (text string, ok bool) {
	if d == nil {
		return "", false
	}
	reads, signed := false, false
	args := codeobj.Explicit(x.launcher.kernel)
	for i, half := range []*compare.Half{&d.A, &d.B} {
		for at := range half.Slice {
			s := &half.Slice[at]
			if s.Overflows && text == "" && i == 0 {
				text = fmt.Sprintf("a: %#x  %s", uint64(s.PC), s.Text)
			}
			for _, m := range s.Memory {
				as, known := element.Named(args[m.Arg].TypeName)
				reads, signed = true, signed || !known || element.Of(as).Signed
			}
		}
	}
	if d.Faulted || d.A.Store == nil {
		if text = compare.Overflow(x.ctx, x.setup(l.drawn)(l.dispatch, &spec.Options{Objects: x.Objects})); text != "" {
			text = "a: " + text
		}
	}
	if !reads {
		signed = slices.ContainsFunc(x.scalars, func(s input) bool { return !s.known || element.Of(s.as).Signed })
	}
	return text, text != "" && signed
}

// launchKinds are findings of the first program which show that a launch is not a valid input.
var launchKinds = []string{string(check.Uninit), string(check.Race), string(check.OutOfRange)}

// oddGroups has, for each number of dimensions, work-groups whose sizes are not powers of two.
var oddGroups = [...][][3]uint32{{{100, 1, 1}, {155, 1, 1}, {27, 1, 1}}, {{10, 9, 1}, {5, 22, 1}, {3, 7, 1}},
	{{5, 3, 6}, {2, 5, 3}}}

// sizes tries odd work-groups if a user may choose the work-group. The grid has at most as many work-items as the base.
func (x *director) sizes(b *pairRun) {
	k, known := x.launcher.kernel, x.launcher.known
	if k.ReqdGroupSize[0] != 0 || known.Group != [3]uint32{} || known.Grid != [3]uint32{} {
		return
	}
	for _, group := range oddGroups[x.launcher.dims-1] {
		size := group[0] * group[1] * group[2]
		if n := uint32(workItems(b.dispatch.Grid)) / size; n > 0 && (k.MaxFlatGroupSize == 0 || size <= k.MaxFlatGroupSize) {
			grid := [3]uint32{n * group[0], group[1], group[2]}
			x.try(b, func(l *pairRun) { l.dispatch.Group, l.dispatch.Grid = group, grid })
		}
	}
}

// workItems returns the number of work-items in a grid or a work-group.
func workItems(of [3]uint32) uint64 {
	return uint64(max(of[0], 1)) * uint64(max(of[1], 1)) * uint64(max(of[2], 1))
}

// offset tries global offsets if the kernel reads one: small ones, then high bits in each dimension.
func (x *director) offset(b *pairRun) {
	var small [3]uint64
	for _, a := range x.launcher.kernel.Args {
		if axis := int(a.Kind) - int(hidden.GlobalOffsetX); axis >= 0 && axis < x.launcher.dims {
			small[axis] = uint64(axis + 1)
		}
	}
	if small == [3]uint64{} || x.launcher.known.Grid != [3]uint32{} {
		return
	}
	x.try(b, func(l *pairRun) { l.dispatch.Offset = small })
	for _, offset := range [...]uint64{1<<20 | 1<<8, 1<<31 | 1<<16 | 64} {
		for axis := range small {
			if small[axis] > 0 {
				x.try(b, func(l *pairRun) { l.dispatch.Offset[axis] = offset })
			}
		}
	}
}
