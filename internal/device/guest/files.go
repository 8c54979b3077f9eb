//go:build linux && (amd64 || arm64)

package guest

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sys/unix"
)

// files are the open files of the device, by the key of the memory file that programs have open.
type files struct {
	mu   sync.Mutex
	open map[fileKey]*openFile
}

// fileKey identifies a memory file. It is the same in every process that has the file open.
type fileKey struct{ dev, ino uint64 }

// openFile is one open file of the device. The open file description whose duplicate programs received has a lock on
// the memory file, and this process keeps no descriptor of that description. The lock therefore ends with the last
// descriptor and the last mapping in any process.
type openFile struct {
	File
	node   string          // path by which programs open the file
	own    int             // descriptor of a second open file description of the memory file
	users  int             // number of ioctls in progress
	ctx    context.Context // context of these ioctls, canceled when no process has the file open any more
	cancel context.CancelFunc
}

// add opens the device through one of its nodes and returns a descriptor for a program. The caller closes the
// descriptor.
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
		_ = f.Close() // the first error is reported
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

// of returns the device's file behind a descriptor of a process and adds a user, or returns nil.
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

// done removes a user of a file.
func (t *files) done(f *openFile) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f.users--
}

// nodeOf returns the path by which a file of the device was opened, or "" if it is not a file of the device.
func (t *files) nodeOf(key fileKey) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f := t.open[key]; f != nil {
		return f.node
	}
	return ""
}

// keyOf returns the key of the file at a path. It never waits for a file server, which might be a program that this
// process has started.
func keyOf(path string) (fileKey, error) {
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_STATX_DONT_SYNC, unix.STATX_INO, &st); err != nil {
		return fileKey{}, err
	}
	return fileKey{unix.Mkdev(st.Dev_major, st.Dev_minor), st.Ino}, nil
}

// unused removes the files that no process has open any more and returns those without ioctls, which the caller must
// end. Ioctls in progress are canceled, because their callers no longer exist.
func (t *files) unused() (gone []*openFile) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, f := range t.open {
		if unix.Flock(f.own, unix.LOCK_EX|unix.LOCK_NB) != nil {
			continue
		}
		if f.cancel(); f.users > 0 {
			continue // the next call returns it
		}
		delete(t.open, key)
		gone = append(gone, f)
	}
	return gone
}

// closeAll closes all files. No ioctl may be in progress.
func (t *files) closeAll(logf func(string, ...any)) {
	t.mu.Lock()
	open := t.open
	t.open = nil
	t.mu.Unlock()
	for _, f := range open {
		f.end(logf)
	}
}

// end closes a file without users.
func (f *openFile) end(logf func(string, ...any)) {
	f.cancel()
	if err := errors.Join(f.Close(), unix.Close(f.own)); err != nil {
		logf("closing an open file of the card: %v", err)
	}
}
