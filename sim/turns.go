package sim

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"runtime"

	"github.com/gcnsim/gcnsim/internal/sim/unseen"
)

// groups are the work-groups of a dispatch whose watcher has a Scheduler ([unseen.Needs]).
type groups struct {
	d    *dispatch
	ctx  context.Context
	stop context.CancelFunc
	all  []*turningGroup // work-groups that have started and not ended
	idle []*turningGroup
	rest []*worker // the workers of RunNext
}

// turningGroup implements [unseen.Group]: a work-group that takes turns.
type turningGroup struct {
	id    [3]uint32
	waves int

	of      *groups
	w       *worker
	n       int64 // its number in the grid
	resume  func() (struct{}, bool)
	yield   func(struct{}) bool
	pausing bool
	stuck   bool // no work-group can continue
	ended   bool
	release func() bool
	passed  [64]uint64 // state of the [executor.Sync], saved while other work-groups have turns
	done    uint64
}

// turnSlice is the number of instructions after which a wave's turn ends in a work-group that takes turns.
const turnSlice = 1 << 8

// takeTurns executes the work-groups of d in the order that a watcher's Scheduler selects.
func (d *dispatch) takeTurns(ctx context.Context) {
	all := &groups{d: d}
	all.ctx, all.stop = context.WithCancel(ctx)
	defer all.end()
	defer func() {
		if v := recover(); v != nil {
			f := (&runner{label: d.c.Label}).internal(v)
			f.What = fmt.Sprintf("%s panicked in its Scheduler: %v", nameOf(d.c.watched().scheduler), v)
			d.fail(-1, f)
		}
	}()
	if d.interleaves() {
		d.interleave(all.next)
	} else {
		d.c.watched().schedule(all.unseen)
	}
	if all.left() {
		panic("it left work-groups out")
	}
}

// turns reports whether the work-groups of d may take turns.
func (d *dispatch) turns() bool {
	w := d.c.watched()
	return w.schedulers == 1 && len(w.before) == 0 && d.order.kind == "" && !d.ordered()
}

// unseen is the function that is passed to the Scheduler.
func (a *groups) unseen() (unseen.Group, bool) {
	g, more := a.next()
	if g == nil {
		return nil, more
	}
	return g, more
}

// next starts the next work-group.
func (a *groups) next() (g *turningGroup, more bool) {
	if !a.left() {
		return nil, false
	}
	if g = a.group(); g == nil {
		return nil, true
	}
	d := a.d
	var now groupNow
	g.n, g.ended = d.next.Add(1)-1, false
	d.group(d.place(g.n), &now)
	g.id, g.waves = now.id, wavesOf(now.count)
	return g, true
}

// left reports whether there is a work-group that can start, now or after another one has ended.
func (a *groups) left() bool {
	n := a.d.next.Load()
	return n < int64(a.d.total) && n < a.d.failed.Load() && a.ctx.Err() == nil
}

// group returns a turningGroup that is not in use, nil if there cannot be another one.
func (a *groups) group() *turningGroup {
	if n := len(a.idle); n > 0 {
		g := a.idle[n-1]
		a.idle = a.idle[:n-1]
		return g
	}
	d := a.d
	if len(a.all)+len(a.rest) == d.atATime() {
		return nil
	}
	g := &turningGroup{of: a, w: d.newWorker(len(a.all)+len(a.rest), d.c.watched())}
	a.all = append(a.all, g)
	g.release = g.w.stopWith(a.ctx)
	g.w.turn = g
	g.resume, _ = iter.Pull(g.work)
	return g
}

// work executes one work-group after another.
func (g *turningGroup) work(yield func(struct{}) bool) {
	g.yield = yield
	for g.n >= 0 {
		g.w.some(g.of.ctx, g.n, g.n+1)
		g.ended = true
		yield(struct{}{})
	}
}

// ID implements [unseen.Group].
func (g *turningGroup) ID() [3]uint32 { return g.id }

// Waves implements [unseen.Group].
func (g *turningGroup) Waves() int { return g.waves }

// Run implements [unseen.Group].
func (g *turningGroup) Run() (done bool) {
	if g.ended {
		return true
	}
	g.resume()
	if g.ended {
		g.of.idle = append(g.of.idle, g)
	}
	return g.ended
}

// moved records that a wave of g executed an instruction. g is nil if work-groups do not take turns.
func (g *turningGroup) moved() {
	if g != nil {
		g.of.d.quiet = 0
	}
}

// Pause implements [unseen.Group].
func (g *turningGroup) Pause() { g.pausing, g.w.sliceCut = true, slice-turnSlice }

// Left implements [unseen.Group].
func (g *turningGroup) Left() int { return max(g.of.d.total-int(g.of.d.next.Load()), 0) }

// RunNext implements [unseen.Group].
func (g *turningGroup) RunNext(n int) (instructions uint64, ok bool) {
	a, d := g.of, g.of.d
	if n <= 0 || n > g.Left() || !a.helped() {
		return 0, false
	}
	executed := func() (n uint64) {
		for _, w := range a.rest {
			n += w.res.Instructions
		}
		return n
	}
	before, until := executed(), d.next.Load()+int64(n)
	d.share(a.ctx, a.rest, until)
	d.next.Store(until)
	return executed() - before, true
}

// helped allocates the workers of RunNext and reports whether there is one.
func (a *groups) helped() bool {
	d := a.d
	if len(a.rest) > 0 {
		return true
	}
	var others watchers
	for _, w := range d.c.watched().all {
		if w != d.c.watched().scheduler {
			_ = others.add(w) // cannot fail, because it has been added before
		}
	}
	most := 1
	if len(others.all) == 0 {
		most = cmp.Or(d.c.Workers, runtime.GOMAXPROCS(0))
	}
	d.gap = gap
	for range min(most, d.atATime()-len(a.all)) {
		a.rest = append(a.rest, d.newWorker(len(a.all)+len(a.rest), &others))
	}
	return len(a.rest) > 0
}

// end finishes all started work-groups and releases their storage. If several fault, the first in the grid counts, so
// that those before a faulted one continue.
func (a *groups) end() {
	for _, g := range a.all {
		g.w.watch(&nobody)
		g.w.turn = nil
		if g.yield != nil && g.n < a.d.failed.Load() {
			g.Run()
		}
	}
	a.stop()
	for _, g := range a.all {
		if g.yield != nil { // the work-group sees that the context has ended
			g.w.limit.Store(0)
			g.Run()
		}
		if !g.release() {
			g.w.spoilt = true
		}
		g.n = -1
		g.resume()
		a.d.leave(g.w)
	}
	for _, w := range a.rest {
		a.d.leave(w)
	}
}
