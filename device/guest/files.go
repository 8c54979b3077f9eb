//go:build linux && (amd64 || arm64)

package guest

import (
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// files are the open files of the device, by the memory file that programs hold.
type files struct {
	mu   sync.Mutex
	open map[fileKey]*openFile
}

// fileKey identifies a memory file, whoever has it open.
type fileKey struct{ dev, ino uint64 }

// openFile is one open file. The open file description that programs got a duplicate of
// holds a lock on the memory file, and this process has none of it: so the lock goes when
// the last descriptor and the last mapping of all processes are gone.
type openFile struct {
	File
	own   int // descriptor of another open file description of the memory file
	users int // ioctls that run
}

// add opens the device and returns a descriptor for a program, which the caller closes.
func (t *files) add(d Device) (theirs int, err error) {
	f, err := d.Open()
	if err != nil {
		return -1, err
	}
	theirs, own := -1, -1
	defer func() {
		if err == nil {
			return
		}
		for _, fd := range []int{theirs, own} {
			if fd >= 0 {
				_ = unix.Close(fd) // nothing was written
			}
		}
		_ = f.Close() // the first error is the one to tell
	}()
	again := fmt.Sprintf("/proc/self/fd/%d", f.Memory().Fd())
	if theirs, err = unix.Open(again, unix.O_RDWR|unix.O_CLOEXEC, 0); err != nil {
		return -1, err
	}
	if own, err = unix.Open(again, unix.O_RDWR|unix.O_CLOEXEC, 0); err != nil {
		return -1, err
	}
	if err = unix.Flock(theirs, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return -1, err
	}
	key, err := keyOf(again)
	if err != nil {
		return -1, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open == nil {
		t.open = map[fileKey]*openFile{}
	}
	t.open[key] = &openFile{File: f, own: own}
	return theirs, nil
}

// of returns the file that a descriptor of a process is, with one user more; nil if it is
// none of the device's.
func (t *files) of(p process, fd int) *openFile {
	key, err := keyOf(p.descriptor(fd))
	if err != nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.open[key]
	if f != nil {
		f.users++
	}
	return f
}

// done takes back a user of a file.
func (t *files) done(f *openFile) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f.users--
}

// has reports whether a descriptor of a process is one of the device's.
func (t *files) has(p process, fd int) bool {
	f := t.of(p, fd)
	if f != nil {
		t.done(f)
	}
	return f != nil
}

// keyOf returns the key of the file that a path leads to.
func keyOf(path string) (fileKey, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return fileKey{}, err
	}
	return fileKey{st.Dev, st.Ino}, nil
}

// sweep closes the files that no process has open any more.
func (t *files) sweep(logf func(string, ...any)) {
	t.mu.Lock()
	var gone []*openFile
	for key, f := range t.open {
		if f.users > 0 || unix.Flock(f.own, unix.LOCK_EX|unix.LOCK_NB) != nil {
			continue
		}
		delete(t.open, key)
		gone = append(gone, f)
	}
	t.mu.Unlock()
	for _, f := range gone {
		f.end(logf)
	}
}

// closeAll closes all files, when no ioctl runs any more.
func (t *files) closeAll(logf func(string, ...any)) {
	t.mu.Lock()
	open := t.open
	t.open = nil
	t.mu.Unlock()
	for _, f := range open {
		f.end(logf)
	}
}

// end closes a file that has no users.
func (f *openFile) end(logf func(string, ...any)) {
	if err := errors.Join(f.Close(), unix.Close(f.own)); err != nil {
		logf("closing an open file of the card: %v", err)
	}
}
