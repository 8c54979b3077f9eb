package device

import (
	"context"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/packet/aql"
	"github.com/gcnsim/gcnsim/internal/packet/pm4"
)

// kfdQueue is a user-mode queue: a ring of packets in memory of the process. Indices count packets for AQL, bytes for
// SDMA, and dwords for PM4.
type kfdQueue struct {
	id       uint32
	kind     uint32 // kind of the packets: kindPM4, kindSDMA or kindAQL
	turns    bool   // SDMA indices count bytes without wrapping at the end of the ring
	ring     uint64 // address of the ring
	size     uint64 // size of the ring in bytes
	writePtr uint64 // address of the write index: behind the last reserved packet
	readPtr  uint64 // address of the read index: the next packet
	at       uint64 // address of the amd_queue_t, for AQL packets

	ctx    context.Context // ends when the queue is destroyed
	cancel context.CancelFunc

	suspended atomic.Bool
	dead      atomic.Bool // set after an error, until the queue is destroyed
	pending   atomic.Bool // a packet of the queue waits for something
	gws       atomic.Bool // it has global wave sync: its launches are cooperative

	// The fields below belong to the goroutine that executes packets.
	read  uint64 // index of the next packet
	asked bool   // the runtime was already asked for scratch memory
	until uint64 // time when the last packet ended, on the GPU's clock
	next  bool   // the next packet was already in the ring at that time
	pm4   submission

	working bool // a goroutine is executing packets; the lock of the KFD guards it
}

// maxQueues is the number of doorbells of a process.
const maxQueues = 1024

type kfdCreateQueue struct {
	Ring, WritePtr, ReadPtr, Doorbell              uint64
	RingBytes, GPU, Kind, Percentage, Priority, ID uint32
	EOP, EOPBytes, Save                            uint64
	SaveBytes, StackBytes, Engine, _               uint32
}

// Kinds of queues, KFD_IOC_QUEUE_TYPE_*.
const (
	kindPM4        = 0
	kindSDMA       = 1
	kindAQL        = 2
	kindSDMAEngine = 4 // SDMA on the engine that the call selects
)

// createQueue creates a queue of AQL, SDMA or PM4 packets. It refuses queues for links between cards.
func (k *KFD) createQueue(c *call, in *kfdCreateQueue) (kfdCreateQueue, syscall.Errno) {
	const maxRing = 1 << 30
	size := uint64(in.RingBytes)
	q := &kfdQueue{kind: in.Kind, ring: in.Ring, size: size, writePtr: in.WritePtr, readPtr: in.ReadPtr}
	parts := [][2]uint64{{q.ring, size}, {q.writePtr, 8}, {q.readPtr, 8}}
	switch {
	case in.Kind == kindAQL && in.ReadPtr >= aql.QueueReadIndex:
		q.at = in.ReadPtr - aql.QueueReadIndex // it is only accessed when a packet needs it
	case in.Kind == kindSDMA || in.Kind == kindSDMAEngine && in.Engine < sdmaEngines:
		q.kind, q.turns = kindSDMA, isa.TraitsOf(k.dev.chip.Target).Apertures
	case in.Kind == kindPM4:
		q.pm4.ring = &ring{id: ringID{ip: ipCompute}, user: q}
	default:
		c.logf("a queue of kind %d is refused: there are queues of PM4 (kind 0), AQL (kind 2) and SDMA (kinds 1 and 4)",
			in.Kind)
		return *in, syscall.EINVAL
	}
	if in.GPU != gpuID || size < aql.PacketBytes || size > maxRing || size&(size-1) != 0 || in.Ring%aql.PacketBytes != 0 {
		return *in, syscall.EINVAL
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, part := range parts {
		if !k.shares(part[0], part[1]) {
			c.logf("a queue is refused: %d bytes at 0x%x are not memory of the card; HSA_USERPTR_FOR_PAGED_MEM=0 makes "+
				"ROCr allocate it there",
				part[1], part[0])
			return *in, syscall.EINVAL
		}
	}
	free := slices.Index(k.queues, nil)
	if free < 0 {
		free = len(k.queues)
		k.queues = append(k.queues, nil)
	}
	if free >= maxQueues {
		return *in, syscall.ENOMEM
	}
	q.id = uint32(free)
	q.ctx, q.cancel = context.WithCancel(k.ctx)
	k.queues[free] = q
	k.listen(c)
	in.ID, in.Doorbell = q.id, doorbellOffset
	if isa.TraitsOf(k.dev.chip.Target).Apertures { // doorbells have 64 bits, and user space expects this index
		in.Doorbell += 8 * uint64(q.id)
	}
	return *in, 0
}

// shares reports whether a range is mapped memory of the card, which the process sees without copies. The caller
// holds the lock.
func (k *KFD) shares(addr, size uint64) bool {
	for _, b := range k.buffers {
		if b.bo != nil && b.host == nil && b.mapped && addr >= b.va && addr-b.va < b.size && size <= b.size-(addr-b.va) {
			return true
		}
	}
	return false
}

type kfdQueueID struct{ ID, _ uint32 }

// destroyQueue destroys a queue. Its packets have stopped executing when the call returns.
func (k *KFD) destroyQueue(c *call, in *kfdQueueID) (kfdQueueID, syscall.Errno) {
	k.mu.Lock()
	defer k.mu.Unlock()
	q := k.queue(in.ID)
	if q == nil {
		return *in, syscall.EINVAL
	}
	k.queues[q.id] = nil
	q.cancel()
	return *in, k.mu.wait(c.ctx, forever, func() bool { return !q.working })
}

// queue returns the queue with that number, or nil. The caller holds the lock.
func (k *KFD) queue(id uint32) *kfdQueue {
	if uint64(id) >= uint64(len(k.queues)) {
		return nil
	}
	return k.queues[id]
}

type kfdUpdateQueue struct {
	Ring                                uint64
	ID, RingBytes, Percentage, Priority uint32
}

// updateQueue suspends a queue (0 percent, or no ring) or continues it. It refuses to replace the ring by another
// one.
func (k *KFD) updateQueue(c *call, in *kfdUpdateQueue) (kfdUpdateQueue, syscall.Errno) {
	k.mu.Lock()
	defer k.mu.Unlock()
	q := k.queue(in.ID)
	if q == nil {
		return *in, syscall.EINVAL
	}
	if in.Ring != 0 && in.Ring != q.ring {
		c.logf("UPDATE_QUEUE: %s keeps its ring, it does not get another one: EINVAL", q.name())
		return *in, syscall.EINVAL
	}
	q.suspended.Store(in.Percentage == 0 || in.Ring == 0 || in.RingBytes == 0)
	return *in, 0
}

// Pauses between two polls of rings and event slots: the first one after a call or a packet, the longest while a
// packet executes or waits, and the longest of an idle queue. After lookQuiet the doorbells are armed, if the
// transport can do that, and polling stops until a doorbell is written. Programs that wait for events make calls,
// which also poll.
const (
	lookFirst = 20 * time.Microsecond
	lookBusy  = 500 * time.Microsecond
	lookQuiet = 5 * time.Millisecond
	lookIdle  = 250 * time.Millisecond
	lookNever = time.Hour
)

// look is the goroutine that polls rings, and starts others that execute their packets.
func (k *KFD) look() {
	pause, armed := lookFirst, false
	timer := time.NewTimer(lookNever)
	defer timer.Stop()
	for k.ctx.Err() == nil {
		busy, found, watched := k.lookOnce()
		switch {
		case !watched:
			pause = lookNever
		case found:
			pause = lookFirst
		case busy:
			pause = min(max(pause, lookFirst)*5/4, lookBusy)
		case armed: // no packet arrived while the doorbell was armed
			pause = lookNever
		default:
			pause = min(max(pause, lookFirst)*5/4, lookIdle)
		}
		if armed = pause >= lookQuiet && watched && !armed && k.armDoorbells(); armed {
			continue
		}
		if pause < time.Millisecond { // Go's timers cannot wait less than that
			sleep(pause)
			pause = k.woken(pause)
			continue
		}
		timer.Reset(pause)
		select {
		case <-k.wake:
			pause = lookFirst
		case <-timer.C:
		case <-k.ctx.Done():
			return
		}
	}
}

// armDoorbells makes the next store to a doorbell call lookSoon, and reports whether that is possible.
func (k *KFD) armDoorbells() bool {
	k.mu.Lock()
	arm := k.arm
	k.mu.Unlock()
	return arm != nil && arm()
}

// listen asks the caller's transport to announce doorbells, if it can. The caller holds the lock.
func (k *KFD) listen(c *call) {
	p, ok := c.proc.(interface {
		WatchStores(file *os.File, offset uint64, stored func()) (arm func() bool, stop func())
	})
	if ok && k.arm == nil {
		k.arm, k.hush = p.WatchStores(k.mem.file, doorbellOffset, k.lookSoon)
	}
}

// woken returns the pause after the next poll, which follows a short pause.
func (k *KFD) woken(pause time.Duration) time.Duration {
	select {
	case <-k.wake:
		return lookFirst
	default:
		return pause
	}
}

// lookOnce polls all rings and slots once. busy says that a packet executes or waits, found that a poll found
// something new, watched that there is anything to poll.
func (k *KFD) lookOnce() (busy, found, watched bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.file == nil || k.ctx.Err() != nil {
		return false, false, false
	}
	found = k.scanSlots()
	for _, q := range k.queues {
		if q == nil {
			continue
		}
		watched = true
		switch {
		case q.working:
			busy = true
		case q.dead.Load() || q.suspended.Load() || !k.hasWork(q):
		default:
			busy = busy || q.pending.Load()
			found = found || !q.pending.Load()
			q.working = true
			k.work.Go(func() { k.drain(q) })
		}
	}
	return busy, found, watched || k.page != nil
}

// hasWork reports whether the next packet of a queue is complete. A slot may be reserved already: its packet is
// complete when its type is written.
func (k *KFD) hasWork(q *kfdQueue) bool {
	w := k.word(q.writePtr)
	switch {
	case w == nil:
		return true // the goroutine that executes packets reports the error
	case q.kind == kindSDMA:
		return w.Load() != q.index()
	case q.kind == kindPM4:
		return q.left(w.Load()) > 0
	case q.read >= w.Load():
		return false
	}
	head := k.word(q.slot())
	return head == nil || aql.Type(head.Load()) != aql.Invalid
}

// slot returns the address of the next packet.
func (q *kfdQueue) slot() uint64 { return q.ring + q.read*aql.PacketBytes%q.size }

// word returns 64 bits of GPU memory for atomic access, or nil if they are not mapped for writing.
func (k *KFD) word(addr uint64) *atomic.Uint64 {
	b := k.bytes(addr, 8)
	if b == nil || addr%8 != 0 {
		return nil
	}
	return word(b, 0)
}

// bytes returns n bytes of GPU memory, or nil if they are not mapped for writing in one piece.
func (k *KFD) bytes(addr, n uint64) []byte {
	b, err := k.file.space.span(addr, n, true)
	if err != nil || uint64(len(b)) < n {
		return nil
	}
	return b
}

// drain executes packets of a queue until the next one is incomplete or has to wait.
func (k *KFD) drain(q *kfdQueue) {
	step := [...]func(*kfdQueue) bool{kindPM4: k.stepPM4, kindSDMA: k.stepSDMA, kindAQL: k.step}[q.kind]
	for q.next = false; q.ctx.Err() == nil && !q.dead.Load() && !q.suspended.Load() && k.hasWork(q) && step(q); {
		q.pending.Store(false)
		q.next = true
	}
	k.mu.Lock()
	q.working = false
	k.mu.broadcast()
	k.mu.Unlock()
	if !q.pending.Load() {
		k.lookSoon()
	}
}

// step executes the next packet. It reports false if the packet has to wait, or the queue has ended.
func (k *KFD) step(q *kfdQueue) bool {
	b := k.bytes(q.slot(), aql.PacketBytes)
	if b == nil {
		k.kill(q, aql.BadPacket, "packet %d is not in memory of the card", q.read)
		return false
	}
	begin := k.begin(q)
	head := word(b, 0).Load() // read atomically, before the rest of the packet
	p := aql.Packet(b)
	signal, took, ok := p.Signal(), uint64(0), true
	switch p.Type() {
	case aql.KernelDispatch:
		took, ok = k.dispatch(q, &p)
	case aql.BarrierAnd, aql.BarrierOr:
		ok = k.passes(q, &p)
	case aql.Vendor:
		if !isa.TraitsOf(k.dev.chip.Target).Apertures {
			signal = 0 // the slot has PM4 commands that signal the end of a cache operation
			break
		}
		ok = k.vendor(q, &p)
	default:
		k.kill(q, aql.BadPacket, "packet %d is of %v, which the card does not execute", q.read, p.Type())
		return false
	}
	if !ok || q.dead.Load() || q.ctx.Err() != nil {
		q.pending.Store(true)
		return false
	}
	if q.until = max(k.begin(q), begin+1); took > 0 {
		q.until = begin + took
	}
	// before the index is stored, because the slot is free after that
	word(b, 0).Store(head&^0xff | uint64(aql.Invalid))
	q.read++
	if !k.showRead(q, q.read) {
		return false
	}
	if signal != 0 && !k.complete(signal, begin, q.until) {
		k.kill(q, aql.BadPacket, "packet %d decrements the signal at 0x%x, which is not in memory of the card: %s",
			q.read-1, signal, k.file.space.nearest(signal))
		return false
	}
	return true
}

// showRead stores the read index of a queue in memory for the program. If that memory is no longer mapped, it ends
// the queue and returns false.
func (k *KFD) showRead(q *kfdQueue, index uint64) bool {
	r := k.word(q.readPtr)
	if r == nil {
		k.kill(q, aql.BadPacket, "the read index at 0x%x is not in memory of the card: %s", q.readPtr,
			k.file.space.nearest(q.readPtr))
		return false
	}
	r.Store(index)
	return true
}

// begin returns the start time of a packet. Without a time model it is the present. With one, a packet that was in
// the ring when the previous packet ended starts at that end: the time that the simulator itself needed is not time
// of the card.
func (k *KFD) begin(q *kfdQueue) uint64 {
	if q.next && k.dev.options.Timing != nil {
		return q.until
	}
	return max(gpuNow(), q.until)
}

// waited returns the value of a signal that the next packet waits for. It ends the queue if the signal is not mapped.
func (k *KFD) waited(q *kfdQueue, signal uint64) (value uint64, ok bool) {
	w := k.word(signal + aql.SignalValue)
	if w == nil {
		k.kill(q, aql.BadPacket, "packet %d waits for the signal at 0x%x, which is not in memory of the card: %s", q.read,
			signal, k.file.space.nearest(signal))
		return 0, false
	}
	return w.Load(), true
}

// passes reports whether all signals that a barrier packet waits for are ready. The barrier's end time is then after
// the packets that decremented them. The queue ends if a signal is not mapped.
func (k *KFD) passes(q *kfdQueue, p *aql.Packet) bool {
	waits, done := 0, 0
	for _, signal := range p.Barrier() {
		if signal == 0 {
			continue
		}
		waits++
		v, ok := k.waited(q, signal)
		if !ok {
			return false
		}
		if v == 0 {
			done++
			if end := k.word(signal + aql.SignalEnd); end != nil && k.dev.options.Timing != nil {
				q.until = max(q.until, end.Load())
			}
		}
	}
	if p.Type() == aql.BarrierOr {
		return done > 0 || waits == 0
	}
	return done == waits
}

// vendor executes a vendor-specific packet of GCN 1.4.
func (k *KFD) vendor(q *kfdQueue, p *aql.Packet) bool {
	switch p.Format() {
	case aql.BarrierValue:
		v := p.BarrierValue()
		if v.Signal == 0 { // like other barriers without a signal
			return true
		}
		value, ok := k.waited(q, v.Signal)
		return ok && v.Holds(int64(value))
	case aql.PM4IB:
		if err := k.commands(p); err != nil {
			k.kill(q, aql.BadPacket, "packet %d, a command buffer in a queue of AQL packets: %v", q.read, err)
			return false
		}
		return true
	}
	k.kill(q, aql.BadPacket, "packet %d is a vendor packet of format %d", q.read, p.Format())
	return false
}

// commands checks the command buffer that a vendor packet names. It may only contain cache operations, which have no
// effect here.
func (k *KFD) commands(p *aql.Packet) error {
	stream := pm4.Stream{Gen: k.dev.chip.Target.Gen(), Ring: pm4.Compute}
	call, _, err := stream.Next(p.Words(1, 4), 0)
	if err != nil {
		return err
	}
	if call.Effect != pm4.Call {
		return refuse("%s is not a command buffer", call.Name)
	}
	words, err := k.file.space.words(call.Get(pm4.Addr), int(call.Get(pm4.Dwords)))
	if err != nil {
		return err
	}
	for at := 0; at < len(words); {
		packet, size, err := stream.Next(words, at)
		if err != nil {
			return err
		}
		if packet.Effect != pm4.Nothing {
			return refuse("%s is executed in command buffers of the render node only", packet.Name)
		}
		at += size
	}
	return nil
}

// complete stores start and end time in a signal, decrements its value and raises its event. The program may free the
// signal as soon as it sees the value. It returns false if the signal is not mapped.
func (k *KFD) complete(signal, begin, end uint64) bool {
	b := k.bytes(signal, aql.SignalBytes)
	if b == nil || signal%8 != 0 {
		return false
	}
	word(b, aql.SignalStart).Store(begin)
	word(b, aql.SignalEnd).Store(end)
	mailbox, event := word(b, aql.SignalMailbox).Load(), uint32(word(b, aql.SignalEvent).Load())
	word(b, aql.SignalValue).Add(^uint64(0))
	if mailbox != 0 {
		k.raise(event)
	}
	return true
}

// tell reports an error to the runtime: it stores a value in the queue's error signal and raises that signal's event.
func (k *KFD) tell(q *kfdQueue, value uint64) {
	handle := k.word(q.at + aql.QueueInactive)
	if handle == nil {
		return
	}
	signal := handle.Load()
	b := k.bytes(signal, aql.SignalBytes)
	if b == nil || signal%8 != 0 {
		return
	}
	word(b, aql.SignalValue).Store(value)
	k.raise(uint32(word(b, aql.SignalEvent).Load()))
}

// kill ends a queue with an error code that the runtime defines.
func (k *KFD) kill(q *kfdQueue, code uint64, format string, args ...any) {
	q.dead.Store(true)
	k.file.report(&Fault{
		Chip: k.dev.chip.Name, File: k.file.id, Ring: q.name(), Submission: q.read, Err: refuse(format, args...), queue: true,
	})
	k.tell(q, code)
}
