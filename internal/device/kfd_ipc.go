package device

import (
	"crypto/rand"
	"encoding/binary"
	"sync"
	"syscall"
)

// share is a piece of a memory file that several open files have in their address spaces. It exists until the last of
// them drops it, even after the file that it came from has closed.
type share struct {
	store     *store
	off, size uint64
	flags     uint32 // flags of the allocation
	key       shareKey

	mu    sync.Mutex
	users int
}

// shareKey is the secret number by which another process opens a share.
type shareKey [4]uint32

// shares are the pieces that processes may open, by key. It is safe for concurrent use.
type shares struct {
	mu  sync.Mutex
	all map[shareKey]*share
}

// add allows processes to open s.
func (l *shares) add(s *share) {
	var b [16]byte
	_, _ = rand.Read(b[:]) // rand.Read never fails
	for i := range s.key {
		s.key[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[shareKey]*share{}
	}
	l.all[s.key] = s
}

// open returns the share with that key and adds a user to it, or returns nil.
func (l *shares) open(key shareKey) *share {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.all[key]
	if s != nil {
		s.mu.Lock()
		s.users++
		s.mu.Unlock()
	}
	return s
}

// remove forbids processes to open s.
func (l *shares) remove(s *share) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, s.key)
}

// drop removes a user. The last one frees the memory.
func (s *share) drop() {
	s.mu.Lock()
	s.users--
	last := s.users == 0
	s.mu.Unlock()
	if last {
		s.store.release(s.off, s.size)
		_ = s.store.close() // an error leaks memory until the process ends
	}
}

type kfdIPCExport struct {
	Handle     uint64
	Key        shareKey
	GPU, Flags uint32
}

// ipcExport returns a key with which other processes can open a buffer until it is freed. Source: kfd_ipc.c of AMD's
// kernel driver.
func (k *KFD) ipcExport(_ *call, in *kfdIPCExport) (kfdIPCExport, syscall.Errno) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b := k.buffers[in.Handle]
	if in.GPU != gpuID || b == nil || b.bo == nil || b.host != nil || b.size != b.bo.size {
		return *in, syscall.EINVAL
	}
	if b.bo.share == nil {
		b.bo.share = &share{store: k.file.store.keep(), off: b.bo.off, size: b.bo.size, flags: in.Flags, users: 1}
		k.dev.shares.add(b.bo.share)
	}
	in.Key = b.bo.share.key
	return *in, 0
}

type kfdIPCImport struct {
	Handle, VA, Offset uint64
	Key                shareKey
	GPU, Flags         uint32
}

// ipcImport creates a buffer from memory that another process has exported, at an address that this process chose. It
// returns no offset to map: the memory lies in the memory file of the other process, so only the GPU can access it
// from here.
func (k *KFD) ipcImport(c *call, in *kfdIPCImport) (kfdIPCImport, syscall.Errno) {
	if in.GPU != gpuID || in.VA%pageBytes != 0 || in.VA >= vaEnd {
		return *in, syscall.EINVAL
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.buffers) >= maxHandles {
		return *in, syscall.ENOMEM
	}
	s := k.dev.shares.open(in.Key)
	if s == nil || s.size > vaEnd-in.VA {
		if s != nil {
			s.drop()
		}
		return *in, syscall.EINVAL
	}
	b := &kfdBuffer{va: in.VA, size: s.size, bo: &bo{off: s.off, size: s.size, share: s}}
	c.logf("memory of another process is imported: only the card reaches it from here; with ROC_ENABLE_LARGE_BAR=0 HIP " +
		"copies from and to it by the card")
	in.Handle, in.Offset, in.Flags = k.enter(b), 0, s.flags
	return *in, 0
}

// storeOf returns the memory file that contains a buffer's storage.
func (s *space) storeOf(b *bo) *store {
	if b.share != nil {
		return b.share.store
	}
	return s.store
}
