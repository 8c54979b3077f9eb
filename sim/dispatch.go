package sim

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/sim/codeobj"
	"github.com/gcnsim/gcnsim/state"
)

// Dispatch runs a kernel over its grid: work-groups in parallel, the waves of one in
// turn. The error is a *[LaunchError], a *[codeobj.Error], a *[MapError], a
// *[state.Fault] or that of ctx; of several faults it is that of the first work-group in
// grid order. A panic is a fault of kind internal.
//
// What a launch leaves does not depend on how many work-groups run at a time, with these
// exceptions. Work-groups that reach the same memory at places of which one is written, and
// not by atomic operations alone, race as on hardware: which value remains, and what a plain
// load sees of another work-group's atomics and stores, may differ from run to run. With
// Workers 1 it does not. After an error memory and the counts of the result hold what has run,
// which may be more of the grid with more workers.
func (m *Machine) Dispatch(ctx context.Context, l Launch) (*Result, error) {
	if l.Module == nil || l.Module.m != m || l.Module.ranges == nil {
		return nil, &LaunchError{l.Kernel, "its module is not in the memory of this machine; load it there"}
	}
	k, err := l.Module.Object.Kernel(l.Kernel)
	if err != nil {
		return nil, err
	}
	if err := l.check(k); err != nil {
		return nil, err
	}
	d, err := m.newDispatch(ctx, &l, k)
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

	ldsBytes               uint32
	private                uint32 // private memory of a work-item in bytes
	kernarg, packet, queue uint64 // addresses
	scratchBase            uint64 // private memory: address,
	waveScratch            uint64 // bytes of one wave, a multiple of 1 KiB
	owned                  []*Buffer
	gds                    unit.Span
	images                 *unit.Images // nil without image instructions

	next   atomic.Int64 // next work-group to run
	failed atomic.Int64 // lowest work-group that failed

	result Result

	mu      sync.Mutex // guards what follows
	failure error
	done    int
}

// newDispatch maps what the kernel's registers point to and lays out its arguments.
func (m *Machine) newDispatch(ctx context.Context, l *Launch, k *codeobj.Kernel) (*dispatch, error) {
	d := &dispatch{m: m, l: l, k: k, grid: size(l.Grid), group: size(l.Group)}
	d.total = 1
	for i := range d.groups {
		d.groups[i] = uint32(ceil(d.grid[i], d.group[i]))
		d.total *= int(d.groups[i]) // at most maxGroups
	}
	d.wavesPerGroup = (int(d.group[0]*d.group[1]*d.group[2]) + state.NumLanes - 1) / state.NumLanes
	d.failed.Store(int64(d.total))
	var err error
	if d.code, err = l.Module.decoded(ctx, k.VGPRs); err != nil {
		return nil, err
	}
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

// The scratch of a wave: COMPUTE_TMPRING_SIZE.WAVESIZE has 13 bits of 1 KiB. Source: LLVM,
// GCNSubtarget, the largest scratch of a wave.
const (
	scratchUnit    = 1 << 10
	maxWaveScratch = (1<<13 - 1) * scratchUnit
)

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
		d.waveScratch = (uint64(d.private)*state.NumLanes + scratchUnit - 1) &^ (scratchUnit - 1)
		if d.waveScratch > maxWaveScratch {
			return &LaunchError{d.k.Name, fmt.Sprintf("it needs %d bytes of scratch a work-item, the hardware has at most %d", d.private, maxWaveScratch/state.NumLanes)}
		}
		b, err := d.m.reserve(d.waveScratch*uint64(d.wavesPerGroup), scratchUnit)
		if err != nil {
			return err
		}
		d.owned, d.scratchBase = append(d.owned, b), b.Addr
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
	if d.l.Observer != nil || d.l.Inspector != nil || d.l.Clock != nil || d.ordered() {
		workers = 1
	}
	all := make([]*worker, min(workers, d.total))
	for i := range all {
		all[i] = d.newWorker()
	}
	var group errgroup.Group
	for _, w := range all {
		group.Go(func() error {
			w.work(ctx)
			return nil
		})
	}
	_ = group.Wait() // failures are kept in d, by work-group
	for _, w := range all {
		d.result.add(&w.res)
		d.m.retire(w)
	}
	return d.result.finish(), d.failure
}

// ordered reports whether the result depends on the order of work-groups. Then they run
// one after another, so that it is the same every time.
func (d *dispatch) ordered() bool {
	return slices.ContainsFunc(d.code, func(p *Program) bool { return p.ordered })
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
