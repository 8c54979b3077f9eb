//go:build linux && (amd64 || arm64)

package device

import (
	"context"
	"encoding/binary"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/packet/aql"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// GPU addresses of the test runtime's data.
const (
	kfdEvents  = 0x100000000
	kfdQueueAt = 0x100100000 // amd_queue_t, its write index 8 bytes before the end
	kfdRing    = 0x100200000
	kfdSignals = 0x100300000
	kfdData    = 0x100400000
	kfdCode    = 0x100500000
)

// rocr plays the role of ROCr in this process.
type rocr struct {
	*client
	k      *KFD
	write  uint64 // number of packets submitted
	queue  uint32
	loaded []Loaded      // code objects
	unread error         // the error that Loaded returns
	rings  func()        // called by a write to the doorbell
	armed  chan struct{} // gets an element when the doorbell is armed; nil without an armed doorbell

	submitting sync.Mutex // orders the test's writes before the device's reads, for the race detector
}

// Inode returns the inode of the client's file for every descriptor.
func (r *rocr) Inode(int) (device, inode uint64, err error) { return inodeOf(r.f.store.file) }

// Hold returns the arena itself, which outlives the call.
func (r *rocr) Hold() (Held, error) { return r, nil }

// Loaded lists the code objects.
func (r *rocr) Loaded() ([]Loaded, error) {
	r.submitting.Lock()
	defer r.submitting.Unlock()
	return r.loaded, r.unread
}

// WatchStores arms the doorbell of a runtime that has one.
func (r *rocr) WatchStores(_ *os.File, offset uint64, stored func()) (arm func() bool, stop func()) {
	require.EqualValues(r.t, doorbellOffset, offset)
	r.rings = stored
	return func() bool {
		select {
		case r.armed <- struct{}{}:
			return true
		default:
			return false
		}
	}, func() {}
}

// TestKFDDoorbell: once the doorbell is armed, rings are not polled until a store to the doorbell.
func TestKFDDoorbell(t *testing.T) {
	r := newRuntime(t, Options{Chip: "vega10", MemoryBytes: 64 << 20}, func(r *rocr) { r.armed = make(chan struct{}) })
	var p aql.Packet
	p[0] = byte(aql.BarrierAnd) // without signals
	done := func() bool { return r.get64(kfdQueueAt+aql.QueueReadIndex) == r.write }
	unseen := 0
	for range 20 {
		<-r.armed
		untilStacks(t, 1, "[select", ".(*KFD).look(") // the last poll before it sleeps
		r.submit(p)
		time.Sleep(10 * lookQuiet) // long enough for several polls, if there were any
		if !done() {
			unseen++
			r.rings()
		}
		require.Eventually(t, done, time.Minute, time.Millisecond)
		if unseen == 2 {
			return
		}
	}
	t.Errorf("of 20 packets %d waited for the doorbell", unseen)
}

// newRuntime opens the render node and /dev/kfd, and creates a queue of 16 packets.
func newRuntime(t testing.TB, o Options, with ...func(*rocr)) *rocr {
	t.Helper()
	c := newClient(t, o)
	k, err := c.f.dev.OpenKFD()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, k.Close()) })
	r := &rocr{client: c, k: k}
	for _, f := range with {
		f(r)
	}
	require.Zero(t, r.call(0x15, &kfdAcquireVM{0, gpuID}, nil))
	page := r.alloc(kfdEvents, 8*maxSignalEvents, allocGTT)
	for _, at := range []uint64{kfdQueueAt, kfdRing, kfdSignals, kfdData, kfdCode} {
		r.alloc(at, 64<<10, allocVRAM)
	}
	for i := range 2 {
		e := kfdCreateEvent{Page: page, Kind: eventSignal, AutoReset: 1}
		require.Zero(t, r.call(nrCreateEvent, &e, &e))
		require.EqualValues(t, i+1, e.ID)
	}
	e := kfdCreateEvent{Kind: eventMemory}
	require.Zero(t, r.call(nrCreateEvent, &e, &e))
	for i := range 1024 / aql.PacketBytes {
		r.gpu(kfdRing + uint64(i)*aql.PacketBytes)[0] = byte(aql.Invalid)
	}
	// the first signal is for errors, the second for the end of packets
	r.put64(kfdQueueAt+aql.QueueInactive, kfdSignals)
	for i, event := range []uint64{2, 1} {
		r.put64(kfdSignals+uint64(i)*64+aql.SignalMailbox, kfdEvents+8*event)
		r.put64(kfdSignals+uint64(i)*64+aql.SignalEvent, event)
	}
	q := kfdCreateQueue{
		Ring: kfdRing, RingBytes: 1024, ReadPtr: kfdQueueAt + aql.QueueReadIndex, WritePtr: kfdQueueAt + 0x1000,
		GPU: gpuID, Kind: 2, Percentage: 100,
	}
	require.Zero(t, r.call(nrCreateQueue, &q, &q))
	r.queue = q.ID
	return r
}

// call makes an ioctl on /dev/kfd, like client.ioctl on the render node.
func (r *rocr) call(nr uint8, in, out any) syscall.Errno {
	r.t.Helper()
	size := binary.Size(in)
	addr := r.put(in)
	errno := r.k.Ioctl(r.t.Context(), r, 3<<30|uint32(size)<<16|'K'<<8|uint32(nr), addr)
	if out != nil && errno == 0 {
		b, err := r.at(addr, binary.Size(out))
		require.NoError(r.t, err)
		decode(b, out)
	}
	return errno
}

// alloc allocates and maps memory.
func (r *rocr) alloc(va, size uint64, flags uint32) (handle uint64) {
	r.t.Helper()
	a := kfdAlloc{VA: va, Size: size, GPU: gpuID, Flags: flags | allocWritable}
	require.Zero(r.t, r.call(nrAlloc, &a, &a))
	require.Zero(r.t, r.call(nrMap, &kfdMap{Handle: a.Handle, Count: 1}, nil))
	return a.Handle
}

// gpu returns the GPU memory from an address on.
func (r *rocr) gpu(addr uint64) []byte {
	b, err := r.f.space.span(addr, 1<<20, true)
	require.NoError(r.t, err)
	return b
}

func (r *rocr) put64(addr, v uint64)     { word(r.gpu(addr), 0).Store(v) }
func (r *rocr) get64(addr uint64) uint64 { return word(r.gpu(addr), 0).Load() }

// kernel writes code and a descriptor with these user SGPRs, and returns the descriptor's address.
func (r *rocr) kernel(text string, properties uint32) uint64 {
	r.t.Helper()
	p, err := asm.Assemble(r.f.dev.chip.Target, text, asm.LLVM)
	require.NoError(r.t, err)
	b := r.gpu(kfdCode)
	le := binary.LittleEndian
	le.PutUint64(b[16:], 256)
	le.PutUint32(b[48:], 1|1<<6) // 8 VGPRs, 16 SGPRs
	users := uint32(0)
	for i, n := range []uint32{4, 2, 2, 2, 2, 2, 1} {
		users += n * (properties >> i & 1)
	}
	le.PutUint32(b[52:], users<<1|1<<7) // and the X number of the work-group
	le.PutUint32(b[56:], properties)
	for i, w := range p.Words {
		le.PutUint32(b[256+4*i:], w)
	}
	return kfdCode
}

// submit writes a packet into the ring, its type last, and returns after the device was notified.
func (r *rocr) submit(p aql.Packet) {
	r.submitting.Lock()
	defer r.submitting.Unlock()
	slot := r.gpu(kfdRing + r.write%16*aql.PacketBytes)
	copy(slot[8:], p[8:64])
	r.write++
	word(slot, 0).Store(binary.LittleEndian.Uint64(p[:]))
	r.put64(kfdQueueAt+0x1000, r.write)
}

// launch returns a packet that dispatches a kernel with 64 work-items. It decrements the second signal.
func launch(kernel, kernarg uint64) (p aql.Packet) {
	le := binary.LittleEndian
	p[0], p[2] = byte(aql.KernelDispatch), 1
	le.PutUint16(p[4:], 64)
	le.PutUint32(p[12:], 64)
	le.PutUint64(p[32:], kernel)
	le.PutUint64(p[40:], kernarg)
	le.PutUint64(p[56:], kfdSignals+64)
	return p
}

// wait waits for events and returns the result.
func (r *rocr) wait(ms uint32, ids ...uint32) (result uint32, list []kfdEventData) {
	r.t.Helper()
	for _, id := range ids {
		list = append(list, kfdEventData{ID: id})
	}
	w := kfdWait{List: r.put(list), Count: uint32(len(ids)), Timeout: ms}
	require.Zero(r.t, r.call(0x0c, &w, &w))
	b, err := r.at(w.List, binary.Size(list))
	require.NoError(r.t, err)
	decode(b, list)
	return w.Result, list
}

const patience = 30_000 // milliseconds

// storeSelf stores the work-group's number at the address in the kernarg segment.
const storeSelf = "s_load_dwordx2 s[2:3], s[0:1], 0x0\nv_mov_b32 v1, s4\nv_lshlrev_b32 v3, 2, v0\ns_waitcnt " +
	"lgkmcnt(0)\n" +
	"v_mov_b32 v4, s3\nv_add_u32 v2, vcc, s2, v3\nv_addc_u32 v3, vcc, 0, v4, vcc\nflat_store_dword v[2:3], v1\ns_endpgm"

func TestKFDDispatch(t *testing.T) {
	for _, name := range []string{"fiji", "polaris10"} {
		r := newRuntime(t, Options{Chip: name, MemoryBytes: 64 << 20})
		kernel := r.kernel("s_add_u32 s4, s2, 42\n"+storeSelf, 1<<aql.HasKernargPtr)
		r.put64(kfdData, kfdData+0x100)
		r.put64(kfdSignals+64+aql.SignalValue, 20)
		for range 20 { // more than the ring's size, so it wraps
			for r.write-r.get64(kfdQueueAt+aql.QueueReadIndex) >= 16 {
				time.Sleep(time.Millisecond)
			}
			r.submit(launch(kernel, kfdData))
		}
		for r.get64(kfdSignals+64+aql.SignalValue) != 0 {
			result, _ := r.wait(patience, 1)
			require.Zero(t, result, "no event in time")
		}
		assert.EqualValues(t, 20, r.get64(kfdQueueAt+aql.QueueReadIndex))
		begin, end := r.get64(kfdSignals+64+aql.SignalStart), r.get64(kfdSignals+64+aql.SignalEnd)
		assert.Positive(t, begin)
		for lane := range uint64(32) { // two lanes at a time
			assert.EqualValues(t, 42<<32|42, r.get64(kfdData+0x100+8*lane))
		}
		assert.Greater(t, end, begin)
		r.k.stop() // stop, because kernels change until then
		assert.Len(t, r.f.dev.Kernels(), 1)
		assert.Equal(t, 20, r.f.dev.Kernels()[0].Dispatches)
	}
}

// TestKFDBarriers: packets wait for signals that the host stores.
func TestKFDBarriers(t *testing.T) {
	r := newRuntime(t, Options{Chip: "vega10", MemoryBytes: 64 << 20})
	barrier := func(kind aql.Type, signals ...uint64) (p aql.Packet) {
		p[0] = byte(kind)
		for i, s := range signals {
			binary.LittleEndian.PutUint64(p[8+8*i:], kfdSignals+64*s)
		}
		binary.LittleEndian.PutUint64(p[56:], kfdSignals+64)
		return p
	}
	value := barrier(aql.Vendor, 4)
	value[2], value[16], value[24], value[32] = aql.BarrierValue, 7, 0xff, 0
	r.put64(kfdSignals+64+aql.SignalValue, 3)
	for _, s := range []uint64{2, 3, 4} {
		r.put64(kfdSignals+64*s+aql.SignalValue, 1)
	}
	r.submit(barrier(aql.BarrierAnd, 2, 3))
	r.submit(barrier(aql.BarrierOr, 3, 4))
	r.submit(value)
	done := func() uint64 { return 3 - r.get64(kfdSignals+64+aql.SignalValue) }
	for want, s := range []uint64{2, 3} {
		result, _ := r.wait(20, 1)
		require.EqualValues(t, 1, result, "it must wait")
		require.Zero(t, done(), want)
		r.put64(kfdSignals+64*s+aql.SignalValue, 0)
	}
	// The second packet passes because of signal 3.
	require.Eventually(t, func() bool { return done() == 2 }, time.Minute, time.Millisecond)
	r.put64(kfdSignals+64*4+aql.SignalValue, 0x107)
	require.Eventually(t, func() bool { return done() == 3 }, time.Minute, time.Millisecond)
}

// TestKFDTimes: on the model's clock, packets that are already in the ring start when the previous one ends, however
// long the simulator takes. A barrier ends after the packets that it waits for.
func TestKFDTimes(t *testing.T) {
	params := timing.Default(gcn.GFX900)
	r := newRuntime(t, Options{Chip: "vega10", MemoryBytes: 64 << 20, Timing: &params})
	require.Zero(t, r.call(0x07, &kfdUpdateQueue{Ring: kfdRing, ID: r.queue, RingBytes: 1024}, nil))
	kernel, barrier := launch(r.kernel("s_endpgm", 0), 0), aql.Packet{byte(aql.BarrierAnd)}
	le := binary.LittleEndian
	le.PutUint64(barrier[8:], kfdSignals+64*8)
	const later = 1 << 62
	r.put64(kfdSignals+64*8+aql.SignalEnd, later)
	for i, p := range []aql.Packet{kernel, kernel, barrier, kernel} {
		signal := kfdSignals + 64*uint64(i+1)
		le.PutUint64(p[56:], signal)
		r.put64(signal+aql.SignalValue, 1)
		r.submit(p)
	}
	require.Zero(t, r.call(0x07, &kfdUpdateQueue{Ring: kfdRing, ID: r.queue, RingBytes: 1024, Percentage: 100}, nil))
	require.Eventually(t, func() bool { return r.get64(kfdSignals+64*4+aql.SignalValue) == 0 }, time.Minute,
		time.Millisecond)
	begin := func(i uint64) uint64 { return r.get64(kfdSignals + 64*i + aql.SignalStart) }
	end := func(i uint64) uint64 { return r.get64(kfdSignals + 64*i + aql.SignalEnd) }
	assert.Equal(t, end(1), begin(2))
	assert.Less(t, end(2)-begin(1), uint64(10_000), "nanoseconds of the model")
	assert.Equal(t, end(2), begin(3))
	assert.EqualValues(t, later, end(3))
	assert.EqualValues(t, later, begin(4))
}

// TestKFDErrors: the runtime receives errors in the same way as from hardware and its driver.
func TestKFDErrors(t *testing.T) {
	change := func(f func(p []byte)) func(r *rocr) aql.Packet {
		return func(r *rocr) aql.Packet {
			p := launch(r.kernel("s_endpgm", 0), 0)
			f(p[:])
			return p
		}
	}
	for name, c := range map[string]struct {
		packet func(r *rocr) aql.Packet
		code   uint64
	}{
		"no descriptor":    {change(func(p []byte) { p[32], p[38] = 0, 1 }), aql.BadCode},
		"no work-item":     {change(func(p []byte) { p[4] = 0 }), aql.BadDimensions},
		"a large group":    {change(func(p []byte) { p[5] = 8 }), aql.BadGroupSize},
		"much LDS":         {change(func(p []byte) { p[31] = 1 }), aql.BadGroupMemory},
		"an unknown type":  {change(func(p []byte) { p[0] = 77 }), aql.BadPacket},
		"an agent's":       {change(func(p []byte) { p[0] = byte(aql.AgentDispatch) }), aql.BadPacket},
		"a vendor format":  {change(func(p []byte) { p[0], p[2] = 0, 9 }), aql.BadPacket},
		"commands nowhere": {change(func(p []byte) { clear(p[:56]); p[2], p[7], p[6] = aql.PM4IB, 0xc0, 2 }), aql.BadPacket},
		"a barrier's signal nowhere": {change(func(p []byte) {
			clear(p[:56])
			p[0], p[13] = byte(aql.BarrierAnd), 1
		}), aql.BadPacket},
		"a value's signal nowhere": {change(func(p []byte) {
			clear(p[:56])
			p[0], p[2], p[13] = byte(aql.Vendor), aql.BarrierValue, 1
		}), aql.BadPacket},
		"the end's signal nowhere": {change(func(p []byte) { clear(p[56:]); p[61] = 1 }), aql.BadPacket},
		"s_trap":                   {func(r *rocr) aql.Packet { return launch(r.kernel("s_trap 2\ns_endpgm", 0), 0) }, aql.TrapTaken},
		"no instruction":           {func(r *rocr) aql.Packet { return launch(r.kernel(".long 0xffffffff", 0), 0) }, aql.IllegalCode},
	} {
		var faults []*Fault
		r := newRuntime(t, Options{Chip: "vega10", MemoryBytes: 64 << 20,
			Faulted: func(f *Fault) { faults = append(faults, f) }})
		r.submit(c.packet(r))
		result, _ := r.wait(patience, 2)
		require.Zero(t, result, name)
		assert.Equal(t, c.code, r.get64(kfdSignals+aql.SignalValue), name)
		require.Len(t, faults, 1, name)
		assert.Contains(t, faults[0].Error(), "the queue executes nothing more", name)
		require.Zero(t, r.call(0x03, &kfdQueueID{ID: r.queue}, nil), name)
	}
}

// TestKFDMemoryFault: the event of a memory exception has the page, and says whether read-only memory is mapped
// there.
func TestKFDMemoryFault(t *testing.T) {
	const readOnly = 0x700001000
	for i, code := range []string{"flat_load_dword v2, v[0:1]", "flat_store_dword v[0:1], v2"} {
		r := newRuntime(t, Options{Chip: "vega10", MemoryBytes: 64 << 20})
		if i == 1 {
			a := kfdAlloc{VA: readOnly, Size: 4096, GPU: gpuID, Flags: allocVRAM}
			require.Zero(t, r.call(nrAlloc, &a, &a))
			require.Zero(t, r.call(nrMap, &kfdMap{Handle: a.Handle, Count: 1}, nil))
			code = "flat_load_dword v2, v[0:1]\n" + code
		}
		r.submit(launch(r.kernel("v_mov_b32 v0, 0x1234\nv_mov_b32 v1, 7\n"+code+"\ns_endpgm", 0), 0))
		result, list := r.wait(patience, 1<<31|1)
		require.Zero(t, result)
		le, data := binary.LittleEndian, list[0].Data[:]
		assert.EqualValues(t, 1-i, le.Uint32(data), "not present")
		assert.EqualValues(t, i, le.Uint32(data[4:]), "read-only")
		assert.EqualValues(t, readOnly, le.Uint64(data[16:]))
		assert.EqualValues(t, gpuID, le.Uint32(data[24:]))
	}
}

// TestKFDScratch: a packet that needs more scratch memory than its queue has waits until the runtime has provided it.
func TestKFDScratch(t *testing.T) {
	r := newRuntime(t, Options{Chip: "vega10", MemoryBytes: 64 << 20})
	p := launch(r.kernel("s_endpgm", 0), 0)
	p[25] = 4 // 1,024 bytes
	r.put64(kfdSignals+64+aql.SignalValue, 1)
	r.submit(p)
	result, _ := r.wait(patience, 2)
	require.Zero(t, result)
	assert.EqualValues(t, aql.NeedsScratch, r.get64(kfdSignals+aql.SignalValue))
	binary.LittleEndian.PutUint32(r.gpu(kfdQueueAt+aql.QueueScratchLane), 1024)
	r.put64(kfdSignals+aql.SignalValue, 0)
	require.Eventually(t, func() bool { return r.get64(kfdSignals+64+aql.SignalValue) == 0 }, time.Minute,
		time.Millisecond)
}

// TestKFDRunning: two kernels that wait for each other end; a queue is destroyed while its kernel loops for ever;
// closing the files ends the rest.
func TestKFDRunning(t *testing.T) {
	r := newRuntime(t, Options{Chip: "vega10", MemoryBytes: 64 << 20})
	r.submit(launch(r.kernel("s_branch 0xffff", 0), 0))
	require.Eventually(t, func() bool { return len(r.f.dev.Kernels()) == 1 }, time.Minute, time.Millisecond)
	require.Zero(t, r.call(0x03, &kfdQueueID{ID: r.queue}, nil))
	require.EqualValues(t, syscall.EINVAL, r.call(0x03, &kfdQueueID{ID: r.queue}, nil))
}

// TestKFDUserMemory: a dispatch sees memory of the process, and the process sees what the dispatch wrote.
func TestKFDUserMemory(t *testing.T) {
	r := newRuntime(t, Options{Chip: "vega10", MemoryBytes: 64 << 20})
	const there, at = arenaBase + 0x80000, 0x100600000
	a := kfdAlloc{VA: at, Size: 4096, GPU: gpuID, Flags: allocUserptr | allocWritable, Offset: there}
	require.Zero(t, r.call(nrAlloc, &a, &a))
	require.Zero(t, r.call(nrMap, &kfdMap{Handle: a.Handle, Count: 1}, nil))
	require.NoError(t, r.WriteAt([]byte{5, 0, 0, 0}, there))
	r.put64(kfdSignals+64+aql.SignalValue, 1)
	r.submit(launch(r.kernel("v_mov_b32 v0, 0x00600000\nv_mov_b32 v1, 1\nv_mov_b32 v2, 3\ns_mov_b64 exec, "+
		"1\nflat_atomic_add v[0:1], v2\ns_endpgm", 0), 0))
	result, _ := r.wait(patience, 1)
	require.Zero(t, result)
	var got [4]byte
	require.NoError(t, r.ReadAt(got[:], there))
	assert.Equal(t, [4]byte{8}, got)
	require.Zero(t, r.call(nrFree, &kfdHandle{a.Handle}, nil))
}

// TestKFDUserMemoryShared: two dispatches and the process write to the same page at the same time, and the stores of
// all three are kept.
func TestKFDUserMemoryShared(t *testing.T) {
	r := newRuntime(t, Options{Chip: "vega10", MemoryBytes: 64 << 20})
	const there, at = arenaBase + 0x80000, 0x100600000
	a := kfdAlloc{VA: at, Size: takenBytes + 8192, GPU: gpuID, Flags: allocUserptr | allocWritable, Offset: there}
	require.Zero(t, r.call(nrAlloc, &a, &a))
	require.Zero(t, r.call(nrMap, &kfdMap{Handle: a.Handle, Count: 1}, nil))
	theirs := func(i uint64) byte {
		var b [1]byte
		require.NoError(t, r.ReadAt(b[:], there+i))
		return b[0]
	}
	first := r.f.borrow()
	r.gpu(at)[0] = 1
	require.NoError(t, r.WriteAt([]byte{2}, there+8))
	require.NoError(t, r.WriteAt([]byte{6}, there+takenBytes+4097))
	second := r.f.borrow()
	assert.Equal(t, byte(1), r.gpu(at)[0], "what the first dispatch wrote")
	assert.Equal(t, byte(2), r.gpu(at)[8], "what the process wrote")
	assert.Equal(t, byte(6), r.gpu(at + takenBytes)[4097], "what the process wrote in the second piece")
	r.gpu(at)[5000] = 3
	require.NoError(t, r.WriteAt([]byte{4}, there+5001))
	first()
	r.gpu(at)[0] = 5
	second()
	for i, want := range map[uint64]byte{0: 5, 8: 2, 5000: 3, 5001: 4} {
		assert.Equal(t, want, theirs(i), "byte %d of the process", i)
	}
}

// TestTopology: for each chip with /dev/kfd, the topology agrees with the render node.
func TestTopology(t *testing.T) {
	for _, c := range chip.All() {
		d, err := New(Options{Chip: c.Name, MemoryBytes: 1 << 20})
		require.NoError(t, err)
		files := d.Topology()
		require.Equal(t, d.HasKFD(), files != nil, c.Name)
		if files == nil {
			_, err := d.OpenKFD()
			require.Error(t, err)
			continue
		}
		v := isa.TraitsOf(c.Target).Version
		properties := files[topologyDir+"nodes/1/properties"]
		for _, line := range []string{
			"simd_count " + strconv.Itoa(4*c.Identity.SEs*c.Identity.SHs*c.Identity.CUs),
			"gfx_target_version " + strconv.Itoa(v[0]*10000+v[1]*100+v[2]),
			"device_id " + strconv.Itoa(int(c.Identity.PCI)), "vendor_id 4098",
		} {
			assert.Contains(t, properties, line+"\n", c.Name)
		}
	}
}

// FuzzKFD: whatever ioctls a program makes on /dev/kfd, and whatever it writes to a ring and its index, the device
// continues, the queue can be destroyed while it executes, and the device can be closed.
func FuzzKFD(f *testing.F) {
	numbers := make([]uint8, 0, len(kfdIoctls))
	for nr := range kfdIoctls {
		numbers = append(numbers, nr)
	}
	slices.Sort(numbers)
	for i := range numbers {
		f.Add([]byte{byte(i), byte(i + 1), 1}, []byte{2, 0, 1, 0, 64}, uint64(0))
	}
	for kind := range byte(6) {
		f.Add([]byte{}, append([]byte{kind, 0, 2}, make([]byte, 61)...), uint64(kind)<<60|17)
	}
	f.Fuzz(func(t *testing.T, calls, packets []byte, beyond uint64) {
		r := newRuntime(t, fuzzOptions("vega10"))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		for at := 0; at < min(len(packets), 16*aql.PacketBytes); at += aql.PacketBytes {
			var p aql.Packet
			copy(p[:], packets[at:])
			r.submit(p)
		}
		r.put64(kfdQueueAt+0x1000, r.write+beyond) // also behind the ring's end
		for i := 0; i < min(len(calls), 32); i++ {
			nr := numbers[int(calls[i])%len(numbers)]
			size := uint32(kfdIoctls[nr].size)
			_ = r.k.Ioctl(ctx, nonsense(calls), 3<<30|size<<16|'K'<<8|uint32(nr), uint64(i))
		}
		for r.write > 0 && effort.Full() && r.get64(kfdQueueAt+aql.QueueReadIndex) == 0 && ctx.Err() == nil {
			time.Sleep(100 * time.Microsecond)
		}
		_ = r.call(0x03, &kfdQueueID{ID: r.queue}, nil) // whatever the queue is executing
	})
}
