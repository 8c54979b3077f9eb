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

// LaunchOptions say how launches of a kernel are made of what its metadata tell. The zero value is the
// default.
type LaunchOptions struct {
	Launches int // how many; 0 is [DefaultLaunches]
	// Hints are what somebody knows of kernels. Of several about one kernel later ones overrule what
	// earlier ones say.
	Hints []Hint
	// MaxInstructions is how many instructions a wave of a launch may execute; 0 is 1048576.
	MaxInstructions uint64
}

// DefaultLaunches is how many launches [Launches] and [DiffObjects] make of a kernel.
const DefaultLaunches = 10

// withDefaults returns o with its defaults; o may be nil.
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

// hint returns what is known of a kernel.
func (o *LaunchOptions) hint(kernel string) *Hint {
	known := &Hint{Args: map[string]spec.Arg{}}
	for i := range o.Hints {
		if h := &o.Hints[i]; h.Kernel == "" || h.Kernel == kernel {
			known.overrule(h)
		}
	}
	return known
}

// Launches makes launches of a kernel of a code object, which is the contents of the file of a name. What
// metadata cannot tell is found by running the kernel: buffers grow until no access lies behind their ends,
// integers are lengths of the launch or small, and those launches come first that execute instructions
// which others do not. They differ in grid, work-group and data. left says of launches that could not be
// made why not. The error says that there is no such kernel, or is the error of ctx.
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
	full     bool // work-groups are full
	dims     int  // of work-groups, see dimensions
	objects  *sim.ObjectCache
	facts    facts    // of all programs
	choices  []choice // integers first
	integers int      // of choices

	// plans are those with which the kernel runs to its end. Each executes an instruction that those
	// before it do not, or stores where they do not.
	plans []*plan
	union compare.Effect // of plans
	// defined says of work-groups whether the source defines a launch in them, as far as it is known.
	defined map[[3]uint32]bool
	trials  int
	failed  error // of the last plan that was tried and did not run to its end
}

// A launcher tries no more plans, nor more sizes of buffers in one plan.
const (
	maxTrials = 64
	maxGrowth = 48
)

func newLauncher(k *codeobj.Kernel, object []byte, name string, o LaunchOptions, objects *sim.ObjectCache) *launcher {
	return &launcher{LaunchOptions: o, kernel: k, object: object, name: name, known: o.hint(k.Name), full: k.UniformGroups,
		dims: dimensions(k), objects: objects, defined: map[[3]uint32]bool{}}
}

// choice is an argument that metadata do not explain, and the quantities that it is tried as.
type choice struct {
	arg  int // of the explicit arguments
	like []quantity
}

// choose finds the choices of the kernel, and returns how many explicit arguments it has.
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

// learnInstructions is how many instructions a wave may execute while launches are looked for that store something: a
// launch that needs many takes long each time, and most kernels have one that does not.
const learnInstructions = guessInstructions / 16

// learn finds plans: first one that takes all integers for the same, then what other plans differ in by
// one of them, until all instructions have been executed. The error comes from ctx.
func (s *launcher) learn(ctx context.Context) error {
	explicit := s.choose()
	most := s.MaxInstructions
	defer func() { s.MaxInstructions = most }()
	for _, s.MaxInstructions = range []uint64{min(learnInstructions, most), most} {
		for _, bound := range []int{0, 7, 1} { // of integers in buffers; 0 is none
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

// sort puts the plan first that executes most. Plans without memory to compare are left out, if others have it.
func (s *launcher) sort() {
	if slices.ContainsFunc(s.plans, func(p *plan) bool { return !p.bare }) {
		s.plans = slices.DeleteFunc(s.plans, func(p *plan) bool { return p.bare })
	}
	slices.SortStableFunc(s.plans, func(a, b *plan) int { return cmp.Compare(b.executes, a.executes) })
}

// tryNumbers tries plans whose integers are all the same, and so are the formats of images by value, until one stores
// something.
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

// complete reports whether plans execute all that the kernel has.
func (s *launcher) complete() bool {
	executed, all := s.union.Executed()
	return s.stores() && executed == all
}

// try keeps a plan if it does something that those before it do not.
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

// run runs launch i of a plan, whose buffers grow while an access lies behind the end of one.
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

// grow makes the buffer larger behind whose end an address lies, and reports whether there is one that
// may grow so far.
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

// behind returns the buffer behind whose end an address lies, at most so many bytes from its start, and a size with
// which it has the address.
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

// plain returns p in another work-group, of which all are full, with small integers in buffers and exact lengths in
// every launch.
func (p *plan) plain(group [3]uint32) *plan {
	plain := *p
	plain.group, plain.whole, plain.exact = group, true, true
	if p.most == 0 {
		plain.most = guessMax
	}
	return &plain
}

// launch returns launch i: the first of its candidates that the kernel runs to its end.
func (s *launcher) launch(ctx context.Context, i int) (d *spec.Dispatch, err error) {
	for _, p := range s.candidates(i) {
		var l *pairRun
		if l, err = s.run(ctx, p, i); err == nil || ctx.Err() != nil {
			return l.dispatch, err
		}
	}
	return nil, s.without(i, err)
}

// without returns the error that no candidate of launch i runs to its end. The last one ended with err.
func (s *launcher) without(i int, err error) error {
	if len(s.plans) == 0 {
		return fmt.Errorf("%d ways to choose numbers and sizes of buffers were tried; the last launch ended so: %w",
			s.trials, s.failed)
	}
	return fmt.Errorf("launch %d: %w", i+1, err)
}

// turn returns the plan of launch i. Each plan has a turn; after that every other launch is of the plan that executes
// most. n is how many launches of the plan come before.
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

// singleLaunch is which of the launches has work-groups of one work-item.
const singleLaunch = 6

// candidates returns plans for launch i, none twice: its own in the next work-group for which the kernel seems to be
// made, in full ones that the source defines, a plain one, one work-group alone, the plain one in others, then the same
// of other plans, and last all numbers the same.
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

// spare returns the spare work-groups that the kernel may have. They are tried if it races or reads undefined values in
// all work-groups of sizes.
func (s *launcher) spare() (all [][3]uint32) {
	for _, g := range spareGroups {
		if s.kernel.ReqdGroupSize[0] == 0 && (s.kernel.MaxFlatGroupSize == 0 || g[0] <= s.kernel.MaxFlatGroupSize) {
			all = append(all, g)
		}
	}
	return all
}

// sizes returns the work-groups to try. It leaves out those in which the kernel races or reads undefined values, unless
// no other is left.
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

// undefined records that the source does not define launch d: the work-group does not fit the kernel, or the kernel
// wants full work-groups.
func (s *launcher) undefined(d *spec.Dispatch) {
	switch {
	case !s.defined[d.Group]:
		s.defined[d.Group] = false
	case d.Grid[0]%d.Group[0] != 0:
		s.full = true
	}
}

// misfits reports whether launches in a work-group were undefined, and none was defined.
func (s *launcher) misfits(group [3]uint32) bool {
	defined, known := s.defined[group]
	return known && !defined
}
