package device

import (
	"fmt"
	"os"
	"sync"
)

// File is one open file of the render node: an address space with its own buffer objects,
// contexts and sync objects. It is safe for concurrent use.
type File struct {
	dev   *Device
	id    int // counts from 1
	store *store

	mu  sync.Mutex // guards what follows
	bos handles[bo]
}

// storeBytes is how many bytes of addresses a memory file has: more than can be allocated,
// so that it does not fragment.
const storeBytes = 64 << 30

// Open opens the device once more. The error says that there is no memory for it.
func (d *Device) Open() (*File, error) {
	s, err := newStore(max(storeBytes, 2*d.options.MemoryBytes))
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files++
	return &File{dev: d, id: d.files, store: s}, nil
}

// Memory returns the memory file that holds all buffer objects, at the offsets that
// GEM_MMAP gives. It cannot be shrunk. The device closes it; who keeps it duplicates it.
func (f *File) Memory() *os.File { return f.store.file }

// Close ends what runs and gives everything back. No ioctl may be called then.
func (f *File) Close() error { return f.store.close() }

// logf writes a line to the log of the device, with the file it is about.
func (f *File) logf(format string, args ...any) {
	f.dev.logf("file %d: %s", f.id, fmt.Sprintf(format, args...))
}
