//go:build linux && (amd64 || arm64)

package guest

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sys/unix"
)

// files are the open files of the device, by the memory file that programs hold.
type files struct {
	mu   sync.Mutex
	open map[fileKey]*openFile
}

// fileKey identifies a memory file in every process that has it open.
type fileKey struct{ dev, ino uint64 }

// openFile is one open file. The open file description that programs got a duplicate of
// holds a lock on the memory file, and this process has none of it: so the lock goes when
// the last descriptor and the last mapping of all processes are gone.
type openFile struct {
	File
	node   string          // the path that programs open it by
	own    int             // descriptor of another open file description of the memory file
	users  int             // ioctls that run
	ctx    context.Context // of these; it ends when no process has the file open any more
	cancel context.CancelFunc
}

// add opens the device by one of its nodes and returns a descriptor for a program, which the caller
// closes.
func (t *files) add(node string, open func() (File, error)) (theirs int, err error) {
	f, err := open()
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
	again := reopen(int(f.Memory().Fd()))
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
	ctx, cancel := context.WithCancel(context.Background())
	t.open[key] = &openFile{File: f, node: node, own: own, ctx: ctx, cancel: cancel}
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

// nodeOf returns the path that a file of the device was opened by, "" if it is not a file of the device.
func (t *files) nodeOf(key fileKey) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f := t.open[key]; f != nil {
		return f.node
	}
	return ""
}

// keyOf returns the key of the file that a path leads to, without waiting for a file server
// that a program may have started.
func keyOf(path string) (fileKey, error) {
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_STATX_DONT_SYNC, unix.STATX_INO, &st); err != nil {
		return fileKey{}, err
	}
	return fileKey{unix.Mkdev(st.Dev_major, st.Dev_minor), st.Ino}, nil
}

// unused removes the files that no process has open any more and whose ioctls have ended, and
// returns them to be ended. Ioctls that still run are canceled: their callers are gone.
func (t *files) unused() (gone []*openFile) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, f := range t.open {
		if unix.Flock(f.own, unix.LOCK_EX|unix.LOCK_NB) != nil {
			continue
		}
		if f.cancel(); f.users > 0 {
			continue // until the next time
		}
		delete(t.open, key)
		gone = append(gone, f)
	}
	return gone
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
	f.cancel()
	if err := errors.Join(f.Close(), unix.Close(f.own)); err != nil {
		logf("closing an open file of the card: %v", err)
	}
}
