//go:build linux && (amd64 || arm64)

package guest

import (
	"errors"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// storeWatch detects stores of a process to a page of a memory file that the process has mapped. It uses a
// userfaultfd that the process itself was made to create ([remoteCalls]). While the page is protected, the next store
// blocks until this process has read the fault.
type storeWatch struct {
	of     process
	inode  uint64 // inode of the file
	offset uint64
	stored func()

	mu     sync.Mutex
	faults *os.File // the userfaultfd; nil before it is open and after stop
	fd     int      // its descriptor
	ended  bool
	pages  []uint64 // addresses in the process where the page is mapped and registered
	armed  bool
}

// WatchStores watches a page of a file for stores of the caller's process. After a call of arm that returns true, the
// next store calls stored once; stored must not block. arm returns false if stores cannot be watched or if the page
// is not mapped. stop ends the watch.
func (c *caller) WatchStores(file *os.File, offset uint64, stored func()) (arm func() bool, stop func()) {
	w := &storeWatch{offset: offset, stored: stored}
	var st unix.Stat_t
	pid, err := c.group()
	if err = errors.Join(err, unix.Fstat(int(file.Fd()), &st)); err == nil {
		w.of, w.inode = process(pid), st.Ino
		c.watch = w
	}
	return w.arm, w.stop
}

// begin answers the call in which a thread waits, and makes the thread create the userfaultfd.
func (w *storeWatch) begin(thread process, answer func() error) (answered, err error) {
	return remoteCalls(thread, answer, func(do remoteCall) error {
		const userModeOnly = 1 // UFFD_USER_MODE_ONLY, which needs no privilege
		theirs, err := do(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|unix.O_NONBLOCK|userModeOnly)
		if err != nil {
			return err
		}
		pidfd, err := unix.PidfdOpen(int(w.of), 0)
		if err != nil {
			return err
		}
		ours, err := unix.PidfdGetfd(pidfd, theirs, 0)
		_, closed := do(unix.SYS_CLOSE, uint64(theirs))
		if err = errors.Join(err, closed, unix.Close(pidfd)); err != nil {
			return err
		}
		return w.open(ours)
	})
}

// Requests of a userfaultfd and their constants. Source: linux/userfaultfd.h.
const (
	uffdAPI      = 3<<30 | 24<<16 | 0xaa<<8 | 0x3f
	uffdRegister = 3<<30 | 32<<16 | 0xaa<<8 // request 0
	uffdProtect  = 3<<30 | 24<<16 | 0xaa<<8 | 0x06

	uffdVersion      = 0xaa
	featureFaultFlag = 1 << 0 // flag of a fault: the page is protected
	featureShared    = 1 << 12
	registerProtect  = 1 << 1 // UFFDIO_REGISTER_MODE_WP

	uffdMessage = 32 // bytes
)

// open takes over the userfaultfd with descriptor fd of the process.
func (w *storeWatch) open(fd int) error {
	api := [3]uint64{uffdVersion, featureFaultFlag | featureShared}
	if _, err := control(fd, uffdAPI, &api); err != nil {
		return errors.Join(err, unix.Close(fd))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return unix.Close(fd)
	}
	w.faults, w.fd = os.NewFile(uintptr(fd), "userfaultfd"), fd
	go w.listen(w.faults)
	return nil
}

// listen calls stored for each fault and lets the store continue, until the file is closed.
func (w *storeWatch) listen(faults *os.File) {
	var message [uffdMessage]byte
	for {
		if _, err := faults.Read(message[:]); err != nil {
			return
		}
		w.mu.Lock()
		w.protect(false)
		w.mu.Unlock()
		w.stored()
	}
}

// arm protects the page, so that the next store is reported.
func (w *storeWatch) arm() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.faults == nil {
		return false
	}
	if w.armed {
		return true
	}
	if len(w.pages) == 0 && w.register() != nil {
		return false
	}
	return w.protect(true)
}

// register registers all addresses where the page is mapped.
func (w *storeWatch) register() error {
	var failed error
	err := w.of.eachMap(func(m mapped, _ string, inode uint64) {
		if inode != w.inode || !strings.HasPrefix(m.path, "/memfd:") || w.offset < m.off || w.offset-m.off >= m.hi-m.lo {
			return
		}
		page := m.lo + w.offset - m.off
		_, err := control(w.fd, uffdRegister, &[4]uint64{page, pageBytes, registerProtect})
		if failed = errors.Join(failed, err); err == nil {
			w.pages = append(w.pages, page)
		}
	})
	return errors.Join(err, failed)
}

// protect sets or removes the page's protection. It reports false if the page is not mapped.
func (w *storeWatch) protect(on bool) bool {
	w.armed = false
	if w.faults == nil {
		return false
	}
	mode := uint64(0)
	if on {
		mode = 1 // UFFDIO_WRITEPROTECT_MODE_WP
	}
	for _, page := range w.pages {
		if _, err := control(w.fd, uffdProtect, &[3]uint64{page, pageBytes, mode}); err != nil {
			w.pages = nil // register must search for the addresses again
			return false
		}
	}
	w.armed = on && len(w.pages) > 0
	return w.armed
}

// stop ends the watch. A blocked store continues.
func (w *storeWatch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if w.faults != nil {
		_ = w.faults.Close() // nothing was written
		w.faults = nil
	}
}
