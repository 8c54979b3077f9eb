package device

import (
	"fmt"
	"syscall"
)

// Domains of memory, AMDGPU_GEM_DOMAIN_*.
const (
	domainGTT  = 0x2
	domainVRAM = 0x4
	domainGDS  = 0x8
	domainGWS  = 0x10
	domainOA   = 0x20

	domainOnChip = domainGDS | domainGWS | domainOA // these domains have a handle and no storage
)

// bo is a buffer object.
type bo struct {
	handle uint32
	off    uint64 // offset in the memory file
	size   uint64 // size of the storage, 0 for memory on the chip
	create gemCreateIn
	meta   gemMetadataData
	name   string // name in faults
	// memory of the process behind this object, or copied to and from it; nil if it only has its own storage
	host   *userMemory
	shared *sharedMemory         // the file through which other processes share the content, nil if it is not shared
	share  *share                // the storage, if other open files have it in their address space too
	maps   map[*mapping]struct{} // its mappings, guarded by the lock of the address space
}

type gemCreateIn struct{ Size, Alignment, Domains, Flags uint64 }

type handleOut struct{ Handle, _ uint32 }

// Buffer objects begin and end at multiples of boAlign in the memory file. The alignment that programs ask for, at
// most maxAlign, concerns GPU addresses, which drivers choose.
const (
	boAlign  = 64 << 10
	maxAlign = 1 << 31
)

func (f *File) gemCreate(c *call, in *gemCreateIn) (out handleOut, errno syscall.Errno) {
	known := uint64(domainGTT | domainVRAM | domainOnChip | 1)
	if in.Domains == 0 || in.Domains&^known != 0 || in.Size == 0 {
		return out, syscall.EINVAL
	}
	return f.addObject(c, &bo{create: *in})
}

// addObject allocates storage for b, unless it is on-chip memory, and a handle.
func (f *File) addObject(c *call, b *bo) (out handleOut, errno syscall.Errno) {
	in := &b.create
	f.mu.Lock()
	defer f.mu.Unlock()
	if in.Domains&domainOnChip == 0 {
		if in.Alignment > maxAlign {
			return out, syscall.EINVAL
		}
		left := f.store.size - f.store.taken()
		if in.Size <= left { // so that rounding up cannot overflow
			b.size = (in.Size + boAlign - 1) &^ (boAlign - 1)
		}
		var ok bool
		if b.off, ok = f.store.alloc(b.size); !ok {
			c.logf("a buffer of %d bytes does not fit: %d are left, the largest piece of them has %d", in.Size, left,
				f.store.largest())
			return out, syscall.ENOMEM
		}
	}
	handle, ok := f.bos.add(b)
	if !ok {
		f.store.release(b.off, b.size)
		return out, syscall.ENOMEM
	}
	b.handle, b.name, out.Handle = handle, fmt.Sprintf("buffer object %d", handle), handle
	if b.host != nil {
		b.host.bo, b.host.here = b, f.store.bytes[b.off:][:in.Size]
	}
	return out, 0
}

type gemClose struct{ Handle, _ uint32 }

func (f *File) gemClose(_ *call, in *gemClose) (out none, errno syscall.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.bos.remove(in.Handle)
	if b == nil {
		return out, syscall.EINVAL
	}
	unmap := f.space.leave(f.space.mapsOf(b)...)
	f.afterWork(func() {
		if unmap != nil {
			unmap()
		}
		if b.host != nil {
			f.exchange(0, true, (*userMemories).giveOut)
			f.host.remove(b.host)
			b.host.release()
		}
		if b.size > 0 {
			f.store.release(b.off, b.size)
		}
	})
	return out, 0
}

type gemMmapOut struct{ Offset uint64 }

func (f *File) gemMmap(_ *call, in *handleOut) (out gemMmapOut, errno syscall.Errno) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.bos.get(in.Handle)
	switch {
	case b == nil:
		return out, syscall.ENOENT
	case b.size == 0:
		return out, syscall.EINVAL
	case b.host != nil && b.shared == nil:
		return out, syscall.EPERM
	}
	return gemMmapOut{b.off}, 0
}

type gemMetadata struct {
	Handle, Op uint32
	Data       gemMetadataData
}

type gemMetadataData struct {
	Flags, Tiling uint64
	Bytes         uint32
	Data          [64]uint32
	_             uint32
}

func (f *File) gemMetadata(_ *call, in *gemMetadata) (gemMetadata, syscall.Errno) {
	const set, get = 1, 2
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.bos.get(in.Handle)
	switch {
	case b == nil:
		return *in, syscall.ENOENT
	case in.Op == set && in.Data.Bytes <= uint32(4*len(in.Data.Data)):
		b.meta = in.Data
		b.shared.setMeta(in.Data)
	case in.Op == get && b.shared != nil:
		in.Data = b.shared.getMeta()
	case in.Op == get:
		in.Data = b.meta
	default:
		return *in, syscall.EINVAL
	}
	return *in, 0
}

type gemOp struct {
	Handle, Op uint32
	Value      uint64 // an address
}

func (f *File) gemOp(c *call, in *gemOp) (gemOp, syscall.Errno) {
	const getCreateInfo, setPlacement = 0, 1
	f.mu.Lock()
	b := f.bos.get(in.Handle)
	f.mu.Unlock()
	switch {
	case b == nil:
		return *in, syscall.ENOENT
	case in.Op == getCreateInfo:
		var info [32]byte
		encode(info[:], &b.create)
		return *in, c.write(info[:], in.Value)
	case in.Op == setPlacement && b.host != nil && b.shared == nil:
		return *in, syscall.EPERM
	case in.Op == setPlacement:
		return *in, 0 // there is only one kind of memory, so placement has no effect
	}
	return *in, syscall.EINVAL
}
