package device

import (
	"errors"
	"os"
	"slices"
	"sync"
	"syscall"
)

// shared is the object behind a descriptor that programs pass to one another. It is the memory of a buffer object, a
// sync file (work), or a sync object.
type shared struct {
	file        *sharedFile // the file of the descriptor
	dev, number uint64      // device and inode of the file

	memory *sharedMemory
	work   *fence      // the work of a sync file; it is finished
	object *sharedSync // the sync object, nil if shared is something else
}

// sharing holds the shared objects of a device. It is safe for concurrent use.
type sharing struct {
	mu  sync.Mutex
	all []*shared
}

// give returns a descriptor of s for the caller. If s is new, give creates its file. The flag closeOnExec is the one
// of PRIME_HANDLE_TO_FD.
func (x *sharing) give(c *call, s *shared, size uint64, closeOnExec bool) (fd int32, errno syscall.Errno) {
	who, ok := c.proc.(interface {
		Give(file *os.File, closeOnExec bool) (fd int, err error)
	})
	if !ok {
		return -1, syscall.ENOSYS
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.forget()
	fail := func(err error) (int32, syscall.Errno) {
		c.logf("a descriptor to share cannot be made: %v", err)
		return -1, syscall.ENOMEM
	}
	if s.file == nil {
		file, err := newSharedFile(size)
		if err != nil {
			return fail(err)
		}
		if s.dev, s.number, err = inodeOf(file.own); err != nil {
			return fail(errors.Join(err, file.close()))
		}
		s.file = file
	}
	theirs, err := s.file.lend()
	if err != nil {
		return fail(err)
	}
	n, err := who.Give(theirs, closeOnExec)
	if err = errors.Join(err, theirs.Close()); err != nil { // the program has its own duplicate
		return fail(err)
	}
	if !slices.Contains(x.all, s) {
		x.all = append(x.all, s)
	}
	return int32(n), 0
}

// of returns the object behind a descriptor of the caller, or nil.
func (x *sharing) of(c *call, fd int32) *shared {
	who, ok := c.proc.(interface {
		Inode(fd int) (device, inode uint64, err error)
	})
	if !ok {
		return nil
	}
	dev, number, err := who.Inode(int(fd))
	if err != nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.forget()
	for _, s := range x.all {
		if s.dev == dev && s.number == number {
			return s
		}
	}
	return nil
}

// forget closes files that no descriptor and no buffer object uses any more. The caller holds the lock.
func (x *sharing) forget() {
	x.all = slices.DeleteFunc(x.all, func(s *shared) bool {
		if s.file.isLent() || s.memory != nil && s.memory.inUse() || s.object != nil && s.object.inUse() {
			return false
		}
		_ = s.file.close() // no process has the file open
		return true
	})
}

// leave removes the sync objects of a closed file, and closes files that are no longer used.
func (x *sharing) leave(f *File) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, s := range x.all {
		if s.object != nil {
			s.object.leave(f)
		}
	}
	x.forget()
}

// sharedMemory is the memory of a buffer object that programs share. Each open file has a copy of it, which is
// synchronized with the descriptor's file. See [File.exchangeShared].
type sharedMemory struct {
	shared *shared
	size   uint64
	create gemCreateIn

	mu     sync.Mutex // guards the fields below
	meta   gemMetadataData
	copies int // number of buffer objects that share it
}

// setMeta stores the metadata that a program gave its buffer object. It does nothing if m is nil.
func (m *sharedMemory) setMeta(v gemMetadataData) {
	if m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.meta = v
	}
}

// getMeta returns the metadata, which are zero if m is nil.
func (m *sharedMemory) getMeta() gemMetadataData {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.meta
}

// inUse reports whether a buffer object still uses the memory.
func (m *sharedMemory) inUse() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.copies > 0
}

// hold returns access to the memory for one more buffer object.
func (m *sharedMemory) hold() Held {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.copies++
	return m
}

// Close ends the access of one buffer object.
func (m *sharedMemory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.copies--
	return nil
}

// ReadAt reads b from addr on.
func (m *sharedMemory) ReadAt(b []byte, addr uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	copy(b, m.shared.file.bytes[addr:])
	return nil
}

// WriteAt copies b to addr.
func (m *sharedMemory) WriteAt(b []byte, addr uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	copy(m.shared.file.bytes[addr:], b)
	return nil
}

type primeHandle struct {
	Handle, Flags uint32
	FD            int32
}

// primeExport returns a descriptor of a buffer object's memory to the caller.
func (f *File) primeExport(c *call, in *primeHandle) (primeHandle, syscall.Errno) {
	const closeOnExec = 0x80000 // DRM_CLOEXEC; DRM_RDWR is always given
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.bos.get(in.Handle)
	switch {
	case b == nil:
		return *in, syscall.ENOENT
	case b.size == 0:
		return *in, syscall.EINVAL
	case b.host != nil && b.shared == nil: // the buffer object is memory of a process
		return *in, syscall.EPERM
	}
	s := b.shared
	if s == nil {
		s = &sharedMemory{size: (b.create.Size + pageBytes - 1) &^ (pageBytes - 1), create: b.create, meta: b.meta}
		s.shared = &shared{memory: s}
	}
	var errno syscall.Errno
	if in.FD, errno = f.dev.sharing.give(c, s.shared, s.size, in.Flags&closeOnExec != 0); errno != 0 || b.shared == s {
		return *in, errno
	}
	b.shared = s
	here := f.store.bytes[b.off:][:s.size]
	copy(s.shared.file.bytes, here)
	b.host = &userMemory{owner: s.hold(), bo: b, here: here, common: slices.Clone(here), isShared: true}
	_ = f.host.add(b.host) // it is readable, so this cannot fail
	return *in, 0
}

// primeImport returns the buffer object for a descriptor's memory: the one that the file already has, or a new one.
func (f *File) primeImport(c *call, in *primeHandle) (primeHandle, syscall.Errno) {
	s := f.dev.sharing.of(c, in.FD)
	if s == nil || s.memory == nil {
		c.logf("PRIME_FD_TO_HANDLE: descriptor %d is no buffer object of this card: EINVAL", in.FD)
		return *in, syscall.EINVAL
	}
	m := s.memory
	f.mu.Lock()
	for _, b := range f.bos.items {
		if b != nil && b.shared == m {
			in.Handle = b.handle
			f.mu.Unlock()
			return *in, 0
		}
	}
	f.mu.Unlock()
	b := &bo{create: m.create, shared: m, host: &userMemory{owner: m.hold(), isShared: true}}
	out, errno := f.addObject(c, b)
	if errno != 0 {
		b.host.release()
		return *in, errno
	}
	f.dev.exchangeShared() // so that the new one starts with the current content
	f.mu.Lock()
	b.host.here = f.store.bytes[b.off:][:m.size]
	f.mu.Unlock()
	_ = f.host.add(b.host) // it is readable, so this cannot fail
	in.Handle = out.Handle
	return *in, 0
}

// exchangeShared calls [Device.exchangeShared] if the file shares anything.
func (f *File) exchangeShared() {
	if f.host.shares.Load() > 0 {
		f.dev.exchangeShared()
	}
}

// exchangeShared synchronizes shared buffer objects: what open files, and processes that map a descriptor, have
// stored becomes visible to all. It is called before and after work, and before and after ioctls of files that share.
func (d *Device) exchangeShared() {
	d.mu.Lock()
	var sharing []*File
	for f := range d.open {
		if f.host.shares.Load() > 0 {
			sharing = append(sharing, f)
		}
	}
	d.mu.Unlock()
	slices.SortFunc(sharing, func(a, b *File) int { return a.id - b.id })
	for _, f := range sharing {
		f.exchange(0, true, (*userMemories).giveOut)
	}
	for _, f := range sharing {
		f.exchange(0, true, (*userMemories).takeIn)
	}
}
