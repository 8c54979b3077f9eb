//go:build linux && (amd64 || arm64)

package guest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// server answers the system calls of a program and of its child processes.
type server struct {
	listener int
	device   Device
	tree     *tree
	options  Options
	files    files
	calls    callers

	stopping atomic.Bool
	stopped  chan struct{} // closed by stop
	stopper  int           // descriptor of an event that stop signals
	received atomic.Bool   // a call was received since tend last checked
	active   chan struct{} // has an element when the first call after a pause was received
	idle     atomic.Int32  // number of workers that wait for the turn or have it
	workers  sync.WaitGroup

	turn    chan struct{} // has an element, the right to receive a call, when no worker has it
	turns   uint64        // number of calls that were answered by workers that kept the turn
	kept    atomic.Uint64 // the number of the call that such a worker is answering, or 0
	careful atomic.Int64  // time in nanoseconds until which no worker may keep the turn
}

// maxIdle is how many idle workers are kept for later calls.
const maxIdle = 4

// serve starts to answer calls.
func serve(listener int, d Device, t *tree, o Options) (*server, error) {
	stopper, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("guest: eventfd: %w", err)
	}
	s := &server{listener: listener, device: d, tree: t, options: o, stopper: stopper,
		stopped: make(chan struct{}), active: make(chan struct{}, 1), turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	s.work()
	s.workers.Go(s.tend)
	return s, nil
}

// work starts a worker. Workers take turns to receive calls. A worker that has received an ioctl passes the turn on
// before it answers. Answering a call with a path takes less time than passing the turn on, so the worker then keeps
// the turn. But reading a path may block, if the program itself handles page faults of that memory. In this case
// [server.tend] takes the turn away from the worker.
func (s *server) work() {
	s.idle.Add(1)
	s.workers.Go(func() {
		var n notification
		for s.next(&n) {
		}
	})
}

// next answers calls until the worker's turn ends. It reports whether the worker should continue.
func (s *server) next(n *notification) bool {
	<-s.turn
	for {
		if !s.receive(n) {
			s.idle.Add(-1)
			s.turn <- struct{}{}
			return false
		}
		if n.nr == unix.SYS_IOCTL || time.Now().UnixNano() < s.careful.Load() {
			s.handOver()
			s.try(n)
			break
		}
		s.turns++
		call := s.turns
		s.kept.Store(call)
		s.try(n)
		if !s.kept.CompareAndSwap(call, 0) {
			break // tend gave the turn to another worker
		}
	}
	if s.idle.Add(1) > maxIdle {
		s.idle.Add(-1)
		return false
	}
	return true
}

// handOver passes a worker's turn to the next worker.
func (s *server) handOver() {
	if s.idle.Add(-1) == 0 {
		s.work()
	}
	s.turn <- struct{}{}
}

// watch takes the turn away from a worker if it is still answering the call before, the result of the previous watch.
// It returns the number of the call that is being answered now. After a slow call others may be slow too, so for a
// while no worker keeps its turn.
func (s *server) watch(before uint64) uint64 {
	call := s.kept.Load()
	if call != 0 && call == before && s.kept.CompareAndSwap(call, 0) {
		s.careful.Store(time.Now().Add(time.Second).UnixNano())
		s.handOver()
	}
	return call
}

// receive waits for a call. It reports false when the server stops. It waits by poll instead of in the ioctl that
// receives the call, because only a call would end the ioctl.
func (s *server) receive(n *notification) bool {
	fds := [...]unix.PollFd{{Fd: int32(s.listener), Events: unix.POLLIN}, {Fd: int32(s.stopper), Events: unix.POLLIN}}
	for !s.stopping.Load() {
		_, err := unix.Poll(fds[:], -1)
		if err == nil && fds[0].Revents&unix.POLLIN != 0 {
			err = receive(s.listener, n)
			if err == nil {
				if !s.received.Swap(true) {
					select {
					case s.active <- struct{}{}:
					default:
					}
				}
				return true
			}
		}
		switch {
		case err == nil && fds[0].Revents != 0: // all processes with the filter have ended
			return false
		case err == nil, errors.Is(err, unix.EINTR), errors.Is(err, unix.ENOENT): // ENOENT: the caller was killed
		default:
			s.options.logf("the next call could not be received: %v", err)
			return false
		}
	}
	return false
}

// try answers a call and logs an error.
func (s *server) try(n *notification) {
	if err := s.answer(n); err != nil {
		s.options.logf("system call %d of thread %d: %v", n.nr, n.tid, err)
	}
}

// answer answers a call. If the device panics, the program receives EIO, the log a line, and later calls are still
// answered.
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
	at, m, err := s.locate(n, c)
	switch {
	case err == nil && at.errno != 0:
		return s.finish(n, 0, at.errno)
	case err == nil && at.entry != nil:
		return c.do(s, n, c, at.entry, m)
	}
	return proceed(s.listener, n.id) // the kernel will also fail to read it, with EFAULT
}

// ioctl passes an ioctl to its open file of the card.
func (s *server) ioctl(n *notification) error {
	p := process(n.tid)
	f := s.files.of(p, int(int32(n.args[0])))
	if f == nil {
		return proceed(s.listener, n.id)
	}
	defer s.files.done(f)
	if !valid(s.listener, n.id) {
		return nil // the thread's number may have been reused
	}
	ctx, done := s.calls.begin(f.ctx, n.id, p)
	defer done()
	c := &caller{process: p, listener: s.listener, id: n.id}
	errno := f.Ioctl(ctx, c, uint32(n.args[1]), n.args[2])
	answer := func() error { return respond(s.listener, n.id, 0, errno) }
	if c.watch == nil {
		return answer()
	}
	answered, err := c.watch.begin(p, answer)
	if err != nil {
		s.options.logf("stores of process %d are not noticed, its memory is looked at instead: %v", c.watch.of, err)
	}
	return answered
}

// Pauses between two checks for callers and files that no longer exist: while calls arrive, and the longest pause
// after a while without calls, when a check costs more than it finds. If the first thread of a process waits in a
// call, checks are more frequent, because most signals go to the first thread.
const (
	tendEvery = 20 * time.Millisecond
	tendFirst = time.Second
	tendIdle  = 10 * time.Second
)

// tend cancels ioctls whose callers no longer exist, closes files that nobody has open, and makes sure that some
// worker receives calls.
func (s *server) tend() {
	pause, call := tendEvery, uint64(0)
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-s.active:
			if pause > tendEvery {
				pause = tendEvery
				timer.Reset(pause)
			}
			continue
		case <-s.stopped:
			return
		}
		call = s.watch(call)
		first := s.calls.cancelGone(s.listener)
		for _, f := range s.files.unused() {
			s.workers.Go(func() { f.end(s.options.logf) }) // it may have to wait for the engine
		}
		most := tendIdle
		if first {
			most = tendFirst
		}
		if pause = min(2*pause, most); s.received.Swap(false) {
			pause = tendEvery
		}
		timer.Reset(pause)
	}
}

// stop ends all work. It reports whether that was complete before done fired. Unanswered calls fail when the listener
// is closed, which happens after all work has ended.
func (s *server) stop(done <-chan time.Time) bool {
	s.stopping.Store(true)
	close(s.stopped)
	s.calls.cancelAll()
	if _, err := unix.Write(s.stopper, binary.NativeEndian.AppendUint64(nil, 1)); err != nil {
		panic(err) // cannot happen: an event accepts any number
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.workers.Wait()
		_, _ = unix.Close(s.listener), unix.Close(s.stopper) // nothing was written
		s.files.closeAll(s.options.logf)
	}()
	select {
	case <-ended:
		return true
	case <-done:
		return false
	}
}
