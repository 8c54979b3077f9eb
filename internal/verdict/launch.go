package verdict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"reflect"
	"slices"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/state"
)

// LaunchOptions say how launches of a kernel are derived from its metadata. The zero value has the
// defaults.
type LaunchOptions struct {
	Launches int // number of launches; 0 means [DefaultLaunches]
	// Hints are facts about kernels that the metadata do not contain. If several hints are about the same
	// kernel, later hints take precedence.
	Hints []Hint
	// MaxInstructions is the limit of instructions for a wave of a launch. 0 means 1048576.
	MaxInstructions uint64
}

// DefaultLaunches is the number of launches that [Launches] and [DiffObjects] make for a kernel.
const DefaultLaunches = 10

// withDefaults returns a copy of o with the defaults; o may be nil.
func (o *LaunchOptions) withDefaults() LaunchOptions {
	var all LaunchOptions
	if o != nil {
		all = *o
	}
	if all.Launches <= 0 {
		all.Launches = DefaultLaunches
	}
	if all.MaxInstructions == 0 {
		all.MaxInstructions = guessInstructions
	}
	return all
}

// hint returns the hints about a kernel, merged into one.
func (o *LaunchOptions) hint(kernel string) *Hint {
	known := &Hint{Args: map[string]spec.Arg{}}
	for i := range o.Hints {
		if h := &o.Hints[i]; h.Kernel == "" || h.Kernel == kernel {
			known.overrule(h)
		}
	}
	return known
}

// Launches makes launches of a kernel. object is a code object, the contents of the file called name. Launches runs
// the kernel to find what the metadata do not contain: it enlarges buffers until no access is behind their ends,
// and tries small numbers and lengths of the launch for integers. Launches that execute additional instructions
// come first. Launches differ in grid, work-group and data. left has the reasons for missing launches. The error
// says that there is no such kernel, or is the error of ctx.
func Launches(ctx context.Context, object []byte, name, kernel string, o *LaunchOptions) (all []*spec.Dispatch,
	left []string, err error) {
	parsed, err := codeobj.Parse(object)
	if err != nil {
		return nil, nil, err
	}
	k, err := parsed.Kernel(kernel)
	if err != nil {
		return nil, nil, err
	}
	want := o.withDefaults()
	if err := unknownHint(want.Hints, parsed.Kernels); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	s := newLauncher(k, object, name, want, &sim.ObjectCache{})
	s.facts = factsOf(parsed, k)
	if err := s.learn(ctx); err != nil {
		return nil, nil, err
	}
	for i := range s.Launches {
		d, err := s.launch(ctx, i)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err != nil {
			left = append(left, err.Error())
			continue
		}
		all = append(all, d)
	}
	return all, left, nil
}

// launcher finds launches of a kernel.
type launcher struct {
	LaunchOptions
	kernel   *codeobj.Kernel
	object   []byte
	name     string
	known    *Hint
	full     bool // work-groups must be full
	dims     int  // number of dimensions of work-groups, see the function dimensions
	objects  *sim.ObjectCache
	facts    facts    // from the code of all programs
	choices  []choice // choices for integers come first
	integers int      // number of choices for integers

	// plans are the plans with which the kernel runs to its end. Each plan executes an instruction that earlier
	// plans do not execute, or stores something if they store nothing.
	plans []*plan
	union compare.Effect // union of the effects of all plans
	// defined has work-groups as keys. The value is true if the source defines a launch in them, false if it does not.
	defined map[[3]uint32]bool
	trials  int
	failed  error // error of the last plan with which the kernel did not run to its end
}

// Limits of a launcher: the plans that it tries, and the sizes of buffers in a plan.
const (
	maxTrials = 64
	maxGrowth = 48
)

func newLauncher(k *codeobj.Kernel, object []byte, name string, o LaunchOptions, objects *sim.ObjectCache) *launcher {
	return &launcher{LaunchOptions: o, kernel: k, object: object, name: name, known: o.hint(k.Name), full: k.UniformGroups,
		dims: dimensions(k), objects: objects, defined: map[[3]uint32]bool{}}
}

// choice is an argument that the metadata do not explain, with the quantities to try for it.
type choice struct {
	arg  int // index of the explicit argument
	like []quantity
}

// choose sets the choices of the kernel and returns the number of its explicit arguments.
func (s *launcher) choose() int {
	args := codeobj.Explicit(s.kernel)
	for n, a := range args {
		_, given := s.known.arg(a, n)
		switch {
		case given:
		case isNumber(a):
			s.choices = slices.Insert(s.choices, s.integers, choice{n, quantities})
			s.integers++
		case isDescriptor(a):
			s.choices = append(s.choices, choice{n, images})
		}
	}
	return len(args)
}

// learnInstructions is the first limit of instructions for a wave in the search for launches that store something.
// Launches with many instructions are slow, and most kernels also have short launches.
const learnInstructions = guessInstructions / 16

// learn finds plans. It begins with the same quantity for all integers. Then it varies one integer at a time
// until all instructions have been executed. The error comes from ctx.
func (s *launcher) learn(ctx context.Context) error {
	explicit := s.choose()
	most := s.MaxInstructions
	defer func() { s.MaxInstructions = most }()
	for _, s.MaxInstructions = range []uint64{min(learnInstructions, most), most} {
		for _, bound := range []int{0, 7, 1} { // largest integer in buffers; 0 means no bound
			if s.tryNumbers(ctx, explicit, bound); ctx.Err() != nil || len(s.plans) > 0 {
				break
			}
		}
		if ctx.Err() != nil || s.complete() {
			return ctx.Err()
		}
		if s.stores() {
			break
		}
	}
	defer s.sort()
	for at := 0; at < len(s.plans); at++ {
		for _, c := range s.choices {
			for _, q := range c.like {
				if s.try(ctx, s.plans[at].with(c.arg, q)); ctx.Err() != nil || s.complete() || s.trials >= maxTrials {
					return ctx.Err()
				}
			}
		}
	}
	return nil
}

// sort sorts plans by executed instructions, most first. It removes plans without memory to compare unless all lack it.
func (s *launcher) sort() {
	if slices.ContainsFunc(s.plans, func(p *plan) bool { return !p.bare }) {
		s.plans = slices.DeleteFunc(s.plans, func(p *plan) bool { return p.bare })
	}
	slices.SortStableFunc(s.plans, func(a, b *plan) int { return cmp.Compare(b.executes, a.executes) })
}

// tryNumbers tries plans with the same quantity for all integers and the same format for all images by value, until a
// plan stores something.
func (s *launcher) tryNumbers(ctx context.Context, explicit, most int) {
	formats := []quantity{{}}
	if len(s.choices) > s.integers {
		formats = append(formats, images...)
	}
	for _, f := range formats {
		for _, group := range s.groups() {
			for _, q := range quantities[:uniform] {
				q.image = f.image
				p := &plan{group: group, most: most, numbers: slices.Repeat([]quantity{q}, explicit)}
				if s.try(ctx, p); ctx.Err() != nil || s.stores() {
					return
				}
				if s.integers == 0 {
					break
				}
			}
		}
	}
}

// stores reports whether a plan makes the kernel store something.
func (s *launcher) stores() bool { return len(s.plans) > 0 && s.union.Stored() > 0 }

// complete reports whether the plans store something and execute all instructions of the kernel.
func (s *launcher) complete() bool {
	executed, all := s.union.Executed()
	return s.stores() && executed == all
}

// try runs a plan. It keeps the plan if the plan does something that earlier plans do not.
func (s *launcher) try(ctx context.Context, p *plan) {
	s.trials++
	l, err := s.run(ctx, p, 0)
	if err != nil {
		s.failed = err
		return
	}
	e := l.effect
	p.executes, _ = e.Executed()
	p.bare = !slices.ContainsFunc(l.dispatch.Args, func(a spec.Arg) bool { return a.Buffer != nil || a.Image != nil })
	before, _ := s.union.Executed()
	stored := s.stores()
	union := s.union
	union.Add(e)
	after, _ := union.Executed()
	if s.union = union; len(s.plans) > 0 && after == before && (stored || e.Stored() == 0) {
		return
	}
	if !stored && e.Stored() > 0 {
		s.plans = append([]*plan{p}, s.plans...)
		return
	}
	s.plans = append(s.plans, p)
}

// run runs launch i of a plan. It enlarges buffers while an access is behind the end of one.
func (s *launcher) run(ctx context.Context, p *plan, i int) (l *pairRun, err error) {
	for range maxGrowth {
		l = &pairRun{drawn: drawn{}}
		if l.dispatch, err = s.guess(p, i); err != nil {
			return l, err
		}
		var session *compare.Session
		l.effect, err = compare.Effects(ctx, func() (*compare.Session, error) {
			var err error
			session, err = l.drawn.session(l.dispatch, &spec.Options{Objects: s.objects})
			return session, err
		})
		fault, ok := errors.AsType[*state.Fault](err)
		if !ok || fault.Kind != state.FaultMemory || !p.grow(session, fault.Addr) {
			break
		}
	}
	return l, err
}

// grow enlarges the buffer before an address so that it contains the address. It reports whether there is such a
// buffer and the new size is allowed.
func (p *plan) grow(s *compare.Session, addr uint64) bool {
	nearest, size, ok := behind(s, addr, guessMost)
	if !ok {
		return false
	}
	if p.bytes = maps.Clone(p.bytes); p.bytes == nil {
		p.bytes = map[int]uint64{}
	}
	p.bytes[nearest] = size
	return size <= guessMost
}

// behind returns the nearest buffer that ends at or before an address and starts less than most bytes before it. size
// is a new size with which the buffer contains the address.
func behind(s *compare.Session, addr, most uint64) (nearest int, size uint64, ok bool) {
	if s == nil {
		return 0, 0, false
	}
	nearest = -1
	for n, b := range s.Buffers {
		if b != nil && addr >= b.Addr+b.Size && addr-b.Addr < most {
			nearest, most = n, addr-b.Addr
		}
	}
	if nearest < 0 {
		return 0, 0, false
	}
	return nearest, max(1<<bits.Len64(most), 2*s.Buffers[nearest].Size), true
}

// plain returns a copy of p for another work-group. All work-groups are full, integers in buffers are small, and
// lengths are exact in all launches.
func (p *plan) plain(group [3]uint32) *plan {
	plain := *p
	plain.group, plain.whole, plain.exact = group, true, true
	if p.most == 0 {
		plain.most = guessMax
	}
	return &plain
}

// launch returns launch i. It uses the first candidate with which the kernel runs to its end.
func (s *launcher) launch(ctx context.Context, i int) (d *spec.Dispatch, err error) {
	for _, p := range s.candidates(i) {
		var l *pairRun
		if l, err = s.run(ctx, p, i); err == nil || ctx.Err() != nil {
			return l.dispatch, err
		}
	}
	return nil, s.without(i, err)
}

// without returns the error for a launch i that ends with no candidate. err is the error of the last candidate.
func (s *launcher) without(i int, err error) error {
	if len(s.plans) == 0 {
		return fmt.Errorf("%d ways to choose numbers and sizes of buffers were tried; the last launch ended so: %w",
			s.trials, s.failed)
	}
	return fmt.Errorf("launch %d: %w", i+1, err)
}

// turn returns the plan of launch i. Each plan has one launch first. After these, every other launch uses the plan with
// the most instructions. n is the number of earlier launches that use the same plan.
func (s *launcher) turn(i int) (p *plan, n int) {
	at := func(i int) int {
		switch {
		case i < len(s.plans):
			return i
		case i%2 == 1:
			return 0
		}
		return i / 2 % len(s.plans)
	}
	for before := range i {
		if at(before) == at(i) {
			n++
		}
	}
	return s.plans[at(i)], n
}

// singleLaunch is the number of the launch whose work-groups are one work-item.
const singleLaunch = 6

// candidates returns plans for launch i without duplicates. The plan of the launch comes first: in the next work-group
// that suits the kernel, in full work-groups that the source defines, plain, in one work-group, and plain in other
// work-groups. Then come the other plans in these forms, and last plans with the same quantity for all integers.
func (s *launcher) candidates(i int) (all []*plan) {
	add := func(p *plan) {
		if !slices.ContainsFunc(all, func(q *plan) bool { return reflect.DeepEqual(p, q) }) {
			all = append(all, p)
		}
	}
	if len(s.plans) > 0 {
		first, n := s.turn(i)
		sizes := s.sizes()
		if i%DefaultLaunches == singleLaunch && s.kernel.ReqdGroupSize[0] == 0 && s.known.Group == [3]uint32{} {
			single := *first
			single.group, single.single = [3]uint32{1, 1, 1}, true
			add(&single)
		}
		other := *first
		other.group = sizes[(max(slices.Index(sizes, first.group), 0)+n)%len(sizes)]
		add(&other)
		whole := other
		whole.whole = true
		if fit := slices.DeleteFunc(slices.Clone(sizes), func(g [3]uint32) bool { return !s.defined[g] }); len(fit) > 0 {
			whole.group = fit[n%len(fit)]
		}
		add(&whole)
		for _, p := range append([]*plan{&other, first}, s.plans...) {
			add(p)
			add(p.plain(p.group))
			alone := p.plain(p.group)
			alone.alone = true
			add(alone)
			for _, size := range append(sizes, s.spare()...) {
				add(p.plain(size))
			}
		}
		for _, q := range quantities[:uniform] {
			same := first.plain(sizes[0])
			same.numbers = slices.Repeat([]quantity{q}, len(same.numbers))
			add(same)
		}
	}
	return all
}

// spare returns the spare work-groups that the kernel may have. They are tried if the kernel races or reads undefined
// values in all work-groups of sizes.
func (s *launcher) spare() (all [][3]uint32) {
	for _, g := range spareGroups {
		if s.kernel.ReqdGroupSize[0] == 0 && (s.kernel.MaxFlatGroupSize == 0 || g[0] <= s.kernel.MaxFlatGroupSize) {
			all = append(all, g)
		}
	}
	return all
}

// sizes returns the work-groups to try. It omits those in which the kernel races or reads undefined values, unless no
// others remain.
func (s *launcher) sizes() [][3]uint32 {
	all := s.groups()
	for _, g := range s.spare() {
		if s.defined[g] {
			all = append(all, g)
		}
	}
	fit := slices.DeleteFunc(slices.Clone(all), func(g [3]uint32) bool {
		return s.misfits(g)
	})
	if len(fit) == 0 {
		return all
	}
	return fit
}

// undefined records that the source does not define launch d. The cause is the work-group, or that the kernel requires
// full work-groups.
func (s *launcher) undefined(d *spec.Dispatch) {
	switch {
	case !s.defined[d.Group]:
		s.defined[d.Group] = false
	case d.Grid[0]%d.Group[0] != 0:
		s.full = true
	}
}

// misfits reports whether launches in a work-group were undefined and no launch in it was defined.
func (s *launcher) misfits(group [3]uint32) bool {
	defined, known := s.defined[group]
	return known && !defined
}
