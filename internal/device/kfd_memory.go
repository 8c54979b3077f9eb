package device

import (
	"fmt"
	"syscall"
)

// Flags of ALLOC_MEMORY_OF_GPU, KFD_IOC_ALLOC_MEM_FLAGS_*.
const (
	allocVRAM     = 1 << 0
	allocGTT      = 1 << 1
	allocUserptr  = 1 << 2
	allocDoorbell = 1 << 3
	allocRemap    = 1 << 4
	allocAQL      = 1 << 27 // the range is twice the size of the storage: a ring whose packets never wrap
	allocWritable = 1 << 31
)

// kfdBuffer is memory that a process has allocated through /dev/kfd.
type kfdBuffer struct {
	bo       *bo // nil for doorbells and remapped registers, which have no buffer object
	va, size uint64
	mapped   bool
	readOnly bool // for the GPU

	host *userMemory // memory of the process behind the buffer, nil if it is the card's memory
}

type kfdAlloc struct {
	VA, Size, Handle, Offset uint64
	GPU, Flags               uint32
}

// allocMemory allocates the range of addresses that the process chose.
func (k *KFD) allocMemory(c *call, in *kfdAlloc) (kfdAlloc, syscall.Errno) {
	if in.GPU != gpuID || in.VA%pageBytes != 0 || in.Size == 0 || in.VA >= vaEnd || in.Size > vaEnd-in.VA {
		return *in, syscall.EINVAL
	}
	b := &kfdBuffer{va: in.VA, size: (in.Size + pageBytes - 1) &^ (pageBytes - 1),
		readOnly: in.Flags&allocWritable == 0}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.buffers) >= maxHandles {
		return *in, syscall.ENOMEM
	}
	var errno syscall.Errno
	switch in.Flags & (allocVRAM | allocGTT | allocUserptr | allocDoorbell | allocRemap) {
	case allocDoorbell:
		in.Offset = doorbellOffset
	case allocRemap:
		in.Offset = remapOffset
	case allocVRAM, allocGTT:
		in.Offset, errno = k.storage(c, b, in.Flags&allocAQL != 0)
	case allocUserptr:
		if b.host, errno = holdCaller(c, in.Offset); errno == 0 {
			b.host.readOnly = b.readOnly
			_, errno = k.storage(c, b, false)
		}
	default:
		errno = syscall.EINVAL
	}
	if errno != 0 {
		b.host.release()
		return *in, errno
	}
	in.Handle = k.enter(b)
	return *in, 0
}

// enter gives a buffer a name and a handle, and returns the handle. The caller holds the lock.
func (k *KFD) enter(b *kfdBuffer) (handle uint64) {
	k.named++
	handle = gpuID<<32 | k.named
	if b.bo != nil {
		b.bo.name = fmt.Sprintf("buffer %d", k.named)
	}
	k.buffers[handle] = b
	return handle
}

// storage allocates b's piece of the memory file and returns its offset. The caller holds the lock.
func (k *KFD) storage(c *call, b *kfdBuffer, twice bool) (off uint64, errno syscall.Errno) {
	size := b.size
	if twice {
		size /= 2
	}
	if size%pageBytes != 0 || size == 0 {
		return 0, syscall.EINVAL
	}
	f := k.file
	f.mu.Lock()
	defer f.mu.Unlock()
	off, ok := f.store.alloc(size)
	if !ok {
		c.logf("a buffer of %d bytes does not fit: the largest piece that is left has %d", size, f.store.largest())
		return 0, syscall.ENOMEM
	}
	b.bo = &bo{off: off, size: size}
	return off, 0
}

type kfdHandle struct{ Handle uint64 }

// freeMemory unmaps and frees a buffer. Kernels that still access it will fault.
func (k *KFD) freeMemory(_ *call, in *kfdHandle) (kfdHandle, syscall.Errno) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.buffers[in.Handle] == nil {
		return *in, syscall.EINVAL
	}
	k.file.mu.Lock()
	defer k.file.mu.Unlock()
	k.free(in.Handle)
	return *in, 0
}

// free frees a buffer. The caller holds the lock of the render node's file.
func (k *KFD) free(handle uint64) {
	b := k.buffers[handle]
	delete(k.buffers, handle)
	if b.bo == nil {
		return
	}
	if b.mapped {
		k.unmap(b)
	}
	b.host.release()
	if len(k.page) > 0 && &k.page[0] == &k.contents(b)[0] {
		k.page = nil
	}
	if s := b.bo.share; s != nil {
		k.leaveShare(s)
		return
	}
	k.file.store.release(b.bo.off, b.bo.size)
}

type kfdMap struct {
	Handle, Devices uint64
	Count, Done     uint32
}

// mapMemory maps a buffer for the GPU. It is not an error if the buffer is already mapped.
func (k *KFD) mapMemory(c *call, in *kfdMap) (kfdMap, syscall.Errno) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b := k.buffers[in.Handle]
	if b == nil {
		return *in, syscall.EINVAL
	}
	in.Done = in.Count
	if b.mapped || b.bo == nil {
		return *in, 0
	}
	for at := uint64(0); at < b.size; at += b.bo.size {
		m := &mapping{lo: b.va + at, hi: b.va + at + b.bo.size, bo: b.bo, off: b.bo.off,
			flags: pageReadable | pageWriteable | pageExecutable}
		if b.readOnly {
			m.flags &^= pageWriteable
		}
		if errno := k.file.space.add(m); errno != 0 {
			c.logf("%d bytes at 0x%x cannot be mapped: %v", b.size, b.va, errno)
			k.file.space.clear(b.va, b.va+at)
			return *in, errno
		}
	}
	b.mapped = true
	if b.host != nil {
		b.bo.host, b.host.bo, b.host.here = b.host, b.bo, k.contents(b)
		if err := k.file.host.addLater(b.host); err != nil {
			c.logf("%v", err)
		}
	}
	return *in, 0
}

// unmapMemory unmaps a buffer.
func (k *KFD) unmapMemory(_ *call, in *kfdMap) (kfdMap, syscall.Errno) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b := k.buffers[in.Handle]
	if b == nil {
		return *in, syscall.EINVAL
	}
	in.Done = in.Count
	if b.mapped {
		k.unmap(b)
	}
	return *in, 0
}

// unmap unmaps a buffer that is mapped. The caller holds the lock.
func (k *KFD) unmap(b *kfdBuffer) {
	k.file.space.clear(b.va, b.va+b.size)
	b.mapped = false
	if b.host != nil {
		k.file.host.remove(b.host)
	}
}

// contents returns the storage of a buffer.
func (k *KFD) contents(b *kfdBuffer) []byte {
	return k.file.space.storeOf(b.bo).bytes[b.bo.off : b.bo.off+b.bo.size]
}

// leaveShare drops a share. If it was exported from here, nobody can open it any more.
func (k *KFD) leaveShare(s *share) {
	if s.store == k.file.store {
		k.dev.shares.remove(s)
	}
	s.drop()
}

// leaveShares releases memory that is shared with other processes, before the render node's file frees its memory. k
// has stopped, and the caller holds the lock of that file.
func (k *KFD) leaveShares() {
	for _, b := range k.buffers {
		if b.bo != nil && b.bo.share != nil {
			k.leaveShare(b.bo.share)
			b.bo.share = nil
		}
	}
}
