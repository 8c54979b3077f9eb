package device

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/packet/aql"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Limits of a dispatch.
const (
	maxGroupItems = 1024
	maxGroupLDS   = 64 << 10
)

// name returns the queue's name for reports.
func (q *kfdQueue) name() string {
	return fmt.Sprintf("%s queue %d", [...]string{kindPM4: "PM4", kindSDMA: "SDMA", kindAQL: "AQL"}[q.kind], q.id)
}

// dispatch executes a kernel dispatch packet. took is its duration in the time model, 0 without a time model. ok is
// false if the packet has to wait for scratch memory, or if the queue has ended.
func (k *KFD) dispatch(q *kfdQueue, p *aql.Packet) (took uint64, ok bool) {
	a := p.Dispatch()
	queue := k.bytes(q.at, aql.QueueBytes)
	kernel := k.bytes(a.Kernel, aql.DescriptorBytes)
	items := uint64(a.Group[0]) * uint64(a.Group[1]) * uint64(a.Group[2])
	switch {
	case queue == nil:
		k.kill(q, aql.BadPacket, "the queue itself is not in memory of the card")
		return 0, false
	case kernel == nil:
		k.kill(q, aql.BadCode, "packet %d: the kernel descriptor at 0x%x is not in memory of the card: %s", q.read,
			a.Kernel, k.file.space.nearest(a.Kernel))
		return 0, false
	case items == 0:
		k.kill(q, aql.BadDimensions, "packet %d: a work-group of %v work-items", q.read, a.Group)
		return 0, false
	case items > maxGroupItems:
		k.kill(q, aql.BadGroupSize, "packet %d: a work-group of %d work-items, more than %d", q.read, items, maxGroupItems)
		return 0, false
	case a.LDS > maxGroupLDS:
		k.kill(q, aql.BadGroupMemory, "packet %d: %d bytes of LDS, more than %d", q.read, a.LDS, maxGroupLDS)
		return 0, false
	}
	if !k.hasScratch(q, queue, a.Private) {
		return 0, false
	}
	f, descriptor := k.file, aql.ReadDescriptor(kernel)
	d := &Dispatch{
		File: f.id, Number: f.numberDispatch(), Ring: q.name(), Submission: q.read, Begin: f.engine.clock.now(),
		Registers: k.registers(q, &a, queue, descriptor),
	}
	d.Registers.Label = fmt.Sprintf("dispatch %d", d.Number)
	if groups := d.Registers.End; q.gws.Load() && uint64(groups[0])*uint64(groups[1])*uint64(groups[2]) > 1 {
		d.Registers.Schedule = sim.Cooperative
	}
	d.Code, d.Registers.CodeObject = f.space.place(d.Registers.Program), k.objects.at
	d.identify = func(n *Kernel, code []byte) { k.identify(n, code, descriptor.Entry) }
	giveBack := f.borrow()
	f.execute(q.ctx, d)
	giveBack()
	if q.ctx.Err() != nil {
		return 0, false
	}
	f.dispatched(d)
	if d.Err != nil {
		k.fail(q, d)
		return 0, false
	}
	if binary.LittleEndian.Uint32(queue[aql.QueueProperties:])&aql.ScratchOnce != 0 && a.Private > 0 {
		k.tell(q, aql.GivesScratchBack)
	}
	if d.Model != nil {
		took = max(d.Cycles*1000/uint64(k.dev.options.Timing.ClockMHz), 1)
	}
	return took, true
}

// hasScratch reports whether the queue has the scratch memory per work-item that a packet needs. If it has not,
// hasScratch asks the runtime once, and the packet waits for the runtime's answer.
func (k *KFD) hasScratch(q *kfdQueue, queue []byte, private uint32) bool {
	has := func() bool { return private <= binary.LittleEndian.Uint32(queue[aql.QueueScratchLane:]) }
	if has() {
		q.asked = false
		return true
	}
	if !q.asked {
		q.asked = true
		k.tell(q, aql.NeedsScratch)
		return false
	}
	handle := k.word(q.at + aql.QueueInactive)
	if handle == nil {
		return false
	}
	if v := k.word(handle.Load() + aql.SignalValue); v != nil && v.Load() == 0 && !has() {
		k.kill(q, aql.BadPacket, "packet %d wants %d bytes of scratch a work-item, which the runtime does not give",
			q.read, private)
	}
	return false
}

// registers returns the initial registers of a dispatch, from the packet, the queue and the kernel descriptor (rules
// ST12 and ST14).
func (k *KFD) registers(q *kfdQueue, a *aql.Dispatch, queue []byte, kernel aql.Descriptor) sim.Compute {
	le, o := binary.LittleEndian, &k.dev.options
	k.mu.Lock()
	privateBase := k.scratch
	k.mu.Unlock()
	c := sim.Compute{
		Initiator: sim.ShaderEnable | sim.PartialGroups, Program: a.Kernel + uint64(kernel.Entry),
		RSRC:    isa.WithLDS(gcn.RSRC(kernel.RSRC), k.dev.chip.Target, int(a.LDS)),
		TmpRing: le.Uint32(queue[aql.QueueTmpRing:]), PrivateBase: privateBase,
		Config: sim.Config{Rules: o.Rules, Limit: o.Limit}, Workers: o.Workers,
	}
	for i, group := range a.Group {
		c.End[i] = uint32((uint64(a.Grid[i]) + uint64(group) - 1) / uint64(group))
		c.NumThread[i] = group | a.Grid[i]%group<<16
	}
	at := 0
	put := func(property int, words ...uint32) {
		if kernel.Properties>>property&1 != 0 {
			at += copy(c.UserData[at:], words)
		}
	}
	wide := func(v uint64) []uint32 { return []uint32{uint32(v), uint32(v >> 32)} }
	dword := func(at int) uint32 { return le.Uint32(queue[at:]) }
	vsharp := aql.QueueScratchVSharp
	put(aql.HasPrivateVSharp, dword(vsharp), dword(vsharp+4), dword(vsharp+8), dword(vsharp+12))
	put(aql.HasDispatchPtr, wide(q.slot())...)
	put(aql.HasQueuePtr, wide(q.at)...)
	put(aql.HasKernargPtr, wide(a.Kernarg)...)
	put(aql.HasDispatchID, wide(q.read)...)
	second := dword(aql.QueueScratchLane)
	if isa.TraitsOf(k.dev.chip.Target).FlatScratchIsAddr {
		second = dword(aql.QueueScratch + 4)
	}
	put(aql.HasFlatScratch, dword(aql.QueueScratch), second)
	put(aql.HasPrivateSize, dword(aql.QueueScratchLane))
	put(aql.HasGroupCountX, c.End[0])
	put(aql.HasGroupCountY, c.End[1])
	put(aql.HasGroupCountZ, c.End[2])
	return c
}

// fail reports to the user and to the runtime why a dispatch ended early. The queue executes nothing more.
func (k *KFD) fail(q *kfdQueue, d *Dispatch) {
	q.dead.Store(true)
	f := k.file
	fault := &Fault{
		Chip: k.dev.chip.Name, File: f.id, Ring: d.Ring, Submission: d.Submission, Dispatch: d.Number, Code: f.placeOf(d.Err),
		Err: f.host.explain(d.Err), queue: true,
	}
	wave, ok := errors.AsType[*state.Fault](d.Err)
	f.report(fault)
	le := binary.LittleEndian
	var data [32]byte
	switch {
	case ok && wave.Kind == state.FaultMemory:
		k.raiseMemoryFault(wave.Addr)
	case ok && wave.Kind == state.FaultTrap:
		k.tell(q, aql.TrapTaken)
	case ok && (wave.Kind == state.FaultLimit || wave.Kind == state.FaultDeadlock): // kfd_hsa_hw_exception_data: a hang
		le.PutUint32(data[8:], 1) // memory is lost
		le.PutUint32(data[12:], gpuID)
		k.raiseAll(eventHardware, data)
		k.tell(q, aql.TrapTaken) // ROCr 5.2 does not read that event
	default:
		k.tell(q, aql.IllegalCode)
	}
}

// raiseMemoryFault tells the runtime that an address cannot be accessed. The event data
// (kfd_hsa_memory_exception_data) says "not present", or "read-only" if memory is mapped there.
func (k *KFD) raiseMemoryFault(addr uint64) {
	le := binary.LittleEndian
	var data [32]byte
	why := data[0:]
	if _, err := k.file.space.span(addr, 1, false); err == nil && k.bytes(addr, 1) == nil {
		why = data[4:]
	}
	le.PutUint32(why, 1)
	le.PutUint64(data[16:], addr&^(pageBytes-1))
	le.PutUint32(data[24:], gpuID)
	k.raiseAll(eventMemory, data)
}
