package sim

import (
	"context"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/state"
)

// Data that a worker writes often must not share cache lines with the data of others. apart is a gap of that size
// between fields, including the pairs of lines that processors fetch together. gap is the size in bytes of such a gap
// between storages, where processors prefetch further.
type apart [128]byte

const gap = 16 << 10

// worker executes work-groups of a dispatch on one goroutine. Its registers, LDS and private memory are reused for
// its next work-groups and for later dispatches.
type worker struct {
	_ apart
	runner
	d       *dispatch
	now     groupNow
	slot    int // number of its first scratch slot
	waves   []*state.Wave
	vgprs   []state.Lanes // VGPRs of all waves, one after another
	lds     *executor.Span
	scratch *executor.Span
	mem     view
	// local and begun hold the initial waves of a work-group of size begunOf, without the state that depends on the
	// work-group: local has the work-item ids in VGPRs, or 0, and begun has everything else.
	local   [][3]state.Lanes
	begun   []state.Wave
	begunOf [3]uint32
	spoilt  bool // the worker panicked, or may still receive a request to stop
	_       apart
}

// view is memory as a worker sees it. It has the worker's own storage for the private segment, if there is one, and a
// small cache of the ranges found last.
type view struct {
	*Memory
	scratch *executor.Span
	ranges  *rangeList // the ranges when near was cleared last
	near    [16]*executor.Span
}

// nearShift: addresses closer than 1<<nearShift use the same entry of view.near.
const nearShift = 20

// Find returns the range that contains addr.
func (v *view) Find(addr uint64) *executor.Span {
	if s := v.scratch; s != nil && addr-s.Base < s.Hi {
		return s
	}
	if all := v.list(); all != v.ranges {
		v.ranges = all
		clear(v.near[:])
	}
	near := &v.near[addr>>nearShift%uint64(len(v.near))]
	if s := *near; s != nil && addr-(s.Base+s.Lo) < s.Hi-s.Lo {
		return s
	}
	s := v.find(addr) // if the ranges change meanwhile, near is cleared by the next call
	*near = s
	return s
}

// maxIdle is the number of workers that a machine keeps, and maxIdleScratch the bytes of private memory that each may
// keep.
const (
	maxIdle        = 64
	maxIdleScratch = 16 << 20
)

// retire keeps w for the next dispatch.
func (m *Machine) retire(w *worker) {
	if w.spoilt {
		return
	}
	if w.scratch != nil && len(w.scratch.Bytes) > maxIdleScratch {
		w.scratch = nil
	}
	w.d, w.mem = nil, view{}
	w.native.release()
	w.runner = runner{}
	m.own.Lock()
	defer m.own.Unlock()
	if len(m.idle) < maxIdle {
		m.idle = append(m.idle, w)
	}
}

// newWorker returns worker n of d, reusing an idle one if possible. The watchers l see its instructions.
func (d *dispatch) newWorker(n int, l *watchers) *worker {
	w := d.m.hire()
	w.d, w.slot = d, 0
	c := d.c.ofDispatch()
	c.watchers = l
	w.code = d.code
	if d.handler != nil {
		w.code = append(slices.Clip(w.code), d.handler)
	}
	w.label, w.memory = d.c.Label, &d.m.Memory
	if d.inMemory {
		w.more = w.findCode
	}
	w.configure(&c, (*ports)(&d.m.Memory))
	w.ports.ScratchBase, w.ports.Images, w.ports.GDS = d.c.PrivateBase, d.images, d.gds
	w.ports.Borders = executor.Borders{Table: d.m.BorderColors, Addr: d.c.BorderColors}
	if d.ldsBytes > 0 {
		w.lds = storage(w.lds, 0, uint64(d.ldsBytes), d.gap)
		w.ports.LDS = *w.lds
	}
	if d.gds.Hi != 0 { // a dispatch with GDS has one worker
		w.ports.Sync = &d.m.sync
	}
	w.mem.Memory = &d.m.Memory
	w.ports.Mem = &w.mem
	w.order, w.ports.Descending = d.order, d.order.kind == Reverse
	w.order.state += uint64(n) << 32
	switch {
	case d.private.size > 0:
		w.scratch = storage(w.scratch, d.private.base, d.private.size, d.gap)
		w.mem.scratch = w.scratch
	case d.slots > 0:
		w.slot = n * d.wavesPerGroup
	}
	held := d.held()
	if n := d.wavesPerGroup * held; len(w.vgprs) < n {
		w.vgprs = make([]state.Lanes, n+int(d.gap/(4*state.NumLanes)))[:n]
	}
	for i := range d.wavesPerGroup {
		if i == len(w.waves) {
			w.waves = append(w.waves, &new(struct {
				state.Wave
				_ apart
			}).Wave)
		}
		wave := w.waves[i]
		wave.V, wave.NumVGPRs, wave.NumSGPRs = w.vgprs[i*held:][:held:held], d.vgprs, d.sgprs
	}
	if len(w.local) < d.wavesPerGroup {
		w.local = make([][3]state.Lanes, d.wavesPerGroup)
		w.begun = make([]state.Wave, d.wavesPerGroup)
	}
	w.begunOf = [3]uint32{}
	return w
}

// held returns the number of VGPRs that are allocated for a wave at its start: those with initial values and those
// that its code can access.
func (d *dispatch) held() int {
	n := d.ids
	for _, p := range d.code {
		if p.indexes {
			return d.vgprs
		}
		n = max(n, p.vgprs)
	}
	return min(n, d.vgprs)
}

// hire returns an idle worker, or a new one.
func (m *Machine) hire() *worker {
	m.own.Lock()
	defer m.own.Unlock()
	n := len(m.idle)
	if n == 0 {
		return &worker{}
	}
	w := m.idle[n-1]
	m.idle = m.idle[:n-1]
	return w
}

// findCode is [runner.more] for a dispatch: it decodes code that was not decoded at the start.
func (w *worker) findCode(pc uint64) (*Program, error) { return w.d.codeAt(w.ctx, pc) }

// changed returns a fault if memory no longer contains the code that was executed, else nil.
func (w *worker) changed() *state.Fault {
	for _, p := range w.code {
		if !p.unchanged(w.memory) {
			f := executor.NewFault(state.FaultUnsupported,
				"the code from here on changed while the dispatch ran; what was decoded before was executed")
			f.PC, f.Dispatch = p.Base, w.label
			return f
		}
	}
	return nil
}

// storage returns s if it is large enough, else a new span of size bytes at base with a gap after it. Its contents
// are not cleared.
func storage(s *executor.Span, base, size, gap uint64) *executor.Span {
	if s == nil || uint64(cap(s.Bytes)) < size {
		s = newSpan(base, size+gap)
		s.Private = true
	}
	s.Base, s.Lo, s.Hi = base, 0, size
	s.Bytes, s.Words = s.Bytes[:size], s.Words[:size/4]
	return s
}

// work executes work-groups before number until that no worker has started, until an earlier one than the next has
// failed.
func (w *worker) work(ctx context.Context, until int64) {
	d := w.d
	release := w.stopWith(ctx)
	defer func() {
		if !release() {
			w.spoilt = true
		}
	}()
	for {
		to := d.next.Add(d.batch)
		if from := to - d.batch; from >= until || !w.some(ctx, from, min(to, until)) {
			return
		}
	}
}

// some executes the work-groups that start as numbers from up to to, and reports whether none of them, and none
// before them, has failed. It writes data that workers share only at its end, because that waits for all earlier
// stores.
func (w *worker) some(ctx context.Context, from, to int64) (ok bool) {
	d, n, telling := w.d, from, false
	defer func() {
		if v := recover(); v != nil {
			w.spoilt = true
			f := w.internal(v)
			switch {
			case telling:
				f.What = fmt.Sprintf("Launch.Progress panicked: %v", v)
			case w.wave != nil:
				w.count(w.waves[:wavesOf(w.now.count)])
			}
			d.fail(min(n, to-1), f)
		}
	}()
	for ; n < to; n++ {
		if n >= d.failed.Load() {
			return false
		}
		err := w.group(ctx, &n, to)
		w.wave = nil // a later panic does not come from an executor
		if err != nil {
			d.fail(n, err)
			return false
		}
	}
	telling = true
	d.progress(int(to - from))
	return true
}

// groupNow is the current work-group. It is not copied, because loads that do not match the size of earlier stores
// stall the processor.
type groupNow struct {
	id, items [3]uint32 // its id, and its number of work-items along each axis
	count     int       // total number of work-items
}

// group sets g to work-group n, counted with x first.
func (d *dispatch) group(n int, g *groupNow) {
	g.items = d.full
	at := [3]uint32{uint32(n)}
	// avoids slow divisions, since most grids are long along one axis
	if x, y, n := uint(d.groups[0]), uint(d.groups[1]), uint(n); n >= x {
		at = [3]uint32{uint32(n % x), uint32(n / x % y), uint32(n / x / y)}
	}
	for i := range at {
		g.id[i] = d.first[i] + at[i]
		if d.last[i] != d.full[i] && at[i] == d.groups[i]-1 {
			g.items[i] = d.last[i]
		}
	}
	g.count = int(g.items[0] * g.items[1] * g.items[2])
}

// wavesOf returns the number of waves that items work-items need.
func wavesOf[N int | uint64](items N) N { return (items + state.NumLanes - 1) / state.NumLanes }

// group executes the work-group that starts as number n. More work-groups before number to may follow in the same
// call; n becomes the last of them.
func (w *worker) group(ctx context.Context, n *int64, to int64) error {
	d, g := w.d, &w.now
	until, skipped, alone := w.undirected(*n)
	if w.driven, w.number, w.total = !alone, *n, int64(d.total); alone {
		to = min(to, until)
	}
	if skipped {
		*n = to - 1
		return nil
	}
	d.group(d.place(*n), g)
	clear(w.ports.LDS.Words)
	if d.private.size > 0 {
		clear(w.scratch.Words)
	}
	if w.begunOf != g.items {
		w.prepare(g)
	}
	live := w.waves[:wavesOf(g.count)]
	for i, wave := range live {
		w.start(wave, i, g)
	}
	var err error
	if len(live) > 1 || ctx.Err() != nil || w.driven || !w.direct(live[0], n, to) {
		err = w.runner.group(ctx, live)
	}
	w.count(live)
	return err
}
