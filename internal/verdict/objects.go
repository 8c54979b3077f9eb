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

// ObjectsOptions say how the kernels of two code objects are compared. The zero value is the default.
type ObjectsOptions struct {
	DiffOptions
	LaunchOptions
	Kernel string // "" is every kernel that both objects have
	// Processor is the one whose code is taken of bundles that have several, "" if they have one.
	Processor string
	// Tolerance is what floats may differ by: ULP, Absolute and Relative count. It applies to buffers whose
	// elements the metadata name as floats and, where they name no type, to what both programs compute as floats.
	Tolerance spec.Expect
	// Coverage is how many percent of the instructions of each kernel must have been executed: with less
	// there is no verdict that they are the same.
	Coverage int
	// Time is how long a kernel may take, in all its comparisons; 0 is as long as it likes. What was not tried
	// because of it is in [KernelComparison].Left.
	Time    time.Duration
	NaNBits bool // floats that are no numbers differ if their bits do
	// Prove bounds the search for a proof that a kernel does the same for all inputs, where no launch tells the programs
	// apart. Without a time there is no search. An easy search is made where launches found
	// the verdict "same", and only a proof or a difference that it finds is told.
	Prove prove.Limits
	// Check are the kinds of findings, as [check.New] takes them, of which those that only b has are a difference;
	// nil are all kinds, an empty list none.
	Check []string
}

// KernelComparison is what comparing a kernel of two code objects came to.
type KernelComparison struct {
	Kernel string
	// Comparison adds up all launches, or is the one whose results differ.
	Comparison
	Launches int // that were compared
	// Launch is the launch whose results differ, or the last one that was tried.
	Launch *spec.Dispatch
	// Left says of launches that were not compared why not, the last reason of each.
	Left []string
	// Findings are the errors and warnings of kinds that only a, and only b has.
	Findings [2][]check.Finding
	Noted    []check.Finding // notes of kinds that b alone has, one of each
	Checked  bool            // somebody looked for findings
	Coverage int             // percent of instructions that must have been executed, see [ObjectsOptions]
	// Proof is the result of looking for a proof, nil if none was looked for, or if an easy search found none.
	Proof *prove.Proof
	// Untyped: there is a tolerance, and the metadata name no buffer of floats.
	Untyped bool

	undefined []*pairRun // launches whose results differ and count for nothing
	shapes    shape      // of those after which both left the same
	counted   []*pairRun // launches of random data after which both left the same, nil in place of others
	overflow  string     // why a difference counts for nothing, "" if none does because of signed numbers that overflow
	cut       string     // why not all launches of random data were made, "" if they were
	tried     tried
	names     []string // of the explicit arguments
}

// ofLaunches returns the verdict of launches and, if there is none, why.
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

// covers reports whether launches after which both programs left the same have the shapes of launch l, and execute what
// it does, and whether they are more than those that count for nothing.
func (k *KernelComparison) covers(l *pairRun) bool {
	return k.shapes&l.shapes() == l.shapes() && k.Launches > len(k.undefined) &&
		executesAll(&k.Effects[0], &l.result.Effects[0]) && executesAll(&k.Effects[1], &l.result.Effects[1])
}

// DiffObjects runs the kernels that two files of code objects, see [codeobj.CodeObjects], have in common on
// launches that [Launches] makes of a's kernel, and says whether they do the same. Other results are no
// difference where both programs do what their source leaves undefined: without a difference on another
// launch there is no verdict then. An error says that a file cannot be read or that they have no such kernel
// in common, or is the error of ctx.
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

// withDefaults returns o with its defaults; o may be nil.
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

// kernelCase is a kernel of several programs, on launches made for it.
type kernelCase struct {
	*ObjectsOptions
	launcher *launcher        // of the first program that has the kernel
	parts    []*part          // of the programs those with the kernel, nil where one has none
	instead  int              // launches that were tried in place of one that the source does not define
	until    time.Time        // when to stop, zero if there is no limit
	looked   map[*part]*looks // for findings
}

// limited returns a context that ends a time, kept, before the time of the kernel has passed.
func (r *kernelCase) limited(ctx context.Context, kept time.Duration) (context.Context, context.CancelFunc) {
	if r.until.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, r.until.Add(-kept))
}

// learnShare is the part of the time of a kernel that finding launches may take.
const learnShare = 3

// newKernelCase finds launches of a kernel that at least one program has. The error comes from ctx, or
// says that two code objects of a program have the kernel.
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

// compare compares programs a and b launch after launch, up to one whose results differ. The error is that
// of ctx.
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

// compareLaunch adds launch i to res. The error says why the launch was not compared.
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

// undefined says why results may differ although both programs are right: both do what their source
// leaves undefined. It returns "" if that is not known.
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

// tolerance returns what floats may differ by; if by nothing, nans says whether NaNs are alike.
func (r *kernelCase) tolerance() (t spec.Expect, nans bool) {
	t = r.Tolerance
	if known := r.launcher.known.Tolerance; !tolerant(&t) {
		t = known
	}
	return t, !tolerant(&t) && !r.NaNBits
}

// floats returns the arguments of a launch that are buffers of floats.
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

// tolerances returns what the results of a launch may differ by.
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

// setup returns how programs begin on a launch with data: the NaNs of its buffers may be alike, and so may be what
// programs compute as floats in buffers whose type the metadata do not name.
func (r *kernelCase) setup(data drawn) func(*spec.Dispatch, *spec.Options) compare.Setup {
	tolerance, nans := r.tolerance()
	near := map[isa.Type]*element.Tolerance{}
	for as := range compare.FloatTypes {
		x, err := element.NewTolerance(compare.FloatOf(as), false, tolerance.ULP, tolerance.Absolute, tolerance.Relative)
		x.NaNs = nans
		if err == nil && (nans || tolerant(&tolerance)) { // what is wrong with it is said of other buffers
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

// alike compares the buffers of a session that have floats by their elements, and returns what reports whether both
// values of one are NaNs.
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

// add adds a launch after which both programs left the same.
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

// findings runs a dispatch of a program and returns its findings. Paths, on which the launch has no influence, are
// followed once.
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

// findingsOf runs a dispatch and returns its errors and warnings of kinds with conflicts of lanes, and its notes.
func (r *kernelCase) findingsOf(ctx context.Context, d *spec.Dispatch, kinds []string,
	data drawn) (found, notes []check.Finding, err error) {
	checked := *data.in(d)
	checked.Expect = nil // that is about results of another program
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

// noted returns the notes that program b alone has, one of each kind.
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

// withoutPaths returns kinds of findings without those that [check.Checker.Paths] finds alone.
func withoutPaths(kinds []string) []string {
	if slices.Contains(kinds, "all") {
		kinds = check.Names()
	}
	return slices.DeleteFunc(slices.Clone(kinds), func(name string) bool {
		return name == "all" || name == "paths" || name == string(check.Unfollowed)
	})
}

// onlyOne returns the errors and warnings of l of kinds that the other program has on no launch, or not on l if they
// say that l is undefined. Where both programs race, what a cache holds is left undefined as well: one of them may load
// with an atomic what the other loads from L1.
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

// errKind says that an argument cannot be made.
var errKind = errors.New("which is not made; give a specification with --spec")
