//go:build linux && (amd64 || arm64)

package guest

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// running is a program that runs.
type running struct {
	cmd    *exec.Cmd
	server *server
	tree   *tree
	ended  chan struct{} // closed when the program has ended
	once   sync.Once
}

// start is [Start].
func start(cmd *exec.Cmd, d Device, o *Options) (*running, error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	// Without this process nobody answers the program's calls.
	cmd.SysProcAttr.Pdeathsig = cmp.Or(cmd.SysProcAttr.Pdeathsig, unix.SIGKILL)
	t, err := newTree(d.PCI())
	if err != nil {
		return nil, err
	}
	g := &running{cmd: cmd, tree: t, ended: make(chan struct{})}
	started := make(chan error)
	go onThread(func() {
		err := g.launch(d, o)
		started <- err
		if err == nil {
			<-g.ended // the program is killed when this thread ends
		}
	})
	if err := <-started; err != nil {
		if g.server != nil {
			g.server.stop()
		}
		t.remove()
		return nil, err
	}
	return g, nil
}

// launch starts the program on a thread that gets the filter.
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
	return g.cmd.Start() // the server answers its calls, too
}

// onThread runs f on a thread of its own, which ends with it. It is not the first thread of
// the process, which cannot end.
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

// probe finds out, on the thread that has the filter, whether calls are answered.
func probe(t *tree) error {
	var st unix.Stat_t
	err := unix.Stat(node, &st)
	if err == nil && st.Ino == t.nodeInode {
		return nil
	}
	var b [2]byte
	read := process(unix.Getpid()).ReadAt(b[:1], uint64(uintptr(unsafe.Pointer(&b[1]))))
	if read != nil {
		return &UnsupportedError{
			Call: "process_vm_readv", Err: read,
			Help: "the container forbids reading the memory of processes: its seccomp profile must allow process_vm_readv and process_vm_writev",
		}
	}
	return &UnsupportedError{Call: "answering stat of " + node, Err: err, Help: "does the container forbid SECCOMP_IOCTL_NOTIF_RECV?"}
}

// wait is [Guest.Wait].
func (g *running) wait(ctx context.Context) error {
	err := g.cmd.Wait()
	left := g.end(ctx)
	return errors.Join(err, left)
}

// patience is how long processes that a program left behind may take before it is told.
const patience = time.Second / 2

// end waits for what is left and gives everything back.
func (g *running) end(ctx context.Context) (err error) {
	g.once.Do(func() {
		close(g.ended)
		start, told := time.Now(), false
		for !g.server.alone(tendEvery) {
			if ctx.Err() != nil {
				err = ErrOrphans
				break
			}
			if tell := g.server.options.Orphans; !told && tell != nil && time.Since(start) > patience {
				told = true
				tell()
			}
		}
		g.server.stop()
		g.tree.remove()
	})
	return err
}

// alone reports whether no process is left, which it waits for at most that long.
func (s *server) alone(wait time.Duration) bool {
	fds := []unix.PollFd{{Fd: int32(s.listener)}} // hanging up is always told
	n, err := unix.Poll(fds, int(wait.Milliseconds()))
	return err == nil && n > 0 && fds[0].Revents&unix.POLLHUP != 0
}
