package sim

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/gcnsim/gcnsim/sim/codeobj"
	"github.com/gcnsim/gcnsim/state"
)

// Dispatch runs a kernel over its grid: work-groups in parallel, the waves of one in
// turn. The result does not depend on how many run at a time; of several faults that
// of the first work-group in grid order is reported. The error is a *[LaunchError], a
// *[codeobj.Error], a *[state.Fault] or that of ctx.
func (m *Machine) Dispatch(ctx context.Context, l Launch) (*Result, error) {
	k, err := l.Module.Object.Kernel(l.Kernel)
	if err != nil {
		return nil, err
	}
	if err := l.check(k); err != nil {
		return nil, err
	}
	d, err := m.newDispatch(&l, k)
	if err != nil {
		return nil, err
	}
	defer d.release()
	return d.run(ctx)
}

// dispatch is what the work-groups of a launch share.
type dispatch struct {
	m      *Machine
	l      *Launch
	k      *codeobj.Kernel
	code   []*Program
	grid   [3]uint32
	group  [3]uint32
	groups [3]uint32 // work-groups in x, y, z

	total         int // work-groups
	wavesPerGroup int

	ldsBytes                 uint32
	private                  uint32 // private memory of a work-item in bytes
	kernarg, packet, queue   uint64 // addresses
	scratchBase, waveScratch uint64 // private memory: address, bytes of one wave
	owned                    []*Buffer
	gds                      state.Span
	images                   *state.Images // nil without image instructions

	next   atomic.Int64 // next work-group to run
	failed atomic.Int64 // lowest work-group that failed

	mu      sync.Mutex // guards what follows
	result  Result
	failure error
	done    int
}

// newDispatch maps what the kernel's registers point to and lays out its arguments.
func (m *Machine) newDispatch(l *Launch, k *codeobj.Kernel) (*dispatch, error) {
	d := &dispatch{m: m, l: l, k: k, grid: size(l.Grid), group: size(l.Group)}
	d.total = 1
	for i := range d.groups {
		d.groups[i] = uint32(ceil(d.grid[i], d.group[i]))
		d.total *= int(d.groups[i]) // at most maxGroups
	}
	d.wavesPerGroup = (int(d.group[0]*d.group[1]*d.group[2]) + state.NumLanes - 1) / state.NumLanes
	d.failed.Store(int64(d.total))
	d.code = l.Module.programs(k.VGPRs)
	if len(d.code) == 0 {
		return nil, &LaunchError{k.Name, "the code object has no executable segment"}
	}
	if d.ordered() { // GDS instructions are among those
		d.gds = *m.GDS().span
	}
	if slices.ContainsFunc(d.code, func(p *Program) bool { return p.usesImages }) {
		images, err := m.imagePort()
		if err != nil {
			return nil, err
		}
		d.images = images
	}
	if err := d.layout(); err != nil {
		d.release()
		return nil, err
	}
	return d, nil
}

// Sizes of the structures that registers can point to, in bytes. Source: HSA runtime
// specification, hsa_kernel_dispatch_packet_t; amd_queue_t.
const (
	packetBytes = 64
	queueBytes  = 256
)

// dynamicStackBytes is the least private memory of a work-item in a kernel that calls
// functions it does not know: its object states only the stack that the compiler sees
// (LLVM AMDGPUUsage, USES_DYNAMIC_STACK).
const dynamicStackBytes = 16 << 10

func (d *dispatch) layout() error {
	queue, err := d.alloc(queueBytes)
	if err != nil {
		return err
	}
	packet, err := d.alloc(packetBytes)
	if err != nil {
		return err
	}
	d.queue, d.packet = queue.Addr, packet.Addr
	given, locals, lds, err := d.l.pair(d.k)
	if err != nil {
		return err
	}
	d.ldsBytes = lds
	segment, err := d.l.kernarg(d.k, given, locals, d.hidden)
	if err != nil {
		return err
	}
	if len(segment) > 0 {
		b, err := d.alloc(uint64(len(segment)))
		if err != nil {
			return err
		}
		copy(b.Bytes(), segment)
		d.kernarg = b.Addr
	}
	if d.private = d.k.PrivateBytes; d.k.UsesDynamicStack {
		d.private = max(d.private, dynamicStackBytes)
	}
	if d.private > 0 {
		// Private memory has one address for all work-groups, so that what a kernel sees
		// does not depend on which runs where; each worker brings its own storage.
		d.waveScratch = (uint64(d.private)*state.NumLanes + 0x3ff) &^ 0x3ff
		b, err := d.alloc(d.waveScratch * uint64(d.wavesPerGroup))
		if err != nil {
			return err
		}
		d.scratchBase = b.Addr
	}
	d.fillQueue(queue.Bytes())
	d.fillPacket(packet.Bytes())
	return nil
}

func (d *dispatch) alloc(size uint64) (*Buffer, error) {
	b, err := d.m.Allocate(size, 1)
	if err == nil {
		d.owned = append(d.owned, b)
	}
	return b, err
}

// release unmaps what the dispatch mapped.
func (d *dispatch) release() {
	for _, b := range d.owned {
		d.m.Free(b)
	}
}

func (d *dispatch) run(ctx context.Context) (*Result, error) {
	workers := d.l.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if d.l.Observer != nil || d.l.Clock != nil || d.ordered() {
		workers = 1
	}
	var group errgroup.Group
	for range min(workers, d.total) {
		group.Go(func() error {
			d.work(ctx)
			return nil
		})
	}
	_ = group.Wait() // failures are kept in d, by work-group
	return d.result.finish(), d.failure
}

// ordered reports whether the result depends on the order of work-groups. Then they run
// one after another, so that it is the same every time.
func (d *dispatch) ordered() bool {
	return slices.ContainsFunc(d.code, func(p *Program) bool { return p.ordered })
}

// work runs work-groups until none is left or an earlier one than the next has failed.
func (d *dispatch) work(ctx context.Context) {
	w := d.newWorker()
	for {
		n := d.next.Add(1) - 1
		if n >= d.failed.Load() || n >= int64(d.total) {
			break
		}
		if err := w.group(ctx, int(n)); err != nil {
			d.fail(n, err)
			break
		}
		d.progress()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.result.add(&w.res)
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

func (d *dispatch) progress() {
	if d.l.Progress == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.done++; d.done == d.total || d.done%max(d.total/progressSteps, 1) == 0 {
		d.l.Progress(d.done, d.total)
	}
}

// worker is one goroutine's part of a dispatch: registers, LDS and private memory that
// its work-groups use one after another.
type worker struct {
	runner
	d       *dispatch
	waves   []*state.Wave
	scratch *state.Span
	// local holds the work-item ids of each wave of a work-group of size localOf.
	local   [][3]state.Lanes
	localOf [3]uint32
}

// privateMemory is memory with the worker's own storage for the private segment.
type privateMemory struct {
	*Memory
	scratch *state.Span
}

// Find returns the range that holds addr.
func (p *privateMemory) Find(addr uint64) *state.Span {
	if s := p.scratch; addr-s.Base < s.Hi {
		return s
	}
	return p.Memory.Find(addr)
}

func (d *dispatch) newWorker() *worker {
	w := &worker{d: d, local: make([][3]state.Lanes, d.wavesPerGroup)}
	w.code, w.observer, w.limit = d.code, d.l.Observer, d.l.Limit
	if w.limit == 0 {
		w.limit = DefaultWaveLimit
	}
	w.ports = state.Ports{Mem: &d.m.Memory, Rules: d.l.rules(), ScratchBase: d.scratchBase, Images: d.images}
	w.setClock(d.l.Clock)
	if d.l.Compare {
		w.ports.Compare = new(state.Access)
	}
	if d.m.Target.Gen().Traits().AlignModes {
		w.ports.Align = state.AlignNone // as amdkfd sets it: spec/memory.md 4 L2
	}
	if d.ldsBytes > 0 {
		granule := uint64(d.m.Target.Gen().Traits().LDSGranule)
		w.ports.LDS = *newSpan(0, (uint64(d.ldsBytes)+granule-1)/granule*granule)
	}
	w.ports.GDS = d.gds
	if d.gds.Hi != 0 { // then there is one worker
		w.ports.Sync = &d.m.sync
	}
	if d.waveScratch > 0 {
		w.scratch = newSpan(d.scratchBase, d.waveScratch*uint64(d.wavesPerGroup))
		w.ports.Mem = &privateMemory{&d.m.Memory, w.scratch}
	}
	for i := range d.wavesPerGroup {
		wave := state.NewWave(d.m.Target, d.k.VGPRs)
		wave.ID = i
		w.waves = append(w.waves, wave)
	}
	return w
}

// group runs work-group n, counted x first.
func (w *worker) group(ctx context.Context, n int) error {
	d := w.d
	var id, items [3]uint32
	for i := range id {
		id[i] = uint32(n) % d.groups[i]
		n /= int(d.groups[i])
		// The last work-group of a row has what is left of the grid.
		items[i] = min(d.group[i], d.grid[i]-id[i]*d.group[i])
	}
	clear(w.ports.LDS.Words)
	if w.scratch != nil {
		clear(w.scratch.Words)
	}
	count := int(items[0] * items[1] * items[2])
	live := w.waves[:(count+state.NumLanes-1)/state.NumLanes]
	for i, wave := range live {
		w.start(wave, i, id, items, count)
	}
	err := w.runner.group(ctx, live)
	w.count(live)
	return err
}
