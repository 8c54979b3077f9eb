//go:build linux && (amd64 || arm64)

package guest

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// running is a program in execution.
type running struct {
	cmd    *exec.Cmd
	server *server
	tree   *tree
	ended  chan struct{} // closed when the program has ended
	once   sync.Once
	family family

	endWithin time.Duration // time that killed processes, and the card's work, get to end
}

// start implements [Start].
func start(cmd *exec.Cmd, d Device, o *Options) (*running, error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	// If this process ended, nobody would answer the program's calls, so the program is killed with it.
	cmd.SysProcAttr.Pdeathsig = cmp.Or(cmd.SysProcAttr.Pdeathsig, unix.SIGKILL)
	t, err := newTree(d)
	if err != nil {
		return nil, err
	}
	g := &running{cmd: cmd, tree: t, ended: make(chan struct{}), endWithin: 800 * time.Millisecond}
	if o.Adopt {
		if err := g.family.adopt(); err != nil {
			t.remove()
			return nil, err
		}
	}
	started := make(chan error)
	go onThread(func() {
		err := g.launch(d, o)
		started <- err
		if err == nil {
			<-g.ended // the kernel kills the program when this thread ends
		}
	})
	if err := <-started; err != nil {
		if g.server != nil {
			g.server.stop(nil)
		}
		g.family.release()
		t.remove()
		return nil, err
	}
	return g, nil
}

// launch starts the program on a thread with the filter, which the program inherits.
func (g *running) launch(d Device, o *Options) error {
	listener, err := install()
	if err != nil {
		return err
	}
	if g.server, err = serve(listener, d, g.tree, *o); err != nil {
		_ = unix.Close(listener) // nothing was written
		return err
	}
	if err := probe(g.tree); err != nil {
		return err
	}
	if err := g.cmd.Start(); err != nil { // the server also answers the calls that Start makes
		return err
	}
	g.family.begin(g.cmd.Process.Pid)
	return nil
}

// onThread calls f on a new thread that ends with f. It never uses the first thread of the process, which cannot end.
func onThread(f func()) {
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		f()
		return // without unlocking: the runtime ends the thread
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		onThread(f)
	}()
	<-done
	runtime.UnlockOSThread()
}

// probe tests, on the thread with the filter, whether calls are answered.
func probe(t *tree) error {
	var st unix.Stat_t
	err := unix.Stat(node, &st)
	if err == nil && st.Ino == t.entries[node].key.ino {
		return nil
	}
	var b [2]byte
	read := process(unix.Getpid()).ReadAt(b[:1], uint64(uintptr(unsafe.Pointer(&b[1]))))
	if read != nil {
		return &UnsupportedError{
			Call: "process_vm_readv", Err: read,
			Help: "the container forbids reading the memory of processes: its seccomp profile must allow process_vm_readv " +
				"and process_vm_writev",
		}
	}
	return &UnsupportedError{Call: "answering stat of " + node, Err: err,
		Help: "does the container forbid SECCOMP_IOCTL_NOTIF_RECV?"}
}

// patience is how long orphaned processes may take to end before Orphans is called.
const patience = time.Second / 2

// wait implements [Guest.Wait].
func (g *running) wait(ctx context.Context) (err error) {
	exited := make(chan error, 1)
	go func() {
		// While remoteCalls traces a thread, cmd.Wait may return before the process has ended.
		if pidfd, err := unix.PidfdOpen(g.cmd.Process.Pid, 0); err == nil {
			fds := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
			_, _ = uninterrupted(func() (int, error) { return unix.Poll(fds, -1) }) // the descriptor is valid
			_ = unix.Close(pidfd)                                                   // nothing was written
		}
		err := g.cmd.Wait()
		close(g.ended) // the thread that started the program also has the filter, and ends now
		exited <- err
	}()
	children := g.family.ending()
	defer signal.Stop(children)
	for {
		select {
		case err = <-exited:
			return errors.Join(err, g.left(ctx, children))
		case <-children:
			g.family.reap()
		case <-ctx.Done():
			return g.killAll(exited)
		}
	}
}

// killAll kills the program and its orphans, and releases everything.
func (g *running) killAll(exited <-chan error) (err error) {
	limit := time.Now().Add(g.endWithin)
	_ = g.cmd.Process.Kill() // it may have ended
	killed := g.kill(limit)
	select {
	case err = <-exited:
	case <-time.After(max(time.Until(limit), tendEvery)): // another process still has its output open
		err = ErrOrphans
	}
	return errors.Join(err, killed, g.end(limit))
}

// left waits for the program's orphans, and releases everything.
func (g *running) left(ctx context.Context, children <-chan os.Signal) error {
	if tell := g.server.options.Orphans; tell != nil {
		defer time.AfterFunc(patience, tell).Stop()
	}
	for alone := g.server.whenAlone(); ; {
		select {
		case <-alone:
			return g.end(time.Time{})
		case <-children:
			g.family.reap()
		case <-ctx.Done():
			limit := time.Now().Add(g.endWithin)
			return errors.Join(g.kill(limit), g.end(limit))
		}
	}
}

// kill ends all processes that have the card open.
func (g *running) kill(limit time.Time) error {
	for !g.server.alone() {
		if time.Now().After(limit) {
			return ErrOrphans
		}
		if !g.family.kill() {
			time.Sleep(time.Millisecond) // the killed processes are ending
		}
	}
	return nil
}

// end releases everything. It gives up at limit, unless that is zero.
func (g *running) end(limit time.Time) (err error) {
	g.once.Do(func() {
		var late <-chan time.Time
		if !limit.IsZero() {
			late = time.After(max(time.Until(limit), 2*tendEvery))
		}
		if !g.server.stop(late) {
			err = ErrBusy
		}
		g.family.release()
		g.tree.remove()
	})
	return err
}

// alone reports whether no process has the filter any more.
func (s *server) alone() bool {
	fds := []unix.PollFd{{Fd: int32(s.listener)}} // poll always reports a hang-up
	n, err := uninterrupted(func() (int, error) { return unix.Poll(fds, 0) })
	return err == nil && n > 0 && fds[0].Revents&unix.POLLHUP != 0
}

// whenAlone returns a channel that is closed when no process has the filter any more.
func (s *server) whenAlone() <-chan struct{} {
	alone := make(chan struct{})
	s.workers.Go(func() {
		fds := []unix.PollFd{{Fd: int32(s.listener)}, {Fd: int32(s.stopper), Events: unix.POLLIN}}
		_, _ = uninterrupted(func() (int, error) { return unix.Poll(fds, -1) }) // both results are harmless
		if fds[0].Revents&unix.POLLHUP != 0 {
			close(alone)
		}
	})
	return alone
}
