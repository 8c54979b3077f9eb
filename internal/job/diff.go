package job

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/compare"
)

// DiffProgram is one of two programs that should do the same: a dispatch, and where its files
// are.
type DiffProgram struct {
	Request *DispatchRequest
	Files   Files
}

// DiffRequest compares two programs.
type DiffRequest struct {
	A, B DiffProgram
	// Seeds is how many inputs are tried: as many seeds of random data, from those of the
	// specifications on.
	Seeds int
	// Jobs is how many inputs are tried at a time; 0 is one for each CPU.
	Jobs    int
	Objects *sim.ObjectCache
	// Progress, if not nil, is told in a few words how far the comparison is. It may be called by
	// several goroutines at a time.
	Progress func(text string)
}

// DiffResult is what comparing two programs came to. The effects are those of all runs.
type DiffResult struct {
	compare.Result
	Runs int // inputs that were tried, up to the one that differs
	// Seed is what was added to the seeds of the input that Difference is about.
	Seed uint64
	// Varies are the elements of which the programs, a and b, leave one or another by the
	// order in which work-groups run, nil where there are none.
	Varies [2]*compare.Element
}

// setup returns how a program begins with an input.
func (p *DiffProgram) setup(seed uint64, objects *sim.ObjectCache, progress func(done, total int)) compare.Setup {
	o := &Options{Files: p.Files, Seed: seed, Objects: objects, Progress: progress}
	if o.Files == nil {
		o.Files = noFiles{}
	}
	return func() (*compare.Session, error) {
		s, _, err := p.Request.session(o)
		return s, err
	}
}

// session prepares the dispatch to be compared.
func (req *DispatchRequest) session(o *Options) (*compare.Session, *prepared, error) {
	r, err := req.prepare(o)
	if err != nil {
		return nil, nil, err
	}
	s := &compare.Session{Machine: r.machine, Launch: *r.launch}
	for _, h := range r.memory {
		var b *sim.Buffer
		if h != nil {
			b = h.Buffer
		}
		s.Buffers = append(s.Buffers, b)
	}
	for _, a := range req.Args {
		size := 0
		if a.Buffer != nil && a.Buffer.Random != nil {
			size = a.Buffer.As.typ().bytes
		}
		s.Elements = append(s.Elements, size)
	}
	for _, x := range req.Expect {
		if int(x.Arg) < len(s.Elements) {
			s.Elements[x.Arg] = x.As.typ().bytes
		}
	}
	s.Near, err = req.near(r.memory, o.Files)
	return s, r, err
}

// KeyError says that a command takes no such key of a specification, or not with such a value.
type KeyError struct {
	Key string // as in expect[0].ulp
	Err error  // what is wrong and what to do
}

// Error names the key.
func (e *KeyError) Error() string { return fmt.Sprintf("%s: %v", e.Key, e.Err) }

// Unwrap returns what is wrong.
func (e *KeyError) Unwrap() error { return e.Err }

// check refuses what a comparison would ignore.
func (r *DiffRequest) check() error {
	for _, p := range []*DiffProgram{&r.A, &r.B} {
		switch {
		case len(p.Request.Check) > 0:
			return &KeyError{"check", errors.New("diff compares what programs leave in memory, findings are those of dispatch; leave it out")}
		case p.Request.Timing:
			return &KeyError{"timing", errors.New("diff does not look at time; leave it out")}
		}
	}
	if !reflect.DeepEqual(r.A.Request.tolerances(), r.B.Request.tolerances()) {
		return &KeyError{"expect", errors.New("a and b have other tolerances; give both the same")}
	}
	return nil
}

// errSeeds says that there is nothing to try.
var errSeeds = &FlagError{"seeds", errors.New("more than one seed is asked for, but no buffer has random data; give a buffer random, or leave --seeds out")}

// Run compares the programs. The error says what is wrong with a specification, is a
// *[compare.SetupError], a *[crash.Error] or that of ctx.
func (r *DiffRequest) Run(ctx context.Context) (res *DiffResult, err error) {
	defer guard(&err)
	if err := r.check(); err != nil {
		return nil, err
	}
	seeds := max(r.Seeds, 1)
	if seeds > 1 && !r.A.Request.Random() && !r.B.Request.Random() {
		return nil, errSeeds
	}
	if r.Objects == nil {
		r.Objects = &sim.ObjectCache{}
	}
	res = &DiffResult{Runs: seeds}
	if err := r.search(ctx, res, seeds); err != nil {
		return nil, err
	}
	if v, _ := res.Verdict(); v != compare.Same {
		return res, nil
	}
	for i, setup := range r.setups(0, "with its work-groups in two orders, ") {
		if res.Varies[i], err = compare.Order(ctx, setup); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// setups returns how both programs begin with an input. What progress is told begins with a text.
func (r *DiffRequest) setups(seed uint64, text string) (all [2]compare.Setup) {
	for i, p := range []*DiffProgram{&r.A, &r.B} {
		var progress func(done, total int)
		if r.Progress != nil {
			progress = func(done, total int) {
				r.Progress(fmt.Sprintf("%c, %s%d of %d work-groups", 'a'+i, text, done, total))
			}
		}
		all[i] = p.setup(seed, r.Objects, progress)
	}
	return all
}

// search tries seeds until one differs. It finds the lowest one, however many run at a time.
func (r *DiffRequest) search(ctx context.Context, res *DiffResult, seeds int) error {
	s := &search{seeds: seeds, differs: seeds, faults: seeds, failed: seeds}
	var group errgroup.Group
	jobs := r.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	group.SetLimit(jobs)
	for n := range seeds {
		group.Go(func() (err error) {
			defer guard(&err)
			if !s.wants(n) {
				return nil
			}
			text := ""
			if seeds > 1 {
				text = fmt.Sprintf("input %d of %d, ", n+1, seeds)
			}
			setups := r.setups(uint64(n), text)
			got, err := compare.Programs(ctx, setups[0], setups[1])
			s.add(n, got, err)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	switch {
	case s.failed < s.differs && ctx.Err() == nil && s.failed > 0:
		return fmt.Errorf("seed %d: %w", s.failed, s.failure)
	case s.failed < s.differs:
		return s.failure
	case s.decided == nil:
		res.Result = s.all
		return nil
	case s.differs < seeds:
		res.Runs = s.differs + 1
	}
	res.Result, res.Seed = *s.decided, uint64(min(s.differs, s.faults))
	return nil
}

// search is what trying seeds has come to. Of the seeds with which the programs differ, both fault,
// or cannot run, the lowest one counts; a difference counts more than faults of both.
type search struct {
	seeds int

	mu                      sync.Mutex
	all                     compare.Result // of the seeds with which both leave the same
	decided                 *compare.Result
	differs, faults, failed int // the lowest seeds, or how many there are
	failure                 error
}

// wants reports whether a seed can still matter.
func (s *search) wants(seed int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return seed <= min(s.differs, s.failed)
}

// add adds what a seed came to.
func (s *search) add(seed int, got *compare.Result, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		if seed < s.failed {
			s.failed, s.failure = seed, err
		}
	case got.Difference == nil:
		for i := range got.Effects {
			s.all.Effects[i].Add(&got.Effects[i])
		}
		s.all.Tolerated += got.Tolerated
	case got.Difference.A.Fault != nil && got.Difference.B.Fault != nil:
		if s.differs == s.seeds && seed < s.faults {
			s.faults, s.decided = seed, got
		}
	case seed < s.differs:
		s.differs, s.faults, s.decided = seed, s.seeds, got
	}
}
