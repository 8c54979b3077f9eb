package sim

import (
	"encoding/binary"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/hidden"
	"github.com/gcnsim/gcnsim/state"
)

// hsa holds the memory that the HSA ABI provides to a kernel of a code object, and the values of the registers that
// point to it.
type hsa struct {
	m *Machine
	l *Launch
	k *codeobj.Kernel

	grid, group [3]uint32 // sizes in work-items

	ldsBytes               uint32
	private                uint32 // private memory of a work-item in bytes
	kernarg, packet, queue uint64 // addresses
	scratch                segment
	segments               int    // number of segments of private memory within the memory limit
	waveScratch            uint32 // bytes of scratch of a wave, a multiple of 1 KiB
	owned                  []*Buffer
}

// newHSA maps the memory for a launch of k. The caller must call release.
func (m *Machine) newHSA(l *Launch, k *codeobj.Kernel) (*hsa, error) {
	h := &hsa{m: m, l: l, k: k, grid: size(l.Grid), group: size(l.Group)}
	if err := h.layout(); err != nil {
		h.release()
		return nil, err
	}
	return h, nil
}

// registers returns the registers for the command processor.
func (h *hsa) registers() *Compute {
	c := h.l.registers(h.k)
	c.RSRC, c.PrivateBase = isa.WithLDS(h.k.RSRC, h.m.Target, int(h.ldsBytes)), h.scratch.base
	c.TmpRing = h.waveScratch / scratchUnit << 12
	c.TmpRing |= 0xfff // scratch for as many waves as the field can hold
	for _, s := range codeobj.InitSGPRs(h.k) {
		if s.Item < codeobj.WorkGroupIDX {
			v := h.userSGPR(s.Item)
			copy(c.UserData[s.First:s.First+s.Count], v[:])
		}
	}
	return c
}

// groups returns the number of work-groups along an axis.
func (h *hsa) groups(axis int) uint32 { return uint32(ceil(h.grid[axis], h.group[axis])) }

// Sizes of the structures that registers can point to, in bytes. Source: HSA runtime
// specification, hsa_kernel_dispatch_packet_t; amd_queue_t.
const (
	packetBytes = 64
	queueBytes  = 256
)

// dynamicStackBytes is the smallest private memory of a work-item in a kernel that calls unknown functions. The code
// object then states only the stack of known code (LLVM AMDGPUUsage, USES_DYNAMIC_STACK).
const dynamicStackBytes = 16 << 10

// maxWaveScratch is the largest scratch of a wave in bytes: COMPUTE_TMPRING_SIZE.WAVESIZE has 13 bits in units of 1
// KiB. Source: LLVM, GCNSubtarget, the largest scratch of a wave.
const maxWaveScratch = (1<<13 - 1) * scratchUnit

// layout maps the memory that the kernel's registers point to, and lays out its arguments.
func (h *hsa) layout() error {
	queue, err := h.alloc(queueBytes)
	if err != nil {
		return err
	}
	packet, err := h.alloc(packetBytes)
	if err != nil {
		return err
	}
	h.queue, h.packet = queue.Addr, packet.Addr
	given, locals, lds, err := h.l.pair(h.k)
	if err != nil {
		return err
	}
	h.ldsBytes = lds
	args, err := h.l.kernarg(h.k, given, locals, h.hiddenArg)
	if err != nil {
		return err
	}
	if len(args) > 0 {
		b, err := h.alloc(uint64(len(args)))
		if err != nil {
			return err
		}
		copy(b.Bytes(), args)
		h.kernarg = b.Addr
	}
	if h.private = h.k.PrivateBytes; h.k.UsesDynamicStack {
		h.private = max(h.private, dynamicStackBytes)
	}
	if h.private > 0 {
		// All work-groups have their private memory at one address, so that the results do not depend on which worker
		// executes them. Each worker has its own storage there.
		size := (uint64(h.private)*state.NumLanes + scratchUnit - 1) &^ (scratchUnit - 1)
		if size > maxWaveScratch {
			return badLaunch(h.k.Name, "it needs %d bytes of scratch a work-item, the hardware has at most %d", h.private,
				maxWaveScratch/state.NumLanes)
		}
		waves := wavesOf(uint64(h.group[0]) * uint64(h.group[1]) * uint64(h.group[2]))
		h.m.mu.Lock()
		left := h.m.left()
		h.m.mu.Unlock()
		if size*waves > left {
			return badLaunch(h.k.Name, "a work-group needs %d bytes of private memory, and there may be %d more in memory; "+
				"see MaxBytes of the memory", size*waves, left)
		}
		h.segments = int(min(left/(size*waves), maxGroups))
		b, err := h.m.reserve(size*waves, scratchUnit)
		if err != nil {
			return err
		}
		h.owned, h.waveScratch = append(h.owned, b), uint32(size)
		h.scratch = segment{b.Addr, size * waves}
	}
	h.fillQueue(queue.Bytes())
	h.fillPacket(packet.Bytes())
	return nil
}

func (h *hsa) alloc(size uint64) (*Buffer, error) {
	b, err := h.m.Allocate(size, 1)
	if err == nil {
		h.owned = append(h.owned, b)
	}
	return b, err
}

// release unmaps what the dispatch mapped.
func (h *hsa) release() {
	for _, b := range h.owned {
		h.m.Free(b)
	}
}

// userSGPR returns the value of an item (rule ST12).
func (h *hsa) userSGPR(item codeobj.SGPRItem) (v [4]uint32) {
	put64 := func(x uint64) { v[0], v[1] = uint32(x), uint32(x>>32) }
	switch item {
	case codeobj.PrivateSegmentBuffer:
		return h.scratchBuffer()
	case codeobj.DispatchPtr:
		put64(h.packet)
	case codeobj.QueuePtr:
		put64(h.queue)
	case codeobj.KernargSegmentPtr:
		put64(h.kernarg)
	case codeobj.DispatchID:
	case codeobj.FlatScratchInit:
		if isa.TraitsOf(h.m.Target).FlatScratchIsAddr {
			put64(h.scratch.base)
		} else { // offset 0 is SH_HIDDEN_PRIVATE_BASE itself; the size is in bytes per lane
			v[1] = h.private
		}
	case codeobj.PrivateSegmentSize:
		v[0] = h.private
	case codeobj.GridWorkGroupCountX, codeobj.GridWorkGroupCountY, codeobj.GridWorkGroupCountZ:
		v[0] = h.groups(int(item - codeobj.GridWorkGroupCountX))
	}
	return v
}

// scratchBuffer returns the V# of private memory. It is swizzled with ADD_TID, so that the dwords of the lanes are
// interleaved (rule A11). GCN 1.4 has no ELEMSIZE field (rule K2) and ignores it.
func (h *hsa) scratchBuffer() [4]uint32 {
	b := gcn.Buffer{Base: h.scratch.base, NumRecords: ^uint32(0), Swizzle: true, AddTID: true, IndexStride: 64,
		ElemSize: 4}
	return [4]uint32(b.Words())
}

// hiddenArg returns the value of a hidden argument. Source: LLVM AMDGPUUsage, "Kernel Argument Metadata". The
// arguments of host services (printf, hostcall, device queues) are 0, because there are no such services.
func (h *hsa) hiddenArg(kind codeobj.ArgKind) uint64 {
	axis := func(first codeobj.ArgKind) int { return int(kind - first) }
	t := isa.TraitsOf(h.m.Target)
	switch kind {
	case hidden.GlobalOffsetX, hidden.GlobalOffsetY, hidden.GlobalOffsetZ:
		return h.l.Offset[axis(hidden.GlobalOffsetX)]
	case hidden.BlockCountX, hidden.BlockCountY, hidden.BlockCountZ:
		i := axis(hidden.BlockCountX)
		return uint64(h.grid[i] / h.group[i])
	case hidden.GroupSizeX, hidden.GroupSizeY, hidden.GroupSizeZ:
		return uint64(h.group[axis(hidden.GroupSizeX)])
	case hidden.RemainderX, hidden.RemainderY, hidden.RemainderZ:
		i := axis(hidden.RemainderX)
		return uint64(h.grid[i] % h.group[i])
	case hidden.GridDims:
		return uint64(h.l.dims())
	case hidden.DynamicLDSSize:
		return uint64(h.ldsBytes - h.k.GroupBytes)
	case hidden.PrivateBase:
		return uint64(t.PrivateBase)
	case hidden.SharedBase:
		return uint64(t.SharedBase)
	case hidden.QueuePtr:
		return h.queue
	}
	return 0
}

// fillPacket writes the dispatch packet. Source: HSA runtime specification,
// hsa_kernel_dispatch_packet_t.
func (h *hsa) fillPacket(b []byte) {
	const typeKernelDispatch = 2
	le := binary.LittleEndian
	le.PutUint16(b[0:], typeKernelDispatch)
	le.PutUint16(b[2:], uint16(h.l.dims()))
	for i := range h.group {
		le.PutUint16(b[4+2*i:], uint16(h.group[i]))
		le.PutUint32(b[12+4*i:], h.grid[i])
	}
	le.PutUint32(b[24:], h.private)
	le.PutUint32(b[28:], h.ldsBytes)
	le.PutUint64(b[32:], h.l.Module.Base+h.k.Descriptor)
	le.PutUint64(b[40:], h.kernarg)
}

// fillQueue writes the apertures that code of GCN 1.1 and 1.2 reads from amd_queue_t (rule
// F11).
func (h *hsa) fillQueue(b []byte) {
	t := isa.TraitsOf(h.m.Target)
	const groupApertureHi, privateApertureHi = 0x40, 0x44
	binary.LittleEndian.PutUint32(b[groupApertureHi:], t.SharedBase)
	binary.LittleEndian.PutUint32(b[privateApertureHi:], t.PrivateBase)
}
