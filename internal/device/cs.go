package device

import (
	"encoding/binary"
	"syscall"
)

type csIn struct {
	Context, BOList, NumChunks, Flags uint32
	Chunks                            uint64
}

type csOut struct{ Sequence uint64 }

// chunkHeader is drm_amdgpu_cs_chunk.
type chunkHeader struct {
	ID, Dwords uint32
	Data       uint64
}

// Kinds of chunks, AMDGPU_CHUNK_ID_*.
const (
	chunkIB             = 1
	chunkFence          = 2
	chunkDependencies   = 3
	chunkSyncobjIn      = 4
	chunkSyncobjOut     = 5
	chunkBOHandles      = 6
	chunkScheduled      = 7
	chunkTimelineWait   = 8
	chunkTimelineSignal = 9
)

// Limits of a submission.
const (
	maxChunks      = 1 << 12
	maxChunkDwords = 1 << 18
	maxPending     = 1 << 12 // submissions of a file that wait
)

// ibChunk is drm_amdgpu_cs_chunk_ib.
type ibChunk struct {
	_, Flags     uint32
	Addr         uint64
	Bytes, IP    uint32
	Instance, ID uint32
}

// Flags of IBs, AMDGPU_IB_FLAG_*.
const (
	ibCE     = 1 << 0
	ibSecure = 1 << 5
)

type fenceChunk struct{ Handle, Offset uint32 }

type dependency struct {
	IP, Instance, Ring, Context uint32
	Sequence                    uint64
}

type timelineChunk struct {
	Handle, Flags uint32
	Point         uint64
}

// signal is a sync object that a submission signals. point is 0 for a binary sync object.
type signal struct {
	object *syncobj
	point  uint64
}

// builder assembles a submission from its chunks.
type builder struct {
	f *File
	c *call
	s *submission

	context *gpuContext
	signals []signal
}

// cs executes a submission. It first waits for sync objects for which nobody has submitted work yet. Then it queues
// the submission and blocks until the submission is done or waits itself. A fault is therefore the result of the call
// whose submission caused it.
func (f *File) cs(c *call, in *csIn) (out csOut, errno syscall.Errno) {
	if in.NumChunks == 0 || in.NumChunks > maxChunks {
		return out, syscall.EINVAL
	}
	pointers, errno := array[uint64](c, in.Chunks, in.NumChunks)
	if errno != 0 {
		return out, errno
	}
	chunks := make([]struct {
		id   uint32
		data []byte
	}, len(pointers))
	total := uint32(0)
	for i, p := range pointers {
		h, errno := array[chunkHeader](c, p, 1)
		if errno != 0 {
			return out, errno
		}
		if h[0].Dwords > maxChunkDwords-total {
			return out, syscall.EINVAL
		}
		total += h[0].Dwords
		chunks[i].id, chunks[i].data = h[0].ID, make([]byte, 4*h[0].Dwords)
		if err := c.proc.ReadAt(chunks[i].data, h[0].Data); err != nil {
			return out, syscall.EFAULT
		}
	}
	if f.dev.options.namesKernels() {
		f.names.hold(c.proc)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	b := &builder{f: f, c: c, s: &submission{fence: &fence{}}, context: f.contexts.get(in.Context)}
	switch {
	case b.context == nil:
		return out, syscall.EINVAL
	case b.context.lost:
		return out, syscall.ECANCELED
	case f.engine.pending >= maxPending:
		return out, syscall.ENOMEM
	}
	for _, chunk := range chunks {
		if errno := b.add(chunk.id, chunk.data); errno != 0 {
			return out, errno
		}
	}
	if len(b.s.ibs) == 0 {
		return out, syscall.EINVAL
	}
	if b.context.lost { // it may have been lost while cs waited for sync objects
		return out, syscall.ECANCELED
	}
	out.Sequence = f.submit(b)
	return out, f.settled(c, b.s)
}

// list decodes a chunk that is a list of T.
func list[T any](data []byte) []T {
	var one T
	v := make([]T, len(data)/binary.Size(one))
	decode(data, v)
	return v
}

// add processes one chunk. The caller holds the lock of the file.
func (b *builder) add(id uint32, data []byte) syscall.Errno {
	switch id {
	case chunkIB:
		ibs := list[ibChunk](data)
		if len(ibs) == 0 {
			return syscall.EINVAL
		}
		return b.addIB(ibs[0])
	case chunkFence:
		fences := list[fenceChunk](data)
		if len(fences) == 0 {
			return syscall.EINVAL
		}
		return b.setUserFence(fences[0])
	case chunkDependencies, chunkScheduled:
		for _, d := range list[dependency](data) {
			fence, errno := b.f.fenceOf(d.Context, ringID{ipType(d.IP), d.Ring}, d.Sequence)
			if errno != 0 {
				return errno
			}
			b.s.after(fence)
		}
	case chunkSyncobjIn:
		for _, handle := range list[uint32](data) {
			if errno := b.waitFor(handle, 0, 0); errno != 0 {
				return errno
			}
		}
	case chunkTimelineWait:
		for _, v := range list[timelineChunk](data) {
			if errno := b.waitFor(v.Handle, v.Point, v.Flags); errno != 0 {
				return errno
			}
		}
	case chunkSyncobjOut:
		for _, handle := range list[uint32](data) {
			if errno := b.signal(handle, 0); errno != 0 {
				return errno
			}
		}
	case chunkTimelineSignal:
		for _, v := range list[timelineChunk](data) {
			if errno := b.signal(v.Handle, v.Point); errno != 0 {
				return errno
			}
		}
	case chunkBOHandles: // ignored: all buffer objects are always resident
	default:
		b.c.logf("CS chunk %d is not known: EINVAL", id)
		return syscall.EINVAL
	}
	return 0
}

// setUserFence sets the address where the sequence number is stored after the submission.
func (b *builder) setUserFence(v fenceChunk) syscall.Errno {
	bo := b.f.bos.get(v.Handle)
	if bo == nil || v.Offset%8 != 0 || uint64(v.Offset)+8 > bo.size {
		return syscall.EINVAL
	}
	b.s.userFence = b.f.store.bytes[bo.off+uint64(v.Offset):][:8]
	return 0
}

// addIB adds a command buffer.
func (b *builder) addIB(ib ibChunk) syscall.Errno {
	id := ringID{ipType(ib.IP), ib.ID}
	refuse := func(why string) syscall.Errno {
		b.c.logf("CS: an IB of %d bytes at 0x%x for ring %d of type %d: %s, EINVAL", ib.Bytes, ib.Addr, ib.ID, ib.IP, why)
		return syscall.EINVAL
	}
	switch {
	case id.number >= ringCounts[id.ip] || ib.Instance != 0:
		return refuse("there is no such ring")
	case ib.Flags&ibSecure != 0:
		return refuse("secure command buffers are not modelled")
	case ib.Flags&ibCE != 0:
		return refuse("there is no constant engine")
	case ib.Bytes%4 != 0 || ib.Bytes == 0 || ib.Addr%4 != 0:
		return refuse("it is not of whole dwords")
	case ib.Bytes > 4*maxIBDwords:
		return refuse("it is too long")
	}
	r := b.context.rings[id]
	if r == nil {
		r = &ring{id: id, context: b.context}
		b.context.rings[id] = r
	}
	if b.s.ring != nil && b.s.ring != r {
		return refuse("another one of the same submission is for another ring")
	}
	b.s.ring = r
	b.s.ibs = append(b.s.ibs, buffer{ib.Addr, int(ib.Bytes / 4)})
	return 0
}

// waitFor makes the submission wait for a sync object.
func (b *builder) waitFor(handle uint32, point uint64, flags uint32) syscall.Errno {
	object := b.f.syncobjs.get(handle)
	if object == nil {
		return syscall.ENOENT
	}
	fence, errno := b.f.submittedWork(b.c, object, point, flags)
	if errno == 0 {
		b.s.after(fence)
	}
	return errno
}

func (b *builder) signal(handle uint32, point uint64) syscall.Errno {
	object := b.f.syncobjs.get(handle)
	if object == nil {
		return syscall.EINVAL
	}
	b.signals = append(b.signals, signal{object, point})
	return 0
}
