package verdict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/prove"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// ObjectsOptions say how the kernels of two code objects are compared. The zero value has the defaults.
type ObjectsOptions struct {
	DiffOptions
	LaunchOptions
	Kernel string // "" means all kernels that both objects have
	// Processor selects the code object in bundles for several processors. It may be "" if there is only one.
	Processor string
	// Tolerance is the tolerance of floats. Only ULP, Absolute and Relative are used. It applies to buffers of floats.
	// If the metadata name no type, it applies to elements that both programs compute as floats.
	Tolerance spec.Expect
	// Coverage is the percentage of the instructions of each kernel that must have been executed. If fewer were
	// executed, the verdict cannot be "same".
	Coverage int
	// Time limits the time of all comparisons of a kernel. 0 means no limit. [KernelComparison].Left lists
	// omitted launches.
	Time    time.Duration
	NaNBits bool // NaNs with different bits are a difference
	// Prove limits the search for a proof that the programs do the same for all inputs. The search starts if launches
	// found no difference. If it has no time limit, there is no full search. An easy search still runs after the
	// verdict "same", and reports only a proof or a difference.
	Prove prove.Limits
	// Check lists kinds of findings, as for [check.New]. A finding of these kinds that only b has is a difference.
	// nil means all kinds, an empty list none.
	Check []string
}

// KernelComparison is the result of comparing a kernel of two code objects.
type KernelComparison struct {
	Kernel string
	// Comparison is the sum over all launches, or the comparison of the launch whose results differ.
	Comparison
	Launches int // launches that were compared
	// Launch is the launch whose results differ, or the last launch that was tried.
	Launch *spec.Dispatch
	// Left has the reasons why launches were not compared. A launch with several reasons has the last one.
	Left []string
	// Findings are the errors and warnings of kinds that only a has, and of kinds that only b has.
	Findings [2][]check.Finding
	Noted    []check.Finding // notes of kinds that only b has, one of each kind
	Checked  bool            // the search for findings was enabled
	Coverage int             // required percentage of executed instructions, see [ObjectsOptions]
	// Proof is the result of the search for a proof. It is nil without a search, or if an easy search found no proof.
	Proof *prove.Proof
	// Untyped reports that there is a tolerance, but the metadata name no buffer of floats.
	Untyped bool

	undefined []*pairRun // launches whose results differ but do not count
	shapes    shape      // shapes of the launches without a difference
	counted   []*pairRun // launches of random data without a difference; nil for other launches
	overflow  string     // reason why differences do not count because signed numbers overflow, "" if there is none
	cut       string     // reason why some launches of random data are missing, "" if all were made
	tried     tried
	names     []string // names of the explicit arguments
}

// ofLaunches returns the verdict of the launches. why is the reason if there is no verdict.
func (k *KernelComparison) ofLaunches() (v compare.Verdict, why string) {
	switch {
	case k.Launches == 0 && len(k.Left) > 0:
		return compare.NoVerdict, "no launch could be made: " + k.Left[0]
	case k.Launches == 0:
		return compare.NoVerdict, "no launch was made"
	}
	if v, why = k.Comparison.Verdict(); v != compare.Same {
		return v, why
	}
	if len(k.Findings[1]) > 0 {
		return compare.Different, ""
	}
	if why := cmp.Or(k.cut, k.overflow); why != "" {
		return compare.NoVerdict, why
	}
	for _, l := range k.undefined {
		if !k.covers(l) {
			return compare.NoVerdict, l.undefined()
		}
	}
	for i := range k.Effects {
		if executed, all := k.Effects[i].Executed(); 100*executed < k.Coverage*all {
			return compare.NoVerdict, fmt.Sprintf("%c has executed %d of %d instructions, and %d %% are required; try more "+
				"launches",
				'a'+i, executed, all, k.Coverage)
		}
	}
	return v, why
}

// covers reports whether the launches without a difference have all shapes of launch l, execute all its instructions,
// and outnumber the launches that do not count.
func (k *KernelComparison) covers(l *pairRun) bool {
	return k.shapes&l.shapes() == l.shapes() && k.Launches > len(k.undefined) &&
		executesAll(&k.Effects[0], &l.result.Effects[0]) && executesAll(&k.Effects[1], &l.result.Effects[1])
}

// DiffObjects compares the kernels that two files of code objects have in common; see [codeobj.CodeObjects].
// [Launches] makes the launches for the kernel of a. Different results do not count if both programs do something
// that their source leaves undefined. If there are only such differences, there is no verdict. An error says that
// a file cannot be read, or that the files have no such kernel in common. Another error is the error of
// ctx.
func DiffObjects(ctx context.Context, a, b []byte, names [2]string, o *ObjectsOptions) ([]*KernelComparison, error) {
	want := o.withDefaults()
	programs, err := readPrograms([][]byte{a, b}, names[:], want)
	if err != nil {
		return nil, err
	}
	var all []*KernelComparison
	for _, name := range common(programs, want.Kernel) {
		c, err := newKernelCase(ctx, programs, name, want)
		if err != nil {
			return nil, err
		}
		res, err := c.compare(ctx, 0, 1)
		if err != nil {
			return nil, fmt.Errorf("kernel %s: %w", name, err)
		}
		all = append(all, res)
	}
	return all, nil
}

// withDefaults returns a copy of o with the defaults; o may be nil.
func (o *ObjectsOptions) withDefaults() *ObjectsOptions {
	var want ObjectsOptions
	if o != nil {
		want = *o
	}
	if want.Check == nil {
		want.Check = []string{"all"}
	}
	want.DiffOptions = *want.withObjects()
	want.LaunchOptions = want.LaunchOptions.withDefaults()
	return &want
}

// kernelCase compares a kernel of several programs, on launches made for the kernel.
type kernelCase struct {
	*ObjectsOptions
	launcher *launcher        // finds launches for the first program that has the kernel
	parts    []*part          // by program, the code object with the kernel, nil if it has none
	instead  int              // launches that were tried because the source does not define another launch
	until    time.Time        // when to stop, zero without a limit
	looked   map[*part]*looks // findings and effects of programs, once checked
}

// limited returns a context that ends before the time limit of the kernel, by the duration kept.
func (r *kernelCase) limited(ctx context.Context, kept time.Duration) (context.Context, context.CancelFunc) {
	if r.until.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, r.until.Add(-kept))
}

// learnShare: the search for launches may take 1/learnShare of the time of a kernel.
const learnShare = 3

// newKernelCase finds launches of a kernel that at least one program has. The error comes from ctx, or says
// that two code objects of one program have the kernel.
func newKernelCase(ctx context.Context, programs []program, kernel string, o *ObjectsOptions) (*kernelCase, error) {
	c := &kernelCase{ObjectsOptions: o, looked: map[*part]*looks{}}
	full, dims := false, 3
	var facts facts
	for i := range programs {
		p, k, err := programs[i].find(kernel)
		if err != nil {
			return nil, err
		}
		c.parts = append(c.parts, p)
		if p == nil {
			continue
		}
		facts.add(factsOf(p.object, k))
		full, dims = full || k.UniformGroups, min(dims, dimensions(k))
		if c.launcher == nil {
			c.launcher = newLauncher(k, p.data, p.name, o.LaunchOptions, o.Objects)
		}
	}
	c.launcher.full, c.launcher.dims, c.launcher.facts = full, dims, facts
	if o.Time > 0 {
		c.until = time.Now().Add(o.Time)
	}
	within, cancel := c.limited(ctx, o.Time-o.Time/learnShare)
	defer cancel()
	if err := c.launcher.learn(within); err != nil && ctx.Err() != nil {
		return nil, err
	}
	return c, nil
}

// compare compares programs a and b on one launch after another until the results of a launch differ. The error
// comes from ctx.
func (r *kernelCase) compare(ctx context.Context, a, b int) (*KernelComparison, error) {
	res := &KernelComparison{Kernel: r.launcher.kernel.Name, Checked: len(r.Check) > 0, Coverage: r.Coverage}
	for _, a := range codeobj.Explicit(r.launcher.kernel) {
		res.names = append(res.names, a.Name)
	}
	for _, p := range []*part{r.parts[a], r.parts[b]} {
		if err := p.describes(res.Kernel); err != nil {
			res.Left = append(res.Left, err.Error())
			return res, nil
		}
	}
	within, cancel := r.limited(ctx, 0)
	defer cancel()
	for i := range r.Launches {
		err := within.Err()
		if err == nil {
			err = r.compareLaunch(within, i, [2]*part{r.parts[a], r.parts[b]}, res)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil && (within.Err() != nil || errors.Is(err, context.DeadlineExceeded)) {
			res.cut = fmt.Sprintf("%d of %d launches: the time limit of %v had passed", r.Launches-i, r.Launches, r.Time)
			res.Left = append(res.Left, res.cut)
			break
		}
		if err != nil {
			res.Left = append(res.Left, err.Error())
		}
		if res.Difference != nil || len(res.Findings[1]) > 0 || len(r.launcher.plans) == 0 {
			break
		}
	}
	if res.cut == "" && res.Difference == nil && len(res.Findings[1]) == 0 {
		if err := r.direct(within, [2]*part{r.parts[a], r.parts[b]}, res); ctx.Err() != nil {
			return nil, ctx.Err()
		} else if err != nil {
			res.Left = append(res.Left, fmt.Sprintf("some directed launches: the time limit of %v had passed", r.Time))
		}
	}
	res.Noted = r.noted(r.parts[a], r.parts[b])
	r.prove(within, [2]*part{r.parts[a], r.parts[b]}, res)
	return res, nil
}

// compareLaunch compares launch i and adds it to res. The error is the reason why the launch was not compared.
func (r *kernelCase) compareLaunch(ctx context.Context, i int, parts [2]*part, res *KernelComparison) error {
	res.counted = append(res.counted, nil)
	l, err := r.pair(ctx, i, parts)
	if err != nil {
		return err
	}
	if why := l.undefined(); why != "" {
		res.undefined = append(res.undefined, l)
		return fmt.Errorf("launch %d: %s", i+1, why)
	}
	res.counted[i] = l
	r.take(l, parts, res)
	return nil
}

// take adds launch l to res.
func (r *kernelCase) take(l *pairRun, parts [2]*part, res *KernelComparison) {
	if l.result.Difference != nil {
		res.Comparison = *l.result
	} else {
		res.add(l.result)
		res.shapes |= l.shapes()
	}
	res.tried.add(r.launcher, l)
	res.Untyped = tolerant(&r.Tolerance) && l.dispatch.Expect == nil
	res.Launch = l.dispatch
	res.Launches++
	if l.checked && l.failed == nil && l.result.Difference == nil && len(r.Check) > 0 {
		for i, only := range r.onlyOne(l, parts) {
			if len(res.Findings[i]) == 0 {
				res.Findings[i] = only
			}
		}
	}
}

// undefined returns why results may differ although both programs are right: both do something that their source leaves
// undefined. It returns "" if there is no such reason.
func undefined(d *compare.Difference, a, b []check.Finding) string {
	if d.A.Varies && d.B.Varies {
		return "what both programs leave depends on the order of work-items"
	}
	for _, kind := range excusing {
		of := func(f check.Finding) bool { return string(f.Kind) == kind }
		if at := slices.IndexFunc(a, of); at >= 0 && slices.ContainsFunc(b, of) {
			return fmt.Sprintf("results differ, but both programs have findings of kind %s on it, for example at %s: it is "+
				"no input for this kernel; give one with --grid, --workgroup and --arg, or a GCNSIM: comment", kind, a[at].Text)
		}
	}
	return ""
}

// tolerance returns the tolerance of floats. If they have none, nans reports whether all NaNs are equal.
func (r *kernelCase) tolerance() (t spec.Expect, nans bool) {
	t = r.Tolerance
	if known := r.launcher.known.Tolerance; !tolerant(&t) {
		t = known
	}
	return t, !tolerant(&t) && !r.NaNBits
}

// floats returns the arguments of a launch that are buffers of floats, with the type of their elements.
func (r *kernelCase) floats(d *spec.Dispatch) map[int]spec.Element {
	all := map[int]spec.Element{}
	for n, a := range codeobj.Explicit(r.launcher.kernel) {
		as, _ := element.Named(a.TypeName)
		if d.Args[n].Buffer != nil && element.Of(as).Mantissa > 0 {
			all[n] = as
		}
	}
	return all
}

// tolerances returns the tolerances for the results of a launch.
func (r *kernelCase) tolerances(d *spec.Dispatch) (all []spec.Expect) {
	tolerance, _ := r.tolerance()
	if !tolerant(&tolerance) {
		return nil
	}
	floats := r.floats(d)
	for _, n := range slices.Sorted(maps.Keys(floats)) {
		e := tolerance
		e.Arg, e.As, e.Want = n, floats[n], make([]byte, d.Args[n].Buffer.Size)
		all = append(all, e)
	}
	return all
}

// setup returns a function that makes setups for a launch with data. The setups treat NaNs in float buffers as equal if
// that is allowed. The same holds for elements of untyped buffers that the programs compute as floats.
func (r *kernelCase) setup(data drawn) func(*spec.Dispatch, *spec.Options) compare.Setup {
	tolerance, nans := r.tolerance()
	near := map[isa.Type]*element.Tolerance{}
	for as := range compare.FloatTypes {
		x, err := element.NewTolerance(compare.FloatOf(as), false, tolerance.ULP, tolerance.Absolute, tolerance.Relative)
		x.NaNs = nans
		if err == nil && (nans || tolerant(&tolerance)) { // errors of the tolerance are reported for other buffers
			near[as] = &x
		}
	}
	typed := map[int]bool{}
	for n, a := range codeobj.Explicit(r.launcher.kernel) {
		_, typed[n] = element.Named(a.TypeName)
	}
	return func(d *spec.Dispatch, o *spec.Options) compare.Setup {
		return func() (*compare.Session, error) {
			s, err := data.session(d, o)
			if err != nil {
				return nil, err
			}
			if len(near) > 0 {
				s.NearAs = func(arg int, as isa.Type, a, b []byte) bool {
					x := near[as]
					return x != nil && !typed[arg] && x.Near(x.Get(a), x.Get(b))
				}
			}
			if nans {
				s.Near = alike(s, r.floats(d))
			}
			return s, nil
		}
	}
}

// alike makes a session compare buffers of floats by their elements. It returns a function that reports whether both
// values of an element are NaNs.
func alike(s *compare.Session, floats map[int]spec.Element) func(arg int, offset uint64, a, b []byte) bool {
	near := map[int]*element.Tolerance{}
	for n, as := range floats {
		near[n] = &element.Tolerance{Type: element.Of(as), NaNs: true}
		s.Elements[n] = near[n].Bytes
	}
	return func(arg int, _ uint64, a, b []byte) bool {
		x := near[arg]
		return x != nil && len(a) == x.Bytes && x.Near(x.Get(a), x.Get(b))
	}
}

// add adds a launch without a difference.
func (k *KernelComparison) add(c *Comparison) {
	for i := range c.Effects {
		k.Effects[i].Add(&c.Effects[i])
		if k.Varies[i] == nil {
			k.Varies[i] = c.Varies[i]
		}
	}
	k.Tolerated += c.Tolerated
	k.nans = c.nans
	k.Contracted += c.Contracted
	k.Runs += c.Runs
}

// findings runs a dispatch of a program and returns its findings. Paths do not depend on the launch and are checked
// only once.
func (r *kernelCase) findings(ctx context.Context, d *spec.Dispatch, of *part, data drawn) (found []check.Finding,
	err error) {
	kinds, before := r.Check, r.looked[of]
	if before != nil {
		kinds = withoutPaths(kinds)
	}
	if len(kinds) == 0 {
		return nil, nil
	}
	found, notes, err := r.findingsOf(ctx, d, kinds, data)
	if err != nil {
		return nil, err
	}
	if before == nil {
		before = &looks{kinds: map[check.Kind]bool{}, notes: map[check.Kind]check.Finding{}}
		r.looked[of] = before
	}
	for _, f := range notes {
		before.notes[f.Kind] = f
	}
	for _, f := range found {
		before.kinds[f.Kind] = true
	}
	return found, nil
}

// findingsOf runs a dispatch. It returns errors and warnings of kinds and of conflicts between lanes, and all notes.
func (r *kernelCase) findingsOf(ctx context.Context, d *spec.Dispatch, kinds []string,
	data drawn) (found, notes []check.Finding, err error) {
	checked := *data.in(d)
	checked.Expect = nil // expectations are about results of another program
	checked.Check = kinds
	res, err := checked.Run(ctx, &spec.Options{Objects: r.Objects})
	if err != nil {
		return nil, nil, err
	}
	for _, f := range res.Findings {
		if f.Severity > check.Note || f.Kind == check.LaneConflict {
			found = append(found, f)
		}
		if f.Severity == check.Note {
			notes = append(notes, f)
		}
	}
	return found, notes, nil
}

// noted returns the notes that only program b has, one of each kind.
func (r *kernelCase) noted(a, b *part) (all []check.Finding) {
	if r.looked[a] == nil || r.looked[b] == nil {
		return nil
	}
	for _, kind := range slices.Sorted(maps.Keys(r.looked[b].notes)) {
		if _, both := r.looked[a].notes[kind]; !both && !r.looked[a].kinds[kind] {
			all = append(all, r.looked[b].notes[kind])
		}
	}
	return all
}

// withoutPaths returns kinds without those that only [check.Checker.Paths] finds.
func withoutPaths(kinds []string) []string {
	if slices.Contains(kinds, "all") {
		kinds = check.Names()
	}
	return slices.DeleteFunc(slices.Clone(kinds), func(name string) bool {
		return name == "all" || name == "paths" || name == string(check.Unfollowed)
	})
}

// onlyOne returns the errors and warnings of l whose kinds the other program has on no launch. Kinds that make l
// undefined are compared on l alone. If both programs race, stale caches are ignored: one program may load with
// an atomic and the other from L1.
func (r *kernelCase) onlyOne(l *pairRun, parts [2]*part) (only [2][]check.Finding) {
	has := func(i int, kind check.Kind) bool {
		if slices.Contains(undefinedKinds, string(kind)) {
			return slices.ContainsFunc(l.found[i], func(f check.Finding) bool { return f.Kind == kind })
		}
		return r.looked[parts[i]].kinds[kind]
	}
	race := r.looked[parts[0]].kinds[check.Race] && r.looked[parts[1]].kinds[check.Race]
	for i, found := range l.found {
		for _, f := range found {
			if f.Severity > check.Note && !has(1-i, f.Kind) && !(race && f.Kind == check.StaleCache) {
				only[i] = append(only[i], f)
			}
		}
	}
	return only
}

// errKind is the error for an argument that cannot be made.
var errKind = errors.New("which is not made; give a specification with --spec")
