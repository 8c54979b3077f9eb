package device

import (
	"encoding/binary"
	"syscall"

	"github.com/gcnsim/gcnsim/internal/isa"
)

type infoIn struct {
	Pointer uint64
	Size    uint32
	Query   uint32
	Arg     [4]uint32 // arguments of the query
}

// info answers a query. It writes at most as many bytes as the caller's buffer has.
func (f *File) info(c *call, in *infoIn) (out none, errno syscall.Errno) {
	q, ok := queries[in.Query]
	if !ok {
		f.logf("INFO query 0x%02x is not answered: EINVAL", in.Query)
		return out, syscall.EINVAL
	}
	b, errno := q.answer(f, in.Arg)
	if errno != 0 {
		return out, errno
	}
	return out, c.write(b[:min(uint64(len(b)), uint64(in.Size))], in.Pointer)
}

// query is one INFO query, AMDGPU_INFO_*.
type query struct {
	name   string
	answer func(f *File, arg [4]uint32) ([]byte, syscall.Errno)
}

// gives returns the table entry of a query whose answer is a struct.
func gives[T any](name string, answer func(f *File, arg [4]uint32) T) query {
	return query{name, func(f *File, arg [4]uint32) ([]byte, syscall.Errno) {
		v := answer(f, arg)
		b := make([]byte, binary.Size(v))
		encode(b, &v)
		return b, 0
	}}
}

// zeros returns the entry of a query about a feature that the device does not have. The answer is size zeros.
func zeros(name string, size int) query {
	return query{name, func(*File, [4]uint32) ([]byte, syscall.Errno) { return make([]byte, size), 0 }}
}

// queries are the implemented INFO queries.
var queries = map[uint32]query{
	0x00: gives("ACCEL_WORKING", func(*File, [4]uint32) uint32 { return 1 }),
	0x02: gives("HW_IP_INFO", (*File).hwIP),
	0x03: gives("HW_IP_COUNT", func(_ *File, arg [4]uint32) uint32 {
		if ip := ipType(arg[0]); ip == ipGFX || ip == ipCompute {
			return 1
		}
		return 0
	}),
	0x05: gives("TIMESTAMP", (*File).timestamp),
	0x0e: gives("FW_VERSION", (*File).firmware),
	0x0f: zeros("NUM_BYTES_MOVED", 8),
	0x10: gives("VRAM_USAGE", (*File).usage),
	0x11: gives("GTT_USAGE", func(*File, [4]uint32) uint64 { return 0 }),
	0x13: zeros("GDS_CONFIG", 32),
	0x14: gives("VRAM_GTT", (*File).vramGTT),
	0x15: {"READ_MMR_REG", (*File).readRegisters},
	0x16: gives("DEV_INFO", (*File).deviceInfo),
	0x17: gives("VIS_VRAM_USAGE", (*File).usage),
	0x18: zeros("NUM_EVICTIONS", 8),
	0x19: gives("MEMORY", (*File).memoryInfo),
	0x1a: zeros("VCE_CLOCK_TABLE", 104),
	0x1b: zeros("VBIOS", 200),
	0x1c: zeros("NUM_HANDLES", 8),
	0x1d: gives("SENSOR", (*File).sensor),
	0x1e: zeros("NUM_VRAM_CPU_PAGE_FAULTS", 8),
	0x1f: zeros("VRAM_LOST_COUNTER", 4),
	0x20: zeros("RAS_ENABLED_FEATURES", 8),
	0x21: zeros("VIDEO_CAPS", 192),
}

// ipType is a kind of engine, AMDGPU_HW_IP_*.
type ipType uint32

const (
	ipGFX     ipType = 0
	ipCompute ipType = 1
)

// String returns the name that users know.
func (ip ipType) String() string {
	switch ip { //exhaustive:enforce
	case ipGFX:
		return "graphics"
	case ipCompute:
		return "compute"
	}
	return "unknown"
}

// ringCounts is the number of rings of each engine.
var ringCounts = map[ipType]uint32{ipGFX: 1, ipCompute: 4}

type hwIPInfo struct {
	Major, Minor      uint32
	Capabilities      uint64
	StartAlign, Align uint32
	Rings, _          uint32
}

// ibAlign is the alignment of the address and the size of an IB, in bytes.
const ibAlign = 32

func (f *File) hwIP(arg [4]uint32) hwIPInfo {
	n := ringCounts[ipType(arg[0])]
	if n == 0 {
		return hwIPInfo{}
	}
	major := isa.TraitsOf(f.dev.chip.Target).Version[0]
	return hwIPInfo{Major: uint32(major), StartAlign: ibAlign, Align: ibAlign, Rings: 1<<n - 1}
}

type firmwareInfo struct{ Version, Feature uint32 }

// firmware returns versions that are so new that drivers need no workaround for bugs of old microcode.
func (f *File) firmware(arg [4]uint32) firmwareInfo {
	const me, pfp, ce, mec = 0x04, 0x05, 0x06, 0x08
	switch arg[0] {
	case me, pfp, ce, mec:
		return firmwareInfo{421, 49}
	}
	return firmwareInfo{}
}

// timestamp returns the GPU's clock.
func (f *File) timestamp([4]uint32) uint64 { return f.engine.clock.stamp() }

func (f *File) usage([4]uint32) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.store.taken()
}

// heap returns the size of VRAM, which is also the size of GTT.
func (f *File) heap() uint64 { return f.dev.vramBytes() }

type vramGTT struct{ VRAM, Visible, GTT uint64 }

func (f *File) vramGTT([4]uint32) vramGTT { return vramGTT{f.heap(), f.heap(), f.heap()} }

type heapInfo struct{ Total, Usable, Usage, MaxAlloc uint64 }

type memoryInfo struct{ VRAM, Visible, GTT heapInfo }

func (f *File) memoryInfo(arg [4]uint32) memoryInfo {
	h := heapInfo{Total: f.heap(), Usable: f.heap(), Usage: min(f.usage(arg), f.heap()), MaxAlloc: f.heap() / 4 * 3}
	gtt := h
	gtt.Usage = 0
	return memoryInfo{h, h, gtt}
}

// sensor returns clocks in MHz, and 0 for values that real cards measure.
func (f *File) sensor(arg [4]uint32) uint32 {
	const sclk, mclk, stableSclk, stableMclk = 1, 2, 8, 9
	switch arg[0] {
	case sclk, stableSclk:
		return f.dev.engineMHz()
	case mclk, stableMclk:
		return memoryMHz
	}
	return 0
}
