//go:build linux && (amd64 || arm64)

package guest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// server answers the calls of a program and of what it starts.
type server struct {
	listener int
	device   Device
	tree     *tree
	options  Options
	files    files
	calls    callers

	stopping atomic.Bool
	stopper  int          // descriptor of an event that stop sets
	idle     atomic.Int32 // workers that wait for their turn
	turn     sync.Mutex   // to receive a call
	workers  sync.WaitGroup
}

// maxIdle is how many workers are kept for the next calls.
const maxIdle = 4

// serve begins to answer calls.
func serve(listener int, d Device, t *tree, o Options) (*server, error) {
	stopper, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("guest: eventfd: %w", err)
	}
	s := &server{listener: listener, device: d, tree: t, options: o, stopper: stopper}
	s.work()
	s.workers.Go(s.tend)
	return s, nil
}

// work starts a worker. Workers take turns: one waits for a call, and when that is an ioctl,
// which may take long, the next one does.
func (s *server) work() {
	s.idle.Add(1)
	s.workers.Go(func() {
		var n notification
		for s.next(&n) {
		}
	})
}

// next answers calls up to one that may take long, and reports whether the worker is to go
// on.
func (s *server) next(n *notification) bool {
	s.turn.Lock()
	for {
		if !s.receive(n) {
			s.turn.Unlock()
			s.idle.Add(-1)
			return false
		}
		if n.nr == unix.SYS_IOCTL {
			break
		}
		s.try(n)
	}
	if s.idle.Add(-1) == 0 {
		s.work()
	}
	s.turn.Unlock()
	s.try(n)
	if s.idle.Add(1) > maxIdle {
		s.idle.Add(-1)
		return false
	}
	return true
}

// receive waits for a call; there is none when the server stops. It does not wait in the
// ioctl that gets the call: nothing but a call ends that.
func (s *server) receive(n *notification) bool {
	fds := [...]unix.PollFd{{Fd: int32(s.listener), Events: unix.POLLIN}, {Fd: int32(s.stopper), Events: unix.POLLIN}}
	for !s.stopping.Load() {
		_, err := unix.Poll(fds[:], -1)
		if err == nil && fds[0].Revents&unix.POLLIN != 0 {
			err = receive(s.listener, n)
			if err == nil {
				return true
			}
		}
		switch {
		case err == nil && fds[0].Revents != 0: // all callers have ended
			return false
		case err == nil, errors.Is(err, unix.EINTR), errors.Is(err, unix.ENOENT): // ENOENT: this one was killed
		default:
			s.options.logf("the next call could not be received: %v", err)
			return false
		}
	}
	return false
}

// try answers a call.
func (s *server) try(n *notification) {
	if err := s.answer(n); err != nil {
		s.options.logf("system call %d of thread %d: %v", n.nr, n.tid, err)
	}
}

// answer answers a call. A panic of the device is EIO and a line in the log, and other calls
// are answered all the same.
func (s *server) answer(n *notification) (err error) {
	defer func() {
		if v := recover(); v != nil {
			s.options.logf("this is a defect of the simulator, please report it: %v\n%s", v, debug.Stack())
			err = respond(s.listener, n.id, 0, unix.EIO)
		}
	}()
	if n.nr == unix.SYS_IOCTL {
		return s.ioctl(n)
	}
	c := pathCalls[int(n.nr)]
	if c == nil {
		return proceed(s.listener, n.id)
	}
	at, err := s.locate(n, c)
	if err != nil || at.kind == elsewhere {
		return proceed(s.listener, n.id) // what cannot be read is EFAULT in the kernel, too
	}
	return c.do(s, n, c, at)
}

// ioctl hands an ioctl on the card to its open file.
func (s *server) ioctl(n *notification) error {
	p := process(n.tid)
	f := s.files.of(p, int(int32(n.args[0])))
	if f == nil {
		return proceed(s.listener, n.id)
	}
	defer s.files.done(f)
	if !valid(s.listener, n.id) {
		return nil // its number may be another thread's by now
	}
	ctx, done := s.calls.begin(n.id, p)
	defer done()
	return respond(s.listener, n.id, 0, f.Ioctl(ctx, p, uint32(n.args[1]), n.args[2]))
}

// tendEvery is how often callers that are gone and files that are closed are looked for.
const tendEvery = 20 * time.Millisecond

// tend cancels the ioctls of callers that are gone and closes files that nobody has open.
func (s *server) tend() {
	ticker := time.NewTicker(tendEvery)
	defer ticker.Stop()
	for !s.stopping.Load() {
		<-ticker.C
		s.calls.cancelGone(s.listener)
		s.files.sweep(s.options.logf)
	}
}

// stop ends all work. Calls that are not answered fail once the listener is closed.
func (s *server) stop() {
	s.stopping.Store(true)
	s.calls.cancelAll()
	if _, err := unix.Write(s.stopper, binary.NativeEndian.AppendUint64(nil, 1)); err != nil {
		panic(err) // an event takes any number
	}
	s.workers.Wait()
	_, _ = unix.Close(s.listener), unix.Close(s.stopper) // nothing was written
	s.files.closeAll(s.options.logf)
}

// callers are the ioctls that run, by the number of their call.
type callers struct {
	mu      sync.Mutex
	running map[uint64]caller
	ended   bool
}

type caller struct {
	thread process
	since  time.Time
	cancel context.CancelFunc
}

// begin returns the context of a call, and what ends it.
func (c *callers) begin(id uint64, thread process) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancel(context.Background())
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == nil {
		c.running = map[uint64]caller{}
	}
	c.running[id] = caller{thread, time.Now(), cancel}
	if c.ended {
		cancel()
	}
	return ctx, func() {
		c.mu.Lock()
		delete(c.running, id)
		c.mu.Unlock()
		cancel()
	}
}

// cancelGone cancels the calls whose callers have been killed, and those that a signal
// interrupts: the kernel does not while this process answers.
func (c *callers) cancelGone(listener int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, r := range c.running {
		if time.Since(r.since) > tendEvery && (!valid(listener, id) || r.thread.signalled()) {
			r.cancel()
		}
	}
}

// cancelAll cancels all calls, and those that are still to come.
func (c *callers) cancelAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for _, r := range c.running {
		r.cancel()
	}
}
