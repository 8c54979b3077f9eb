//go:build linux && (amd64 || arm64)

package guest

import (
	"container/list"
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gcnsim/gcnsim/internal/device"
)

// caller is the thread that waits for an answer, and its memory. If the thread is killed, its number may be reused,
// so each access first checks whether it still waits.
type caller struct {
	process
	listener int
	id       uint64      // identifies the call
	watch    *storeWatch // the watch of stores that this call began, or nil
}

// waits reports whether the caller waits for an answer.
func (c *caller) waits() bool { return valid(c.listener, c.id) }

// ReadAt reads all of b from addr on, or fails.
func (c *caller) ReadAt(b []byte, addr uint64) error {
	if !c.waits() {
		return unix.ESRCH
	}
	return c.process.ReadAt(b, addr)
}

// WriteAt copies b to addr. If a page is unmapped, it copies the part before that page and returns an error.
func (c *caller) WriteAt(b []byte, addr uint64) error {
	if !c.waits() {
		return unix.ESRCH
	}
	return c.process.WriteAt(b, addr)
}

// Inode returns the device and inode of an open file of the caller.
func (c *caller) Inode(fd int) (dev, ino uint64, err error) {
	key, err := keyOf(c.descriptor(fd))
	if err == nil && !c.waits() {
		err = unix.ESRCH
	}
	return key.dev, key.ino, err
}

// Hold returns access to the memory of the caller's process that lasts longer than the call.
func (c *caller) Hold() (device.Held, error) {
	pid, err := c.group()
	if err != nil {
		return nil, err
	}
	h, err := process(pid).hold()
	if err != nil {
		return nil, err
	}
	if !c.waits() { // the number may have been reused
		return nil, errors.Join(unix.ESRCH, h.Close())
	}
	return h, nil
}

// hold opens the memory of the process for later access.
func (p process) hold() (*held, error) {
	mem, err := unix.Open(p.ofProc("mem"), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return &held{p, mem}, nil
}

// held is the memory of a process, through a file descriptor. After the process has ended or executed another
// program, reads through it fail or return nothing.
type held struct {
	process
	mem int
}

// lives reports whether the process still has that memory.
func (h *held) lives() bool {
	var b [1]byte
	n, err := uninterrupted(func() (int, error) { return unix.Pread(h.mem, b[:], 0) })
	return n > 0 || errors.Is(err, unix.EIO)
}

// ReadAt reads all of b from addr on, or fails.
func (h *held) ReadAt(b []byte, addr uint64) error {
	if !h.lives() {
		return unix.ESRCH
	}
	return h.process.ReadAt(b, addr)
}

// WriteAt copies b to addr. If a page is unmapped, it copies the part before that page and returns an error.
func (h *held) WriteAt(b []byte, addr uint64) error {
	if !h.lives() {
		return unix.ESRCH
	}
	return h.process.WriteAt(b, addr)
}

// Close ends the access.
func (h *held) Close() error { return unix.Close(h.mem) }

// callers are the ioctls in progress.
type callers struct {
	mu      sync.Mutex
	running list.List // list of *runningCall; the one that cancelGone checked last is at the back
	ended   bool
}

type runningCall struct {
	id     uint64 // identifies the call
	thread process
	since  time.Time
	cancel context.CancelFunc
	asked  bool // first is known
	first  bool // the thread is the first thread of its process
}

// begin returns a context for a call, which is canceled with parent, and the function that ends the call.
func (c *callers) begin(parent context.Context, id uint64, thread process) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancel(parent)
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.running.PushBack(&runningCall{id: id, thread: thread, since: time.Now(), cancel: cancel})
	if c.ended {
		cancel()
	}
	return ctx, func() {
		c.mu.Lock()
		c.running.Remove(at)
		c.mu.Unlock()
		cancel()
	}
}

// lookFor is how long one [callers.cancelGone] may check waiting callers. Each check makes two system calls, and
// thousands of callers may wait. The rest is checked first the next time.
const lookFor = time.Millisecond

// cancelGone cancels calls whose callers were killed, and calls that a signal interrupts, which the kernel cannot do
// while this process handles the call. Other calls begin and end meanwhile. It reports whether a process may be
// waiting with its first thread.
func (c *callers) cancelGone(listener int) (first bool) {
	start := time.Now()
	c.mu.Lock()
	left := c.running.Len()
	c.mu.Unlock()
	for ; left > 0 && time.Since(start) < lookFor; left-- {
		r := c.rotate()
		if r == nil {
			return first
		}
		if start.Sub(r.since) <= tendEvery {
			first = true
			continue
		}
		if r.thread.signalled() || !valid(listener, r.id) {
			r.cancel()
		}
		if !r.asked {
			pid, err := r.thread.group()
			r.asked, r.first = true, err == nil && pid == int(r.thread)
		}
		first = first || r.first
	}
	return first || left > 0
}

// rotate moves the first caller to the back of the list and returns it, or nil.
func (c *callers) rotate() *runningCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := c.running.Front()
	if first == nil {
		return nil
	}
	c.running.MoveToBack(first)
	return first.Value.(*runningCall)
}

// cancelAll cancels all calls, and all later ones.
func (c *callers) cancelAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for at := c.running.Front(); at != nil; at = at.Next() {
		at.Value.(*runningCall).cancel()
	}
}

// Give duplicates file into the caller's process, and returns the descriptor's number there.
func (c *caller) Give(file *os.File, closeOnExec bool) (fd int, err error) {
	return inject(c.listener, c.id, int(file.Fd()), closeOnExec)
}
