package sim

import (
	"encoding/binary"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim/codeobj"
	"github.com/gcnsim/gcnsim/state"
)

// start gives wave number i of a work-group its initial state: work-item ids in v0 to v2,
// user and system SGPRs, EXEC, MODE (rules ST11 to ST14).
func (w *worker) start(wave *state.Wave, i int, id, items [3]uint32, count int) {
	d := w.d
	wave.Reset(d.m.Target)
	wave.ID, wave.Group, wave.LDSBytes = i, id, uint32(w.ports.LDS.Hi)
	wave.PC = d.l.Module.Base + d.k.Entry
	wave.Mode = d.k.Mode()
	// M0 is undefined at the start (rule ST13). It is no limit here, because compiled code
	// that reaches LDS through FLAT alone never sets it.
	wave.SetM0(^uint32(0))
	w.numberItems(items)
	copy(wave.V, w.local[i][:d.k.WorkItemVGPRs])
	if live := count - i*state.NumLanes; live < state.NumLanes {
		wave.SetExec(1<<live - 1)
	}
	status := state.StatusValid
	if count > state.NumLanes {
		status |= state.StatusInTG
	}
	wave.SetStatus(status)
	for _, s := range d.k.InitSGPRs {
		v := d.initSGPR(s.Item, i, id, count)
		copy(wave.S[s.First:s.First+s.Count], v[:s.Count])
	}
}

// numberItems fills w.local for work-groups of the given size; all but those at the
// edge of the grid have the same.
func (w *worker) numberItems(items [3]uint32) {
	if w.localOf == items {
		return
	}
	w.localOf = items
	for i := range w.local {
		for lane := range state.NumLanes {
			n := uint32(i*state.NumLanes + lane)
			w.local[i][0][lane] = n % items[0]
			w.local[i][1][lane] = n / items[0] % items[1]
			w.local[i][2][lane] = n / items[0] / items[1]
			if n >= items[0]*items[1]*items[2] {
				w.local[i][0][lane], w.local[i][1][lane], w.local[i][2][lane] = 0, 0, 0
			}
		}
	}
}

// initSGPR returns the value of one item for wave i (rule ST12).
func (d *dispatch) initSGPR(item codeobj.SGPRItem, i int, id [3]uint32, count int) (v [4]uint32) {
	put64 := func(x uint64) { v[0], v[1] = uint32(x), uint32(x>>32) }
	switch item {
	case codeobj.PrivateSegmentBuffer:
		return d.scratchBuffer()
	case codeobj.DispatchPtr:
		put64(d.packet)
	case codeobj.QueuePtr:
		put64(d.queue)
	case codeobj.KernargSegmentPtr:
		put64(d.kernarg)
	case codeobj.DispatchID:
	case codeobj.FlatScratchInit:
		if d.m.Target.Traits().FlatScratchIsAddr {
			put64(d.scratchBase)
		} else { // offset from SH_HIDDEN_PRIVATE_BASE, which is the base itself; bytes of a lane
			v[1] = d.private
		}
	case codeobj.PrivateSegmentSize:
		v[0] = d.private
	case codeobj.GridWorkGroupCountX, codeobj.GridWorkGroupCountY, codeobj.GridWorkGroupCountZ:
		v[0] = d.groups[item-codeobj.GridWorkGroupCountX]
	case codeobj.WorkGroupIDX, codeobj.WorkGroupIDY, codeobj.WorkGroupIDZ:
		v[0] = id[item-codeobj.WorkGroupIDX]
	case codeobj.WorkGroupInfo:
		v[0] = uint32((count + state.NumLanes - 1) / state.NumLanes)
		if i == 0 {
			v[0] |= 1 << 31
		}
	case codeobj.PrivateSegmentWaveByteOffset:
		v[0] = uint32(d.waveScratch) * uint32(i)
	}
	return v
}

// scratchBuffer is the V# of private memory: swizzled with ADD_TID, so that the lanes'
// dwords alternate (rule A11). GCN 1.4 has no ELEMSIZE (rule K2) and would ignore it.
func (d *dispatch) scratchBuffer() [4]uint32 {
	b := gcn.Buffer{Base: d.scratchBase, NumRecords: ^uint32(0), Swizzle: true, AddTID: true, IndexStride: 64, ElemSize: 4}
	return [4]uint32(b.Words())
}

// hidden returns the value of a hidden argument. Source: LLVM AMDGPUUsage, "Kernel
// Argument Metadata". Host services (printf, hostcall, device queues) are absent: 0.
func (d *dispatch) hidden(kind codeobj.ArgKind) uint64 {
	axis := func(first codeobj.ArgKind) int { return int(kind - first) }
	shared, private := state.Apertures(d.m.Target.Traits())
	switch kind {
	case codeobj.HiddenGlobalOffsetX, codeobj.HiddenGlobalOffsetY, codeobj.HiddenGlobalOffsetZ:
		return d.l.Offset[axis(codeobj.HiddenGlobalOffsetX)]
	case codeobj.HiddenBlockCountX, codeobj.HiddenBlockCountY, codeobj.HiddenBlockCountZ:
		i := axis(codeobj.HiddenBlockCountX)
		return uint64(d.grid[i] / d.group[i])
	case codeobj.HiddenGroupSizeX, codeobj.HiddenGroupSizeY, codeobj.HiddenGroupSizeZ:
		return uint64(d.group[axis(codeobj.HiddenGroupSizeX)])
	case codeobj.HiddenRemainderX, codeobj.HiddenRemainderY, codeobj.HiddenRemainderZ:
		i := axis(codeobj.HiddenRemainderX)
		return uint64(d.grid[i] % d.group[i])
	case codeobj.HiddenGridDims:
		return uint64(d.l.dims())
	case codeobj.HiddenDynamicLDSSize:
		return uint64(d.ldsBytes - d.k.GroupBytes)
	case codeobj.HiddenPrivateBase:
		return uint64(private)
	case codeobj.HiddenSharedBase:
		return uint64(shared)
	case codeobj.HiddenQueuePtr:
		return d.queue
	}
	return 0
}

// fillPacket writes the dispatch packet. Source: HSA runtime specification,
// hsa_kernel_dispatch_packet_t.
func (d *dispatch) fillPacket(b []byte) {
	const typeKernelDispatch = 2
	le := binary.LittleEndian
	le.PutUint16(b[0:], typeKernelDispatch)
	le.PutUint16(b[2:], uint16(d.l.dims()))
	for i := range d.group {
		le.PutUint16(b[4+2*i:], uint16(d.group[i]))
		le.PutUint32(b[12+4*i:], d.grid[i])
	}
	le.PutUint32(b[24:], d.private)
	le.PutUint32(b[28:], d.ldsBytes)
	le.PutUint64(b[32:], d.l.Module.Base+d.k.Descriptor)
	le.PutUint64(b[40:], d.kernarg)
}

// fillQueue writes the apertures that code of GCN 1.1 and 1.2 reads from amd_queue_t (rule
// F11).
func (d *dispatch) fillQueue(b []byte) {
	shared, private := state.Apertures(d.m.Target.Traits())
	const groupApertureHi, privateApertureHi = 0x40, 0x44
	binary.LittleEndian.PutUint32(b[groupApertureHi:], shared)
	binary.LittleEndian.PutUint32(b[privateApertureHi:], private)
}
