package sim

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
	"github.com/gcnsim/gcnsim/state"
)

// Dispatch runs a kernel over its grid: work-groups in parallel, the waves of one in
// turn. The error is an *[Error], a *[codeobj.Error], a
// *[state.Fault] or the error of ctx; of several faults it is the error of the first work-group in
// grid order. A panic is a fault of kind internal.
//
// What a launch leaves does not depend on how many work-groups run at a time, with these
// exceptions. Work-groups that reach the same bytes, where one of them writes, and
// not by atomic operations alone, race as on hardware: which value remains, and what a plain
// load sees of another work-group's atomics and stores, may differ from run to run. With
// Workers 1 it does not. Go's race detector reports such a race of a kernel as one of this package: an
// atomic operation of one work-group and a plain access of another one. After an error memory and the
// counts of the result hold what has run, which may be more of the grid with more workers.
func (m *Machine) Dispatch(ctx context.Context, l Launch) (*Result, error) {
	ctx = contexts.Given(ctx)
	if l.Module == nil || l.Module.m != m || l.Module.ranges == nil {
		return nil, badLaunch(l.Kernel, "its module is not in the memory of this machine; load it there")
	}
	k, err := l.Module.Object.Kernel(l.Kernel)
	if err != nil {
		return nil, err
	}
	if err := l.check(k); err != nil {
		return nil, err
	}
	code, err := l.Module.decoded(ctx, l.Module.Base+k.Entry, k.VGPRs)
	if err != nil {
		return nil, err
	}
	if len(code) == 0 {
		return nil, badLaunch(k.Name, "the code object has no executable segment")
	}
	var d *dispatch
	if l.Registers != nil {
		c, err := l.compute(m, k)
		if err != nil {
			return nil, err
		}
		if d, err = m.newDispatch(c); err != nil {
			return nil, err
		}
	} else {
		h, err := m.newHSA(&l, k)
		if err != nil {
			return nil, err
		}
		defer h.release()
		if d, err = m.newDispatch(h.registers()); err != nil {
			return nil, err
		}
		d.private, d.segments = h.scratch, h.segments
	}
	if err := d.start(&l); err != nil {
		return nil, err
	}
	d.code = code
	if slices.ContainsFunc(code, func(p *Program) bool { return p.usesImages }) {
		if d.images, err = m.imagePort(); err != nil {
			return nil, err
		}
	}
	return d.run(ctx)
}

// dispatch holds the state that the work-groups of a launch share. It follows from the registers of c.
type dispatch struct {
	m *Machine
	c *Compute

	code     []*Program
	handler  *Program // nil without a trap handler
	inMemory bool     // waves that leave it find more in memory

	first      [3]uint32 // number of the first work-group
	groups     [3]uint32 // how many in x, y, z
	full, last [3]uint32 // work-items of a work-group, and of the last one in a direction

	order         order
	total         int // work-groups
	wavesPerGroup int

	vgprs, sgprs, ids, user int
	system                  [isa.NumSystemSGPRs]bool
	mode                    state.Mode
	ldsBytes                int

	private   segment          // private memory of a work-group, if each worker brings its own
	segments  int              // how many of them fit what the memory may take
	slotBytes uint32           // scratch of a wave
	slots     int              // how many there are, if they are in memory
	gds       executor.Span    // set if the order of work-groups matters
	images    *executor.Images // nil without image instructions

	gap    uint64       // bytes between what workers write
	next   atomic.Int64 // next work-group to run
	batch  int64        // how many a worker takes at a time
	failed atomic.Int64 // lowest work-group that failed
	done   atomic.Int64 // work-groups that ended
	quiet  int          // turns since a wave got on, if work-groups take the turns of a schedule

	result tally

	mu      sync.Mutex // guards what follows
	failure error
	told    int // of how many work-groups Progress was told last
}

// segment is the private memory of a work-group.
type segment struct{ base, size uint64 }

// newDispatch reads the registers of c.
func (m *Machine) newDispatch(c *Compute) (*dispatch, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	d := &dispatch{m: m, c: c}
	var err error
	if d.order, err = c.Schedule.order(c.Label); err != nil {
		return nil, err
	}
	if err := d.grid(); err != nil {
		return nil, err
	}
	if err := d.resources(); err != nil {
		return nil, err
	}
	d.failed.Store(int64(d.total))
	if d.handler = c.TrapHandler.program(m.Target, d.vgprs); d.handler != nil && d.handler.usesImages {
		return nil, c.refuse("the trap handler has image instructions, which only kernels may have here")
	}
	return d, nil
}

// start tells the watchers of d that it begins. If l is not nil, d was made of it.
func (d *dispatch) start(l *Launch) error {
	w := d.c.watched()
	if len(w.all) == 0 {
		return nil
	}
	return w.start(&Run{Machine: d.m, Launch: l, Compute: d.c}, d.c.Label)
}

// A worker takes at most maxBatch work-groups at a time, and so few that each takes at least
// minBatches times.
const (
	minBatches = 256
	maxBatch   = 32
)

// checkWorkers returns an error if n, the number of work-groups at a time, is negative.
func checkWorkers(kernel string, n int) error {
	if n >= 0 {
		return nil
	}
	return badLaunch(kernel, "Workers is %d; it must be 0, which is one for each CPU, or more", n)
}

// workers returns how many work-groups run at a time.
func (d *dispatch) workers() int {
	n := d.c.Workers
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	n = min(n, d.atATime())
	if len(d.c.watched().all) > 0 || d.order.kind != "" || d.ordered() {
		n = 1
	}
	return min(n, d.total)
}

// atATime returns for how many work-groups there is scratch at a time.
func (d *dispatch) atATime() int {
	switch {
	case d.private.size > 0:
		return d.segments
	case d.slots > 0: // each live wave has a slot of its own
		return d.slots / d.wavesPerGroup
	}
	return d.total
}

func (d *dispatch) run(ctx context.Context) (*Result, error) {
	if d.ordered() { // code that uses the GDS is
		d.m.turn.Lock()
		defer d.m.turn.Unlock()
		d.gds = *d.m.GDS().span
	}
	if d.interleaves() || d.turns() {
		d.takeTurns(ctx)
		return d.result.finish(), d.failure
	}
	d.gap = gap
	all := make([]*worker, d.workers())
	for i := range all {
		all[i] = d.newWorker(i, d.c.watched())
	}
	if len(all) == 0 {
		return d.result.finish(), nil
	}
	d.share(ctx, all, int64(d.total))
	for _, w := range all {
		d.leave(w)
	}
	return d.result.finish(), d.failure
}

// share lets workers run the work-groups before number until that have not begun. Failures are kept in d, by
// work-group.
func (d *dispatch) share(ctx context.Context, all []*worker, until int64) {
	// Small launches are dealt out one by one, so that what waits for one another runs.
	d.batch = min(max((until-d.next.Load())/int64(len(all)*minBatches), 1), maxBatch)
	var group errgroup.Group
	kernel := d.code[0].function(d.c.Program)
	for _, w := range all[1:] {
		group.Go(func() error {
			profiled(ctx, kernel, func() { w.work(ctx, until) })
			return nil
		})
	}
	profiled(ctx, kernel, func() { all[0].work(ctx, until) })
	_ = group.Wait()
}

// leave adds the results of worker w, which has nothing left to do.
func (d *dispatch) leave(w *worker) {
	d.result.add(w.tallied())
	if f := w.changed(); f != nil && d.failure == nil {
		d.failure = f
	}
	d.m.retire(w)
}

// ordered reports whether the result depends on the order of work-groups. Then they run
// one after another, so that it is the same every time.
func (d *dispatch) ordered() bool {
	return d.handler != nil && d.handler.ordered || slices.ContainsFunc(d.code, func(p *Program) bool { return p.ordered })
}

func (d *dispatch) fail(n int64, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n < d.failed.Load() {
		d.failed.Store(n)
		d.failure = err
	}
}

// progressSteps is how many times a dispatch reports its progress, at most.
const progressSteps = 100

// progress counts n work-groups that have ended and tells of them at times.
func (d *dispatch) progress(n int) {
	if d.c.Progress == nil {
		return
	}
	step, now := max(d.total/progressSteps, 1), int(d.done.Add(int64(n)))
	if now != d.total && now/step == (now-n)/step {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := int(d.done.Load()); n > d.told { // another worker may have told of more
		d.told = n
		d.c.Progress(n, d.total)
	}
}
