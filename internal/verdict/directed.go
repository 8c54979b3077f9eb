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

// This file makes launches that the code of a kernel directs, after those of random data: scalars take their extreme
// values, data have special ones, and what is compared is made equal. Each of them is another launch, its base, with a
// few changes.

// base is a launch that others are made from.
type base struct {
	dispatch *spec.Dispatch // with the instructions that a wave of a launch may execute which is made from it
	drawn    drawn
}

// change changes an argument, or what else a user gives, of a launch whose arguments are its own.
type change func(l *pairRun)

// director makes directed launches.
type director struct {
	*kernelCase
	ctx      context.Context
	pair     [2]*part
	res      *KernelComparison
	bases    []*base
	outcomes [2]compare.Outcomes
	scalars  []valueArg
	buffers  []int // the arguments that are buffers or images of random data
	elements []spec.Element
	reads    map[int]bool // the arguments that are buffers a base has loaded from
	typed    []bool

	launches, dismissed int
	overflowed          int    // launches whose results differ and where signed numbers overflow
	work, most          uint64 // instructions
	watches             bool   // the next launch
	session             *compare.Session
}

// Directed launches: of a kernel, made from launches of random data, and from launches that opened code.
const (
	maxDirected   = 120
	maxBases      = 4
	baseGroups    = 2 // work-groups of a base, in the first dimension
	maxOpened     = 4
	maxDismissed  = 6    // launches whose results differ and count for nothing
	maxOverflowed = 12   // launches whose results differ and where signed numbers overflow
	maxWork       = 120  // times the instructions of a base
	wavesLimit    = 8    // times the instructions of a wave of a base that one may execute
	waveLeast     = 4096 // instructions that it may execute at least
	maxNear       = 1 << 16
)

// direct compares the programs on directed launches. What it finds is in res. The error comes from ctx.
func (r *kernelCase) direct(ctx context.Context, pair [2]*part, res *KernelComparison) error {
	x := &director{kernelCase: r, ctx: ctx, pair: pair, res: res, elements: r.launcher.elements(),
		typed: r.launcher.typed(), reads: map[int]bool{}}
	x.scalars = scalarsOf(r.launcher)
	x.findBases()
	if len(x.bases) == 0 || res.Difference != nil {
		return ctx.Err()
	}
	for n, a := range x.bases[0].dispatch.Args {
		if !r.launcher.isGiven(n) && (a.Buffer != nil && a.Buffer.Random != nil || a.Image != nil && a.Image.Random != nil) {
			x.buffers = append(x.buffers, n)
		}
	}
	first := len(x.bases)
	x.special(x.bases)
	x.walk(x.bases, 0, firstValues)
	x.sizes(x.bases[0])
	x.offset(x.bases[0])
	x.probe(x.bases[0])
	for n := first; n < len(x.bases); n++ {
		opened := x.bases[n : n+1]
		x.special(opened)
		x.probe(x.bases[n])
		x.walk(opened, 0, firstValues)
	}
	x.walk(x.bases[:first], firstValues, math.MaxInt)
	x.climb(x.bases[0])
	for i := range x.outcomes {
		both, all := x.outcomes[i].Both()
		res.tried.both[i], res.tried.comparisons[i] = both, all
	}
	return ctx.Err()
}

// baseOrder are the launches of random data that bases are: one with small numbers, one with numbers of all sizes, one
// with special values, and one that takes data of unknown type for floats. Others follow where one of these is missing.
var baseOrder = []int{0, 2, 3, 1}

// findBases runs the bases, to see what they compare and how many instructions their waves need.
func (x *director) findBases() {
	order := append(slices.Clone(baseOrder), 4, 5, 6, 7, 8, 9)
	for _, i := range order {
		if i >= len(x.res.counted) || x.res.counted[i] == nil || len(x.bases) == maxBases {
			continue
		}
		l := x.res.counted[i]
		d := *l.dispatch
		b := &base{&d, l.drawn}
		if x.launcher.known.Grid == [3]uint32{} { // a wave or two show what a value does
			d.Grid[0] = min(d.Grid[0], baseGroups*max(d.Group[0], 1))
		}
		work := l.result.Instructions[0] + l.result.Instructions[1]
		x.most += maxWork * work / maxBases
		most := d.MaxInstructions
		d.MaxInstructions = min(most, waveLeast+wavesLimit*l.result.Instructions[0]/waves(&d))
		for {
			x.watches = true
			l := x.launch(b)
			got, err := x.run(l)
			if err != nil {
				return
			}
			if d := got.Difference; d != nil && d.A.Fault == nil && !isLimit(d.B.Fault) { // the smaller grid tells
				if x.judge(l); x.res.Difference != nil {
					return
				}
				break
			}
			if got.Difference == nil {
				x.bases = append(x.bases, b)
				for n, buffer := range x.session.Buffers {
					x.reads[n] = x.reads[n] || buffer != nil && (x.outcomes[0].Loads(buffer) || x.outcomes[1].Loads(buffer))
				}
				break
			}
			if d.MaxInstructions >= most {
				break
			}
			d.MaxInstructions = min(most, d.MaxInstructions*wavesLimit)
		}
	}
}

// waves returns how many waves a launch has.
func waves(d *spec.Dispatch) uint64 {
	n, items := uint64(1), uint64(1)
	for axis, size := range d.Group {
		size = max(size, 1)
		n *= uint64((max(d.Grid[axis], 1) + size - 1) / size)
		items *= uint64(size)
	}
	return n * ((items + state.NumLanes - 1) / state.NumLanes)
}

// over reports whether no more launches are made.
func (x *director) over() bool {
	return x.ctx.Err() != nil || x.res.Difference != nil || len(x.res.Findings[1]) > 0 || x.launches >= maxDirected ||
		x.work > x.most || x.dismissed >= maxDismissed || x.overflowed >= maxOverflowed
}

// launch returns a launch made from a base.
func (x *director) launch(b *base, changes ...change) *pairRun {
	d := *b.dispatch
	d.Args = slices.Clone(d.Args)
	l := &pairRun{dispatch: &d, drawn: maps.Clone(b.drawn)}
	for _, c := range changes {
		c(l)
	}
	d.Expect = x.tolerances(&d)
	return l
}

// run runs both programs.
func (x *director) run(l *pairRun) (*compare.Result, error) {
	other := *l.dispatch
	other.Object, other.Name = x.pair[1].data, x.pair[1].name
	other.MaxInstructions *= slower
	watches := x.watches
	x.watches = false
	var setups [2]compare.Setup
	begin := x.setup(l.drawn)
	for i, d := range []*spec.Dispatch{l.dispatch, &other} {
		setup := begin(d, &spec.Options{Objects: x.Objects})
		setups[i] = func() (*compare.Session, error) {
			s, err := setup()
			if err == nil && watches {
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

// watch is [director.try] of a launch whose comparisons are looked at.
func (x *director) watch(b *base, changes ...change) bool {
	x.watches = true
	return x.try(b, changes...)
}

// try compares both programs on a launch made from a base, and reports whether it counts. A launch counts for nothing
// if the first program faults, needs far more instructions than the base, or does what its source leaves undefined.
func (x *director) try(b *base, changes ...change) bool {
	if x.over() {
		x.watches = false
		return false
	}
	x.launches++
	watches := x.watches
	l := x.launch(b, changes...)
	got, err := x.run(l)
	for range maxGrowth {
		if err != nil || got.Difference == nil || !x.grows(l, got.Difference.A.Fault) {
			break
		}
		x.watches = watches
		got, err = x.run(l)
	}
	switch {
	case err != nil:
		x.res.tried.not++
		return false
	case got.Difference == nil:
		l.effect, l.result = &got.Effects[0], &Comparison{Result: *got, Runs: 1}
		if executesAll(&x.res.Effects[0], l.effect) && executesAll(&x.res.Effects[1], &got.Effects[1]) {
			x.take(l, x.pair, x.res)
			return true
		}
		if x.judge(l) {
			if len(x.bases) < maxBases+maxOpened {
				x.bases = append(x.bases, &base{l.dispatch, l.drawn})
			}
			return true
		}
		return false
	case got.Difference.A.Fault != nil, isLimit(got.Difference.B.Fault):
		x.res.tried.not++
		return false
	}
	return x.judge(l)
}

func isLimit(f *state.Fault) bool { return f != nil && f.Kind == state.FaultLimit }

// grows makes a buffer of l larger, not one that somebody has given, if f is an access close behind its end.
func (x *director) grows(l *pairRun, f *state.Fault) bool {
	if f == nil || f.Kind != state.FaultMemory {
		return false
	}
	n, size, ok := behind(x.session, f.Addr, maxNear)
	if !ok {
		return false
	}
	if x.launcher.isGiven(n) || l.dispatch.Args[n].Buffer == nil {
		return false
	}
	b := *l.dispatch.Args[n].Buffer
	b.Size = size
	delete(l.drawn, n)
	l.dispatch.Args[n].Buffer = &b
	l.dispatch.Expect = x.tolerances(l.dispatch)
	return size <= guessMost
}

// judge compares both programs on a launch whose results differ, or that executes what no launch before it did, as it
// is done with launches of random data, and reports whether it counts.
func (x *director) judge(l *pairRun) bool {
	found, _, err := x.findingsOf(x.ctx, l.dispatch, launchKinds, l.drawn)
	if err == nil && len(found) == 0 {
		err = x.compareBoth(x.ctx, l, x.pair)
	}
	if err != nil || len(found) > 0 || l.undefined() != "" {
		x.dismissed++
		x.res.tried.not++
		return false
	}
	if d := l.result.Difference; d != nil && (d.A.Fault != nil || isLimit(d.B.Fault)) {
		x.res.tried.not++
		return false
	}
	if text, overflows := x.overflow(l.result.Difference); overflows {
		x.res.overflow = fmt.Sprintf("results differ on no launch but those where signed numbers overflow, which C leaves "+
			"undefined (%s); give arguments with --arg, or a GCNSIM: comment", text)
		x.overflowed++
		x.res.tried.not++
		return false
	}
	x.take(l, x.pair, x.res)
	return true
}

// overflow returns an instruction of a's slice in d that computes a number which signed numbers of 32 bits do not hold.
// ok is false without such an instruction, or if it computes with numbers that are known to be unsigned. The slice of b
// does not count: a change from signed to unsigned numbers has such instructions there, too.
func (x *director) overflow(d *compare.Difference) (text string, ok bool) {
	if d == nil {
		return "", false
	}
	reads, signed := false, false
	for i, half := range []*compare.Half{&d.A, &d.B} {
		for at := range half.Slice {
			s := &half.Slice[at]
			if s.Overflows && text == "" && i == 0 {
				text = fmt.Sprintf("a: %#x  %s", s.PC-half.Base, s.Text)
			}
			for _, m := range s.Memory {
				reads = true
				signed = signed || !x.typed[m.Arg] || element.Of(x.elements[m.Arg]).Signed
			}
		}
	}
	if !reads {
		signed = slices.ContainsFunc(x.scalars, func(s valueArg) bool { return !s.known || element.Of(s.as).Signed })
	}
	return text, text != "" && signed
}

// launchKinds are findings of the first program that say that a launch is no input for it.
var launchKinds = []string{string(check.Uninit), string(check.Race), string(check.OutOfRange)}

// isGiven reports whether a hint gives explicit argument n.
func (s *launcher) isGiven(n int) bool {
	_, given := s.known.arg(explicit(s.kernel)[n], n)
	return given
}

// oddGroups are work-groups whose sizes have other bits than powers of two, by dimension.
var oddGroups = [...][][3]uint32{{{100}, {155}, {27}}, {{10, 9}, {5, 22}, {3, 7}}, {{5, 3, 6}, {2, 5, 3}}}

// sizes launches odd work-groups, where a user chooses them. The grid has at most the work-items of the base.
func (x *director) sizes(b *base) {
	k, known := x.launcher.kernel, x.launcher.known
	if k.ReqdGroupSize[0] != 0 || known.Group != [3]uint32{} || known.Grid != [3]uint32{} {
		return
	}
	items := uint32(1)
	for _, n := range b.dispatch.Grid {
		items *= max(n, 1)
	}
	for _, group := range oddGroups[x.launcher.dims-1] {
		size := uint32(1)
		for axis := range group {
			group[axis] = max(group[axis], 1)
			size *= group[axis]
		}
		if n := items / size; n > 0 && (k.MaxFlatGroupSize == 0 || size <= k.MaxFlatGroupSize) {
			grid := group
			grid[0] *= n
			x.try(b, func(l *pairRun) { l.dispatch.Group, l.dispatch.Grid = group, grid })
		}
	}
}

// offset gives kernels that read a global offset some: small ones, then high bits in each dimension.
func (x *director) offset(b *base) {
	reads := func(axis int) bool {
		return slices.ContainsFunc(x.launcher.kernel.Args, func(a codeobj.Arg) bool {
			return a.Kind == hidden.GlobalOffsetX+codeobj.ArgKind(axis)
		})
	}
	var small [3]uint64
	for axis := range x.launcher.dims {
		if reads(axis) {
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

// setBuffer returns the change of a buffer to other data.
func setBuffer(n int, data *spec.Random, format string) change {
	return func(l *pairRun) {
		if a := l.dispatch.Args[n]; a.Image != nil {
			image := *a.Image
			image.Random = data
			if format != "" {
				image.Format = format
			}
			l.dispatch.Args[n].Image = &image
			return
		}
		b := *l.dispatch.Args[n].Buffer
		b.Random = data
		delete(l.drawn, n)
		l.dispatch.Args[n].Buffer = &b
	}
}
