package device

import (
	"encoding/binary"
	"slices"
	"syscall"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// Ioctl numbers that are used outside of the table.
const (
	nrCreateQueue = 0x02
	nrCreateEvent = 0x08
	nrAlloc       = 0x16
	nrFree        = 0x17
	nrMap         = 0x18
	nrUnmap       = 0x19
)

// kfdIoctls are the implemented ioctls of /dev/kfd, by number. Source: linux/kfd_ioctl.h.
var kfdIoctls = map[uint8]entry[*KFD]{
	0x01:          on("GET_VERSION", (*KFD).version),
	nrCreateQueue: on("CREATE_QUEUE", (*KFD).createQueue),
	0x03:          on("DESTROY_QUEUE", (*KFD).destroyQueue),
	0x04:          on("SET_MEMORY_POLICY", (*KFD).setMemoryPolicy),
	0x05:          on("GET_CLOCK_COUNTERS", (*KFD).clockCounters),
	0x06:          on("GET_PROCESS_APERTURES", (*KFD).apertures),
	0x07:          on("UPDATE_QUEUE", (*KFD).updateQueue),
	nrCreateEvent: on("CREATE_EVENT", (*KFD).createEvent),
	0x09:          on("DESTROY_EVENT", (*KFD).destroyEvent),
	0x0a:          on("SET_EVENT", (*KFD).setEvent),
	0x0b:          on("RESET_EVENT", (*KFD).resetEvent),
	0x0c:          on("WAIT_EVENTS", (*KFD).waitEvents),
	0x11:          on("SET_SCRATCH_BACKING_VA", (*KFD).setScratch),
	0x12:          on("GET_TILE_CONFIG", (*KFD).tileConfig),
	0x13:          on("SET_TRAP_HANDLER", (*KFD).setTrapHandler),
	0x14:          on("GET_PROCESS_APERTURES_NEW", (*KFD).aperturesNew),
	0x15:          on("ACQUIRE_VM", (*KFD).acquireVM),
	nrAlloc:       on("ALLOC_MEMORY_OF_GPU", (*KFD).allocMemory),
	nrFree:        on("FREE_MEMORY_OF_GPU", (*KFD).freeMemory),
	nrMap:         on("MAP_MEMORY_TO_GPU", (*KFD).mapMemory),
	nrUnmap:       on("UNMAP_MEMORY_FROM_GPU", (*KFD).unmapMemory),
	0x1a:          on("SET_CU_MASK", (*KFD).setCUMask),
	0x1e:          on("ALLOC_QUEUE_GWS", (*KFD).allocGWS),
	0x21:          on("SET_XNACK_MODE", (*KFD).setXNACK),
	0x23:          on("AVAILABLE_MEMORY", (*KFD).availableMemory),
	0x80:          on("IPC_IMPORT_HANDLE", (*KFD).ipcImport),
	0x81:          on("IPC_EXPORT_HANDLE", (*KFD).ipcExport),
}

// kfdRefused are the ioctls that the device refuses by name: the others of the newest kernel header, and from 0x80 on
// those of AMD's own driver.
var kfdRefused = map[uint8]string{
	0x0d: "DBG_REGISTER", 0x0e: "DBG_UNREGISTER", 0x0f: "DBG_ADDRESS_WATCH", 0x10: "DBG_WAVE_CONTROL",
	0x1b: "GET_QUEUE_WAVE_STATE", 0x1c: "GET_DMABUF_INFO", 0x1d: "IMPORT_DMABUF", 0x1f: "SMI_EVENTS", 0x20: "SVM",
	0x22: "CRIU_OP", 0x24: "EXPORT_DMABUF", 0x25: "RUNTIME_ENABLE", 0x26: "DBG_TRAP", 0x27: "CREATE_PROCESS",
	0x82: "DBG_TRAP of ROCm before 5.3", 0x83: "CROSS_MEMORY_COPY", 0x84: "RLC_SPM", 0x85: "PC_SAMPLE", 0x86: "PROFILER",
}

// kfdTried are unimplemented calls that libraries try and can do without. The log does not mention them.
var kfdTried = map[uint8]bool{0x25: true, 0x26: true, 0x82: true}

// needsMemory are the ioctls that fail before ACQUIRE_VM.
var needsMemory = map[uint8]bool{
	nrCreateQueue: true, nrCreateEvent: true, nrAlloc: true, nrFree: true, nrMap: true, nrUnmap: true, 0x80: true,
}

type kfdVersion struct{ Major, Minor uint32 }

// version returns 1.11, the interface of Linux 6.1. With 1.0 ROCr uses no interrupts, and below 1.4 it ignores
// gfx906. Below 1.9 the ROCr of ROCm 6 fails, because it calls AVAILABLE_MEMORY. From 1.12 on it exchanges dma-bufs,
// and from 1.13 on it calls the debugger's ioctls.
func (k *KFD) version(_ *call, _ *none) (kfdVersion, syscall.Errno) { return kfdVersion{1, 11}, 0 }

type kfdMemoryPolicy struct {
	Base, Size   uint64
	GPU, Policy  uint32
	Alternate, _ uint32
}

// setMemoryPolicy accepts all policies, because memory is always coherent.
func (k *KFD) setMemoryPolicy(_ *call, in *kfdMemoryPolicy) (kfdMemoryPolicy, syscall.Errno) {
	return *in, 0
}

type kfdClocks struct {
	GPU, CPU, System, Frequency uint64
	ID, _                       uint32
}

// clockCounters returns clocks in nanoseconds. The GPU's clock, which fills the times of signals, is the system's
// clock. It is read once for both results, because ROCr computes event times from their difference.
func (k *KFD) clockCounters(_ *call, in *kfdClocks) (kfdClocks, syscall.Errno) {
	now := gpuNow()
	return kfdClocks{GPU: now, CPU: uint64(rawClock()), System: now, Frequency: 1e9, ID: in.ID}, 0
}

// gpuNow returns the GPU's clock in nanoseconds: CLOCK_BOOTTIME, as long as the machine does not sleep.
func gpuNow() uint64 { return uint64(monotonic() + asleep) }

type kfdAperture struct {
	LDSBase, LDSLimit, ScratchBase, ScratchLimit, VMBase, VMLimit uint64
	GPU, _                                                        uint32
}

// aperture returns the address ranges of LDS, private memory and global memory for the GPU. libhsakmt gets addresses
// of buffers from mmap for gfx9, and from the range below the limit of 2^40 for others.
func (k *KFD) aperture() kfdAperture {
	t := isa.TraitsOf(k.dev.chip.Target)
	limit := uint64(1)<<40 - 1
	if t.Apertures {
		limit = vaEnd - 1
	}
	window := func(high uint32) (lo, hi uint64) { return uint64(high) << 32, uint64(high)<<32 | 0xffffffff }
	a := kfdAperture{VMBase: 0x4000, VMLimit: limit, GPU: gpuID}
	a.LDSBase, a.LDSLimit = window(t.SharedBase)
	a.ScratchBase, a.ScratchLimit = window(t.PrivateBase)
	return a
}

type kfdApertures struct {
	List     [7]kfdAperture
	Count, _ uint32
}

func (k *KFD) apertures(_ *call, _ *none) (out kfdApertures, errno syscall.Errno) {
	out.List[0], out.Count = k.aperture(), 1
	return out, 0
}

type kfdAperturesNew struct {
	List     uint64 // an address
	Count, _ uint32
}

// aperturesNew writes the aperture of the GPU. If the caller's buffer has no entry, it only returns the number of
// GPUs, 1.
func (k *KFD) aperturesNew(c *call, in *kfdAperturesNew) (kfdAperturesNew, syscall.Errno) {
	room := in.Count
	in.Count = 1
	if room == 0 {
		return *in, 0
	}
	a := k.aperture()
	b := make([]byte, binary.Size(a))
	encode(b, &a)
	return *in, c.write(b, in.List)
}

type kfdScratch struct {
	Page   uint64 // address divided by 65,536
	GPU, _ uint32
}

func (k *KFD) setScratch(_ *call, in *kfdScratch) (kfdScratch, syscall.Errno) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.scratch = in.Page << 16
	return *in, 0
}

type kfdTileConfig struct {
	Modes, MacroModes                                      uint64 // addresses
	NumModes, NumMacroModes, GPU, AddrConfig, Banks, Ranks uint32
}

// tileConfig returns the tiling registers. Banks and ranks are the fields of MC_ARB_RAMCFG.
func (k *KFD) tileConfig(c *call, in *kfdTileConfig) (kfdTileConfig, syscall.Errno) {
	t := &k.dev.chip.Tiling
	put := func(addr uint64, n *uint32, words []uint32) (errno syscall.Errno) {
		words = words[:min(uint64(*n), uint64(len(words)))]
		*n = uint32(len(words))
		if len(words) > 0 {
			b := make([]byte, 4*len(words))
			encode(b, words)
			errno = c.write(b, addr)
		}
		return errno
	}
	var modes, macro []uint32
	if t.Modes != nil {
		modes = t.Modes[:]
	}
	if t.MacroModes != nil {
		macro = t.MacroModes[:]
	}
	if errno := put(in.Modes, &in.NumModes, modes); errno != 0 {
		return *in, errno
	}
	if errno := put(in.MacroModes, &in.NumMacroModes, macro); errno != 0 {
		return *in, errno
	}
	in.AddrConfig, in.Banks, in.Ranks = t.AddrConfig, 2, 0
	return *in, 0
}

type kfdTrapHandler struct {
	TBA, TMA uint64
	GPU, _   uint32
}

// setTrapHandler accepts a trap handler that is never entered: the command processor itself reports traps and faults
// to the runtime, with the values that ROCr's handler would store.
func (k *KFD) setTrapHandler(_ *call, in *kfdTrapHandler) (kfdTrapHandler, syscall.Errno) {
	return *in, 0
}

type kfdAcquireVM struct{ FD, GPU uint32 }

func (k *KFD) acquireVM(c *call, in *kfdAcquireVM) (kfdAcquireVM, syscall.Errno) {
	return *in, k.acquire(c.proc, int(int32(in.FD)), in.GPU)
}

type kfdCUMask struct {
	Queue, Bits uint32
	Mask        uint64 // an address
}

// setCUMask accepts all masks, because the CU of a work-group changes no result.
func (k *KFD) setCUMask(_ *call, in *kfdCUMask) (kfdCUMask, syscall.Errno) { return *in, 0 }

type kfdGWS struct{ Queue, Count, First, _ uint32 }

// allocGWS gives all resources of global wave sync to one queue of the process, for cooperative launches, or takes
// them back if the count is 0. Source: kfd_ioctl_alloc_queue_gws, pqm_set_gws.
func (k *KFD) allocGWS(_ *call, in *kfdGWS) (kfdGWS, syscall.Errno) {
	if !k.dev.hasGWS() {
		return *in, syscall.ENODEV
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	q := k.queue(in.Queue)
	switch {
	case q == nil || q.kind == kindSDMA:
		return *in, syscall.EINVAL
	case in.Count > 0 && q.gws.Load() || in.Count == 0 && !q.gws.Load():
		return *in, syscall.EINVAL
	case in.Count > 0 && slices.ContainsFunc(k.queues, func(o *kfdQueue) bool { return o != nil && o.gws.Load() }):
		return *in, syscall.EBUSY
	}
	q.gws.Store(in.Count > 0)
	in.First = 0
	return *in, 0
}

type kfdXNACK struct{ Enabled int32 }

// setXNACK answers a query (-1) and accepts "off". The simulator does not retry faults.
func (k *KFD) setXNACK(_ *call, in *kfdXNACK) (kfdXNACK, syscall.Errno) {
	if in.Enabled > 0 {
		return *in, syscall.EPERM
	}
	return kfdXNACK{}, 0
}

type kfdAvailable struct {
	Bytes  uint64
	GPU, _ uint32
}

func (k *KFD) availableMemory(_ *call, in *kfdAvailable) (kfdAvailable, syscall.Errno) {
	k.mu.Lock()
	f := k.file
	k.mu.Unlock()
	in.Bytes = k.dev.vramBytes()
	if f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		in.Bytes = min(in.Bytes, f.store.size-f.store.taken())
	}
	return *in, 0
}

// vramBytes returns how much of a file's memory is reported as VRAM.
func (d *Device) vramBytes() uint64 { return d.options.MemoryBytes / 2 }
