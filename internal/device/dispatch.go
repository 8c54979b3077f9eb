package device

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/packet/pm4"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
)

// Dispatch describes a dispatch. The last three fields are set after it has executed.
type Dispatch struct {
	File       int    // number of the open file, from 1 on
	Number     int    // number among the dispatches of the file, from 1 on
	Ring       string // such as "compute ring 0 of context 1"
	Submission uint64 // sequence number on the ring
	Code       string // location of the first instruction, such as "buffer object 4 + 0x100"
	Kernel     *Kernel
	Model      *timing.Model // the time model of the file's dispatches, nil without one
	Registers  sim.Compute
	Begin      uint64 // in ticks of gpu_counter_freq, which is 27 MHz

	// Ended is called when the dispatch has executed, before the next one. End is not known yet. Watch may set it.
	Ended func()

	identify func(k *Kernel, code []byte) // gives a new kernel its name; nil if no source of names exists
	space    *space
	label    string // the innermost debug label

	End    uint64
	Cycles uint64      // duration, 0 without a time model
	Result *sim.Result // nil if it could not start
	Err    error       // why it ended early, or nil
}

// dispatchIndirect reads the grid size of a dispatch from memory and executes the dispatch.
func (p *processor) dispatchIndirect(f *File, packet *pm4.Packet) error {
	addr := packet.Get(pm4.Addr)
	if packet.Has(pm4.Offset) {
		const indirectArguments = 1
		addr = p.base[indirectArguments] + packet.Get(pm4.Offset)
	}
	var b [12]byte
	if err := f.space.read(b[:], addr); err != nil {
		return err
	}
	var dims [3]uint32
	for i := range dims {
		dims[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return p.dispatch(f, dims, packet)
}

// dispatch executes a dispatch with the current registers.
func (p *processor) dispatch(f *File, dims [3]uint32, packet *pm4.Packet) error {
	initiator := uint32(packet.Get(pm4.Initiator))
	if initiator&sim.ShaderEnable == 0 {
		return nil
	}
	e, r, o := &f.engine, &p.registers, &f.dev.options
	number := f.numberDispatch()
	d := &Dispatch{
		File: f.id, Number: number, Ring: p.work.ring.String(), Submission: p.work.sequence, label: p.labels.innermost(),
		Code: f.space.place(r.program()), Begin: e.clock.now(),
		Registers: sim.Compute{
			Label:     fmt.Sprintf("dispatch %d", number),
			Initiator: initiator, End: dims,
			Start: r.three(pm4.ComputeStartX), NumThread: r.three(pm4.ComputeNumThreadX),
			Program: r.program(), RSRC: gcn.RSRC{r.get(pm4.ComputePgmRsrc1), r.get(pm4.ComputePgmRsrc2)},
			TmpRing:      r.get(pm4.ComputeTmpringSize),
			PrivateBase:  p.work.ring.scratch,
			BorderColors: r.borderColors(f.dev.chip.Target.Gen()),
			Config:       sim.Config{Rules: o.Rules, Limit: o.Limit},
			Workers:      o.Workers,
		},
	}
	for i := range d.Registers.UserData {
		d.Registers.UserData[i] = r.get(pm4.ComputeUserData0 + 4*uint32(i))
	}
	if o.namesKernels() {
		d.identify = f.identify
	}
	f.execute(p.work.ring.ctx(f), d)
	f.dispatched(d)
	if d.Err != nil {
		return &dispatchError{d.Number, d.Err}
	}
	return nil
}

// numberDispatch returns the number of the next dispatch.
func (f *File) numberDispatch() int {
	f.recorded.Lock()
	defer f.recorded.Unlock()
	f.engine.dispatches++
	return f.engine.dispatches
}

// dispatched calls Options.Dispatched for a finished dispatch, unless the file is being closed.
func (f *File) dispatched(d *Dispatch) {
	if tell := f.dev.options.Dispatched; tell != nil && f.ctx.Err() == nil {
		f.dev.tell.Lock()
		defer f.dev.tell.Unlock()
		tell(d)
	}
}

// execute executes a dispatch until it or ctx ends, with the watchers of the options. Dispatches of several queues
// execute at the same time, unless they have watchers or a time model.
func (f *File) execute(ctx context.Context, d *Dispatch) {
	e, o := &f.engine, &f.dev.options
	if o.Watch != nil || o.Timing != nil {
		f.oneByOne.Lock()
		defer f.oneByOne.Unlock()
	}
	d.Kernel, d.Model, d.space = f.kernel(d), e.times.model, f.space
	c := d.Registers
	if o.Progress != nil {
		o.Progress(d, 0, 0)
		c.Progress = func(done, total int) { o.Progress(d, done, total) }
	}
	watchers := f.watchers(d)
	if c.Schedule == sim.Cooperative {
		watchers = nil // watchers need one work-group after another
	}
	if d.Err = c.Watch(watchers...); d.Err == nil {
		d.Result, d.Err = e.machine.Compute(ctx, c)
	}
	if d.Model != nil {
		d.Cycles = e.times.end(f)
	}
	if d.Ended != nil {
		d.Ended()
	}
	f.recorded.Lock()
	defer f.recorded.Unlock()
	if d.Result != nil {
		if d.Model == nil {
			e.clock.add(d.Result.Instructions / instructionsPerTick)
		}
		d.Kernel.Total.Add(d.Result)
	}
	d.Kernel.Cycles += d.Cycles
	d.End = e.clock.now()
}

// watchers returns the watchers of d: the time model and those of the options.
func (f *File) watchers(d *Dispatch) (all []sim.Watcher) {
	if d.Model != nil {
		all = append(all, d.Model)
	}
	if watch := f.dev.options.Watch; watch != nil {
		all = append(all, watch(d)...)
	}
	return all
}

// ctx returns the context that ends when the ring ends.
func (r *ring) ctx(f *File) context.Context {
	if r.user != nil {
		return r.user.ctx
	}
	return f.ctx
}

// stamp returns a timestamp for the program. For user-mode queues it is the clock of GET_CLOCK_COUNTERS.
func (r *ring) stamp(f *File) uint64 {
	if r.user != nil {
		return gpuNow()
	}
	return f.engine.clock.stamp()
}

// String returns the name of the ring.
func (r *ring) String() string {
	if r.user != nil {
		return r.user.name()
	}
	return fmt.Sprintf("%v ring %d of context %d", r.id.ip, r.id.number, r.context.id)
}
