package device

import (
	"bytes"
	"errors"
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
	allocAQL      = 1 << 27 // the range is twice the storage: a ring of packets without an end
)

// kfdBuffer is memory that a process has allocated through /dev/kfd.
type kfdBuffer struct {
	bo       *bo // nil for doorbells and remapped registers, which have no storage here
	va, size uint64
	mapped   bool

	owner  Held   // whose memory it is, nil if it is the card's
	user   uint64 // address of that memory
	common []byte // what both had when they were last compared, nil before the first dispatch
}

// Holder is a [Process] whose memory can be reached after the ioctl has ended.
type Holder interface {
	// Hold returns the memory of the process. Once the process has ended, accesses fail.
	Hold() (Held, error)
}

// Held is the memory of a process, until Close.
type Held interface {
	Process
	Close() error
}

type kfdAlloc struct {
	VA, Size, Handle, Offset uint64
	GPU, Flags               uint32
}

// allocMemory allocates a range of addresses that the process has chosen.
func (k *KFD) allocMemory(c *call, in *kfdAlloc) (kfdAlloc, syscall.Errno) {
	if in.GPU != gpuID || in.VA%pageBytes != 0 || in.Size == 0 || in.VA >= vaEnd || in.Size > vaEnd-in.VA {
		return *in, syscall.EINVAL
	}
	b := &kfdBuffer{va: in.VA, size: (in.Size + pageBytes - 1) &^ (pageBytes - 1)}
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
		if errno = k.hold(c, b, in.Offset); errno == 0 {
			_, errno = k.storage(c, b, false)
		}
	default:
		errno = syscall.EINVAL
	}
	if errno != 0 {
		b.release()
		return *in, errno
	}
	k.named++
	in.Handle = gpuID<<32 | k.named
	if b.bo != nil {
		b.bo.name = fmt.Sprintf("buffer %d", k.named)
	}
	k.buffers[in.Handle] = b
	return *in, 0
}

// storage gives b its piece of the memory file and returns the offset. The caller holds the lock.
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

// hold makes b a copy of memory of the caller.
func (k *KFD) hold(c *call, b *kfdBuffer, addr uint64) (errno syscall.Errno) {
	h, ok := c.proc.(Holder)
	if !ok || addr%pageBytes != 0 {
		return syscall.EINVAL
	}
	owner, err := h.Hold()
	if err != nil {
		c.logf("memory of the process cannot be held: %v", err)
		return syscall.EPERM
	}
	b.owner, b.user = owner, addr
	return 0
}

// release gives back what b holds of the process.
func (b *kfdBuffer) release() {
	if b.owner != nil {
		_ = b.owner.Close() // nothing was written
		b.owner = nil
	}
}

type kfdHandle struct{ Handle uint64 }

// freeMemory frees a buffer, and unmaps it. Kernels that run and reach it fault.
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

// free gives a buffer back. The caller holds the lock of the file of the render node.
func (k *KFD) free(handle uint64) {
	b := k.buffers[handle]
	delete(k.buffers, handle)
	b.release()
	if b.bo == nil {
		return
	}
	if b.mapped {
		k.file.space.clear(b.va, b.va+b.size)
	}
	if len(k.page) > 0 && &k.page[0] == &k.file.store.bytes[b.bo.off] {
		k.page = nil
	}
	k.file.store.release(b.bo.off, b.bo.size)
}

type kfdMap struct {
	Handle, Devices uint64
	Count, Done     uint32
}

// mapMemory maps a buffer for the GPU. Once more is no error.
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
		if errno := k.file.space.add(m); errno != 0 {
			c.logf("%d bytes at 0x%x cannot be mapped: %v", b.size, b.va, errno)
			k.file.space.clear(b.va, b.va+at)
			return *in, errno
		}
	}
	b.mapped = true
	if b.owner != nil { // queues may run a kernel that waits for it
		if err := k.takeIn(b); err != nil {
			c.logf("memory of the process: %v", err)
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
		k.file.space.clear(b.va, b.va+b.size)
		b.mapped = false
	}
	return *in, 0
}

// borrow copies what the process has changed of its memory to where the GPU sees it, before a dispatch,
// and returns the function that copies back what dispatches have changed. Bytes that both have changed are
// the GPU's. What the process writes while a dispatch runs is seen by the next one.
func (k *KFD) borrow() (giveBack func()) {
	k.exchange(k.takeIn)
	return func() { k.exchange(k.giveOut) }
}

// exchange calls move with each buffer that is a copy of memory of the process.
func (k *KFD) exchange(move func(b *kfdBuffer) error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, b := range k.buffers {
		if b.owner == nil || !b.mapped {
			continue
		}
		if err := move(b); err != nil {
			k.logf("memory of the process: %v", err)
		}
	}
}

// takenBytes is how much takeIn reads of the process at a time. It stays in a cache until it is compared.
const takenBytes = 256 << 10

// takeIn brings changes of the process into the copy.
func (k *KFD) takeIn(b *kfdBuffer) error {
	here := k.contents(b)
	if b.common == nil {
		common := make([]byte, b.size)
		if err := b.owner.ReadAt(common, b.user); err != nil {
			return err
		}
		b.common = common
		copy(here, common)
		return nil
	}
	for at := uint64(0); at < b.size; at += takenBytes {
		end := min(at+takenBytes, b.size)
		theirs := k.exchanged(end - at)
		if err := b.owner.ReadAt(theirs, b.user+at); err != nil {
			return err
		}
		merge(here[at:end], b.common[at:end], theirs)
	}
	return nil
}

// giveOut brings changes of the copy to the process: it reads the pages that have one again, so that what
// the process has written elsewhere in them stays.
func (k *KFD) giveOut(b *kfdBuffer) (err error) {
	here := k.contents(b)
	changed := func(at int) bool {
		return !bytes.Equal(here[at:at+pageBytes], b.common[at:at+pageBytes])
	}
	for at := 0; at < len(b.common); at += pageBytes {
		if !changed(at) {
			continue
		}
		end := at + pageBytes
		for end < len(here) && changed(end) {
			end += pageBytes
		}
		theirs, addr := k.exchanged(uint64(end-at)), b.user+uint64(at)
		if e := b.owner.ReadAt(theirs, addr); e != nil {
			err = errors.Join(err, e)
		} else {
			merge(theirs, b.common[at:end], here[at:end])
			err = errors.Join(err, b.owner.WriteAt(theirs, addr))
		}
		at = end
	}
	return err
}

// exchanged returns n bytes for what is read of a process. The caller holds the lock.
func (k *KFD) exchanged(n uint64) []byte {
	if uint64(cap(k.exchangeBuffer)) < n {
		k.exchangeBuffer = make([]byte, n)
	}
	return k.exchangeBuffer[:n]
}

// merge copies the bytes of changed that differ from common to both others.
func merge(dst, common, changed []byte) {
	for at := 0; at < len(common); at += pageBytes {
		end := min(at+pageBytes, len(common))
		if bytes.Equal(common[at:end], changed[at:end]) {
			continue
		}
		for i := at; i < end; i++ {
			if v := changed[i]; v != common[i] {
				dst[i], common[i] = v, v
			}
		}
	}
}

// contents returns the storage of a buffer.
func (k *KFD) contents(b *kfdBuffer) []byte { return k.file.store.bytes[b.bo.off : b.bo.off+b.bo.size] }
