package device

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/gcnsim/gcnsim/state"
)

// Holder is a [Process] whose memory can be accessed after the ioctl has ended.
type Holder interface {
	// Hold returns access to the memory of the process. After the process has ended or executed another program,
	// accesses fail with ESRCH.
	Hold() (Held, error)
}

// Held is access to the memory of a process, until Close.
type Held interface {
	Process
	Close() error
}

// userMemory is a buffer that represents memory of a process. The GPU uses a copy. The copy is updated before the GPU
// works, and its changes are written to the process afterwards.
type userMemory struct {
	owner    Held
	user     uint64 // address of the memory in the process
	bo       *bo    // the buffer object with the copy
	readOnly bool   // the GPU's changes are not written back
	isShared bool   // it is a buffer object that programs share, see share.go

	here   []byte // the copy
	common []byte // content of both sides when they were last synchronized
}

// userMemories are the buffers of an open file that represent memory of processes. It is safe for concurrent use.
type userMemories struct {
	mu      sync.Mutex
	all     []*userMemory
	gone    []goneMemory
	shares  atomic.Int32 // number of shared buffers
	buffer  []byte       // scratch buffer for memory read from a process
	working int          // number of pieces of work that may access the copies
}

// goneMemory is a range of GPU addresses whose process memory no longer exists.
type goneMemory struct {
	extent
	why error
}

// maxGone is how many such ranges are kept for reports. The oldest are dropped.
const maxGone = 64

// holdCaller returns the memory at addr of the calling process.
func holdCaller(c *call, addr uint64) (*userMemory, syscall.Errno) {
	h, ok := c.proc.(Holder)
	if !ok || addr%pageBytes != 0 {
		return nil, syscall.EINVAL
	}
	owner, err := h.Hold()
	if err != nil {
		c.logf("memory of the process cannot be held: %v", err)
		return nil, syscall.EPERM
	}
	return &userMemory{owner: owner, user: addr}, 0
}

// release ends the access to the process. b may be nil.
func (b *userMemory) release() {
	if b != nil && b.owner != nil {
		_ = b.owner.Close() // nothing was written
		b.owner = nil
	}
}

// add adds b, whose copy is all 0, to the buffers that are synchronized, and reads the process's memory into the
// copy. It returns the error of that read.
func (h *userMemories) add(b *userMemory) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, b)
	if b.isShared {
		h.shares.Add(1)
	}
	return h.takeIn(b)
}

// addLater is add without the read, which happens before the next work. If work is already waiting, it may wait for
// b's content, so addLater then reads at once.
func (h *userMemories) addLater(b *userMemory) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, b)
	if h.working == 0 {
		return nil
	}
	return h.takeIn(b)
}

// remove ends the synchronization of b.
func (h *userMemories) remove(b *userMemory) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = slices.DeleteFunc(h.all, func(o *userMemory) bool { return o == b })
	if b.isShared {
		h.shares.Add(-1)
	}
}

// release ends the synchronization of all buffers.
func (h *userMemories) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, b := range h.all {
		b.release()
	}
	h.all = nil
}

// borrow updates the copies before the GPU works, and returns the function that writes the GPU's changes back. If
// both sides have changed a byte, the GPU's value is kept. Stores of the process during the work become visible at
// the next borrow.
func (f *File) borrow() (giveBack func()) {
	f.exchangeShared()
	f.exchange(1, false, (*userMemories).takeIn)
	return func() { f.exchange(-1, false, (*userMemories).giveOut) }
}

// exchange calls move for each buffer that represents process memory or is shared, or only for the shared ones. work
// is 1 before work, -1 after it and 0 otherwise. If move fails, the buffer is unmapped: the process no longer has the
// memory, and work that does not access it can continue.
func (f *File) exchange(work int, sharedAlone bool, move func(h *userMemories, b *userMemory) error) {
	h := &f.host
	h.mu.Lock()
	defer h.mu.Unlock()
	h.working += work
	h.all = slices.DeleteFunc(h.all, func(b *userMemory) bool {
		if sharedAlone && !b.isShared {
			return false
		}
		err := move(h, b)
		if err == nil {
			return false
		}
		err = fmt.Errorf("%s was memory of the process at 0x%x, %d bytes, and is unmapped: %w", b.bo.name, b.user,
			len(b.here), err)
		for _, m := range f.space.mapsOf(b.bo) {
			f.space.clear(m.lo, m.hi)
			h.gone = append(h.gone, goneMemory{extent{m.lo, m.hi - m.lo}, err})
		}
		h.gone = h.gone[max(0, len(h.gone)-maxGone):]
		return true
	})
}

// explain extends the error for a GPU address if the address represented memory that its process no longer has.
func (h *userMemories) explain(err error) error {
	addr := uint64(0)
	if wave, ok := errors.AsType[*state.Fault](err); ok && wave.Kind == state.FaultMemory {
		addr = wave.Addr
	} else if access, ok := errors.AsType[*accessError](err); ok {
		addr = access.addr
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, g := range h.gone {
		if addr-g.off < g.size {
			return fmt.Errorf("%w\n  %w", err, g.why)
		}
	}
	return err
}

// takenBytes is how much takeIn reads of a process at a time. It is small enough to stay in a cache until it is
// compared.
const takenBytes = 256 << 10

// takeIn copies changes of the process into the copy.
func (h *userMemories) takeIn(b *userMemory) error {
	size := uint64(len(b.here))
	if b.common == nil {
		b.common = make([]byte, size)
	}
	for at := uint64(0); at < size; at += takenBytes {
		end := min(at+takenBytes, size)
		theirs := h.read(end - at)
		if err := b.owner.ReadAt(theirs, b.user+at); err != nil {
			return err
		}
		merge(b.here[at:end], b.common[at:end], theirs)
	}
	return nil
}

// giveOut writes changes of the copy to the process. It first reads each changed page again, so that the process's
// own stores to other bytes of the page are kept. It is not an error if the process has ended.
func (h *userMemories) giveOut(b *userMemory) (err error) {
	if b.readOnly || b.common == nil {
		return nil
	}
	changed := func(at int) bool {
		return !bytes.Equal(b.here[at:at+pageBytes], b.common[at:at+pageBytes])
	}
	for at := 0; at < len(b.common); at += pageBytes {
		if !changed(at) {
			continue
		}
		end := at + pageBytes
		for end < len(b.here) && changed(end) {
			end += pageBytes
		}
		theirs, addr := h.read(uint64(end-at)), b.user+uint64(at)
		e := b.owner.ReadAt(theirs, addr)
		if e == nil {
			merge(theirs, b.common[at:end], b.here[at:end])
			e = b.owner.WriteAt(theirs, addr)
		}
		if !errors.Is(e, syscall.ESRCH) {
			err = errors.Join(err, e)
		}
		at = end
	}
	return err
}

// read returns a scratch buffer of n bytes. The caller holds the lock.
func (h *userMemories) read(n uint64) []byte {
	if uint64(cap(h.buffer)) < n {
		h.buffer = make([]byte, n)
	}
	return h.buffer[:n]
}

// merge copies the bytes of changed that differ from common to dst and to common.
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

type gemUserptr struct {
	Addr, Size    uint64
	Flags, Handle uint32
}

// gemUserptr creates a buffer object that represents memory of the caller. Source: amdgpu_gem_userptr_ioctl.
func (f *File) gemUserptr(c *call, in *gemUserptr) (gemUserptr, syscall.Errno) {
	const readOnly, anonymous, validate, register = 1, 2, 4, 8
	switch {
	case (in.Addr|in.Size)%pageBytes != 0 || in.Size == 0 || in.Flags&^(readOnly|anonymous|validate|register) != 0:
		return *in, syscall.EINVAL
	case in.Flags&(readOnly|register) == 0:
		return *in, syscall.EACCES
	}
	m, errno := holdCaller(c, in.Addr)
	if errno != 0 {
		return *in, errno
	}
	m.readOnly = in.Flags&readOnly != 0
	out, errno := f.addObject(c, &bo{create: gemCreateIn{Size: in.Size, Domains: domainGTT}, host: m})
	if errno != 0 {
		m.release()
		return *in, errno
	}
	if err := f.host.add(m); err != nil {
		f.logf("GEM_USERPTR of %d bytes at 0x%x: %v, EFAULT", in.Size, in.Addr, err)
		_, _ = f.gemClose(c, &gemClose{Handle: out.Handle}) // the handle exists, so this cannot fail
		return *in, syscall.EFAULT
	}
	in.Handle = out.Handle
	return *in, 0
}
