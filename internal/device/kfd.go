package device

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
)

// KFD is one open file of /dev/kfd, through which ROCm uses the card. The process allocates memory in the address
// space of an open [File] of the render node, which it names in the ioctl ACQUIRE_VM. It submits work by writing
// packets to rings in that memory. No ioctl announces such packets, so a goroutine polls the rings. KFD is safe for
// concurrent use.
//
// Source: linux/kfd_ioctl.h; libhsakmt and ROCR-Runtime of ROCm 5.2 for the behaviour that they rely on.
type KFD struct {
	dev *Device
	mem memory // the pages that programs map from /dev/kfd

	ctx    context.Context // ends when the file closes
	cancel context.CancelFunc
	calls  sync.WaitGroup // ioctls in progress
	work   sync.WaitGroup // the goroutine that polls rings, and the goroutines that execute packets
	wake   chan struct{}  // has an element if rings must be polled soon
	once   sync.Once      // guards stop

	// arm makes the next store to a doorbell call lookSoon, and reports whether the transport can do that. hush
	// undoes it. Both are set with the first queue if the transport offers them.
	arm  func() bool
	hush func()

	objects kfdObjects // its owner is set together with file

	mu      monitor // guards the fields below
	file    *File   // nil before ACQUIRE_VM
	buffers map[uint64]*kfdBuffer
	named   uint64 // number of buffers that were named
	page    []byte // event slots
	events  map[uint32]*kfdEvent
	queues  []*kfdQueue // by number; nil entries are free
	scratch uint64      // SH_HIDDEN_PRIVATE_BASE
}

// gpuID is the GPU's number in the interface. It is the same for all devices, because a process sees only one.
const gpuID = 0x4711

// Layout of the memory file of an open /dev/kfd. libhsakmt splits offsets of doorbells into 32-bit halves, and needs
// an offset of the page whose low half is 0.
const (
	remapOffset    = 0       // the page with the registers that flush the HDP
	doorbellOffset = 1 << 32 // the doorbells, which the simulator does not read
	kfdFileBytes   = doorbellOffset + 0x10000
)

// HasKFD reports whether the amdgpu driver offers /dev/kfd for the chip. It does not for GCN 1.0, which has no
// user-mode queues.
func (d *Device) HasKFD() bool { return isa.TraitsOf(d.chip.Target).Version[0] >= 7 }

// OpenKFD opens /dev/kfd. The error is [errors.ErrUnsupported] if [Device.HasKFD] is false; otherwise it says that
// memory is exhausted.
func (d *Device) OpenKFD() (*KFD, error) {
	if !d.HasKFD() {
		return nil, fmt.Errorf("device: %s has no /dev/kfd: %w", d.chip.Name, errors.ErrUnsupported)
	}
	m, err := newMemory(kfdFileBytes)
	if err != nil {
		return nil, err
	}
	k := &KFD{dev: d, mem: m, buffers: map[uint64]*kfdBuffer{}, events: map[uint32]*kfdEvent{},
		wake: make(chan struct{}, 1)}
	k.ctx, k.cancel = context.WithCancel(context.Background())
	k.work.Go(k.look)
	return k, nil
}

// Memory returns the memory file with the pages that programs map from /dev/kfd. The device owns it and closes it.
func (k *KFD) Memory() *os.File { return k.mem.file }

// Close stops all work and frees all memory. Ioctls that wait end with EINTR, later ones with ENODEV.
func (k *KFD) Close() error {
	k.stop()
	if f := k.file; f != nil {
		f.mu.Lock()
		if f.kfd == k {
			f.kfd = nil
			for handle := range k.buffers {
				k.free(handle)
			}
		}
		f.mu.Unlock()
	}
	return errors.Join(k.objects.close(), k.mem.close())
}

// stop ends all work. After it returns nothing accesses the render node's file.
func (k *KFD) stop() {
	k.once.Do(func() {
		k.cancel()
		k.mu.Lock()
		k.mu.broadcast()
		k.mu.Unlock()
		k.calls.Wait()
		if k.hush != nil {
			k.hush()
		}
		k.work.Wait()
	})
}

// logf writes a line to the log of the device.
func (k *KFD) logf(format string, args ...any) { k.dev.logf("kfd: "+format, args...) }

// Ioctl executes an ioctl on the file, like [File.Ioctl]. For ACQUIRE_VM, p must have an Inode method, which returns
// the inode of an open file of the caller. For memory of the process (userptr), p must implement [Holder]. If the
// held process implements [Loader], kernels get names.
func (k *KFD) Ioctl(ctx context.Context, p Process, req uint32, arg uint64) syscall.Errno {
	const kfdType = 'K'
	r, ok := parseRequest(req, kfdType)
	if !ok {
		return syscall.ENOTTY
	}
	e, ok := kfdIoctls[r.nr]
	if !ok {
		if !kfdTried[r.nr] {
			k.logf("%s is not answered: ENOTTY", cmp.Or(kfdRefused[r.nr], fmt.Sprintf("ioctl 0x%02x", r.nr)))
		}
		return syscall.ENOTTY
	}
	k.mu.Lock()
	switch {
	case k.ctx.Err() != nil:
		k.mu.Unlock()
		return syscall.ENODEV
	case k.file == nil && needsMemory[r.nr]:
		k.mu.Unlock()
		return syscall.EINVAL
	}
	k.calls.Add(1)
	k.mu.Unlock()
	defer k.calls.Done()
	k.lookSoon()
	ctx, cancel := context.WithCancel(contexts.Given(ctx))
	defer cancel()
	defer context.AfterFunc(k.ctx, cancel)()
	return answer(ctx, k, &e, p, r, arg)
}

// lookSoon wakes the goroutine that polls rings.
func (k *KFD) lookSoon() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// acquire binds the KFD to the address space of an open file of the render node.
func (k *KFD) acquire(p Process, fd int, gpu uint32) syscall.Errno {
	who, ok := p.(interface {
		Inode(fd int) (device, inode uint64, err error)
	})
	if !ok || gpu != gpuID {
		return syscall.EINVAL
	}
	device, inode, err := who.Inode(fd)
	if err != nil {
		return syscall.EBADF
	}
	f := k.dev.fileOf(device, inode)
	var owner Held
	if h, ok := p.(Holder); ok {
		if owner, err = h.Hold(); err != nil {
			k.logf("kernels have no names: %v", err)
			owner = nil
		}
	}
	defer func() {
		if owner != nil {
			_ = owner.Close() // nothing was written
		}
	}()
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case f == nil:
		return syscall.EINVAL
	case k.file == f:
		return 0
	case k.file != nil:
		return syscall.EBUSY
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() != nil || f.kfd != nil {
		return syscall.EBUSY
	}
	k.file, f.kfd = f, k
	k.objects.owner, owner = owner, nil
	return 0
}

// fileOf returns the open file whose memory file has that inode, or nil.
func (d *Device) fileOf(device, inode uint64) *File {
	d.mu.Lock()
	defer d.mu.Unlock()
	for f := range d.open {
		if dev, ino, err := inodeOf(f.store.file); err == nil && dev == device && ino == inode {
			return f
		}
	}
	return nil
}
