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

// Dispatch executes a kernel over its grid. Work-groups execute in parallel; the waves of a work-group take turns.
// The error is an *[Error], a *[codeobj.Error], a *[state.Fault] or the error of ctx. If several work-groups fault,
// it is the fault of the first one in grid order. A panic is a fault of kind internal.
//
// The results do not depend on the number of work-groups that execute at a time, with two exceptions. First, if
// work-groups access the same bytes, one of them writes, and not all accesses are atomic, they race as on hardware:
// the value that remains, and the values that plain loads return, may differ from run to run. With Workers 1 they do
// not differ. Go's race detector reports such a race of a kernel as a race of this package. Second, after an error
// memory and the counts of the result reflect the instructions that have executed, which may be more with more
// workers.
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

// dispatch holds the state that the work-groups of a launch share. It is derived from the registers in c.
type dispatch struct {
	m *Machine
	c *Compute

	code     []*Program
	handler  *Program // nil if there is no trap handler
	inMemory bool     // waves that leave the program find more code in memory

	first      [3]uint32 // id of the first work-group
	groups     [3]uint32 // number of work-groups in x, y, z
	full, last [3]uint32 // work-items of a work-group, and of the last one along each axis

	order         order
	total         int // number of work-groups
	wavesPerGroup int

	vgprs, sgprs, ids, user int
	system                  [isa.NumSystemSGPRs]bool
	mode                    state.Mode
	ldsBytes                int

	private   segment          // private memory of a work-group, if each worker has its own storage for it
	segments  int              // number of such segments within the memory limit
	slotBytes uint32           // bytes of scratch per wave
	slots     int              // number of scratch slots, if scratch is in memory
	gds       executor.Span    // set if the order of work-groups matters
	images    *executor.Images // nil if there are no image instructions

	gap    uint64       // bytes between the storages that different workers write
	next   atomic.Int64 // next work-group to start
	batch  int64        // number of work-groups that a worker starts at a time
	failed atomic.Int64 // lowest work-group that failed
	done   atomic.Int64 // number of work-groups that ended
	quiet  int          // turns since a wave executed an instruction, if work-groups follow a schedule

	result tally

	mu      sync.Mutex // guards the fields below
	failure error
	told    int // number of work-groups in the last call of Progress
}

// segment is the address range of the private memory of a work-group.
type segment struct{ base, size uint64 }

// newDispatch decodes the registers of c.
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

// start calls Start of the watchers of d. l is the launch from which d was derived, or nil.
func (d *dispatch) start(l *Launch) error {
	w := d.c.watched()
	if len(w.all) == 0 {
		return nil
	}
	return w.start(&Run{Machine: d.m, Launch: l, Compute: d.c}, d.c.Label)
}

// A worker starts at most maxBatch work-groups at a time, and so few that every worker starts at least minBatches
// times.
const (
	minBatches = 256
	maxBatch   = 32
)

// checkWorkers returns an error if n, the number of work-groups that execute at a time, is negative.
func checkWorkers(kernel string, n int) error {
	if n >= 0 {
		return nil
	}
	return badLaunch(kernel, "Workers is %d; it must be 0, which is one for each CPU, or more", n)
}

// workers returns the number of work-groups that execute at a time.
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

// atATime returns the number of work-groups that can have scratch at a time.
func (d *dispatch) atATime() int {
	switch {
	case d.private.size > 0:
		return d.segments
	case d.slots > 0: // each running wave has its own slot
		return d.slots / d.wavesPerGroup
	}
	return d.total
}

func (d *dispatch) run(ctx context.Context) (*Result, error) {
	if d.ordered() { // only code that uses the GDS has an ordered operation
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

// share lets workers execute the work-groups before number until that have not started. It records failures in d, by
// work-group.
func (d *dispatch) share(ctx context.Context, all []*worker, until int64) {
	// Work-groups of small launches start one by one, so that those which wait for one another all execute.
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

// leave adds the results of worker w, which has finished.
func (d *dispatch) leave(w *worker) {
	d.result.add(w.tallied())
	if f := w.changed(); f != nil && d.failure == nil {
		d.failure = f
	}
	d.m.retire(w)
}

// ordered reports whether the result depends on the order of work-groups. If so, they execute one after another, so
// that the result is the same every time.
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

// progressSteps is the largest number of times that a dispatch reports its progress.
const progressSteps = 100

// progress counts n work-groups that have ended and calls Progress from time to time.
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
	if n := int(d.done.Load()); n > d.told { // another worker may have reported more
		d.told = n
		d.c.Progress(n, d.total)
	}
}
