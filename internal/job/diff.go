package job

import (
	"context"
	"errors"
	"fmt"
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
}

// DiffResult is what comparing two programs came to.
type DiffResult struct {
	Runs int // inputs that were tried, up to the one that differs
	// Difference is nil if both programs do the same; Seed is what was added to the seeds of
	// its input.
	Difference *compare.Difference
	Seed       uint64
	// Varies are the elements of which the programs, a and b, leave one or another by the
	// order in which work-groups run, nil where there are none.
	Varies [2]*compare.Element
}

// setup returns how a program begins with an input.
func (p *DiffProgram) setup(seed uint64, objects *sim.ObjectCache) compare.Setup {
	o := &Options{Files: p.Files, Seed: seed, Objects: objects}
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
	return s, r, nil
}

// check refuses what a comparison would ignore.
func (p *DiffProgram) check() error {
	r := p.Request
	switch {
	case len(r.Check) > 0:
		return errors.New("check: diff compares what programs leave in memory, findings are those of dispatch; leave it out")
	case r.Timing:
		return errors.New("timing: diff does not look at time; leave it out")
	}
	return nil
}

// errSeeds says that there is nothing to try.
var errSeeds = errors.New("more than one seed is asked for, but no buffer has random data; give a buffer random, or leave --seeds out")

// Run compares the programs. The error says what is wrong with a specification, is a
// *[compare.SetupError], a *[crash.Error] or that of ctx.
func (r *DiffRequest) Run(ctx context.Context) (res *DiffResult, err error) {
	defer guard(&err)
	for _, p := range []*DiffProgram{&r.A, &r.B} {
		if err := p.check(); err != nil {
			return nil, err
		}
	}
	seeds := max(r.Seeds, 1)
	if seeds > 1 && !r.A.Request.Random() && !r.B.Request.Random() {
		return nil, errSeeds
	}
	if r.Objects == nil {
		r.Objects = &sim.ObjectCache{}
	}
	res = &DiffResult{Runs: seeds}
	if err := r.search(ctx, res, seeds); err != nil || res.Difference != nil {
		return res, err
	}
	for i, p := range []*DiffProgram{&r.A, &r.B} {
		if res.Varies[i], err = compare.Order(ctx, p.setup(0, r.Objects)); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// search tries seeds until one differs. It finds the lowest one, however many run at a time.
func (r *DiffRequest) search(ctx context.Context, res *DiffResult, seeds int) error {
	var mu sync.Mutex
	first, failed := seeds, seeds
	var failure error
	var group errgroup.Group
	jobs := r.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	group.SetLimit(jobs)
	for n := range seeds {
		group.Go(func() (err error) {
			defer guard(&err)
			mu.Lock()
			skip := n > min(first, failed)
			mu.Unlock()
			if skip {
				return nil
			}
			d, err := compare.Programs(ctx, r.A.setup(uint64(n), r.Objects), r.B.setup(uint64(n), r.Objects))
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil && n < failed:
				failed, failure = n, err
			case d != nil && n < first:
				first, res.Difference, res.Seed, res.Runs = n, d, uint64(n), n+1
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if failed < first {
		if ctx.Err() == nil && failed > 0 {
			failure = fmt.Errorf("seed %d: %w", failed, failure)
		}
		return failure
	}
	return nil
}
