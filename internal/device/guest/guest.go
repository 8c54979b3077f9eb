package guest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/gcnsim/gcnsim/internal/device"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
)

// Device is the graphics card that programs see.
type Device interface {
	// Open opens its render node.
	Open() (File, error)
	// PCI returns the card's identity in sysfs.
	PCI() device.PCI
	// OpenKFD opens /dev/kfd.
	OpenKFD() (File, error)
	// Topology returns the sysfs files of /dev/kfd by path. It is nil if the card has no /dev/kfd.
	Topology() map[string]string
}

// File is one open file of a device. All duplicates of its descriptor share it.
type File interface {
	// Memory returns the file whose descriptor programs receive, and which they map.
	Memory() *os.File
	// Ioctl executes an ioctl and returns 0 or an error number. It may wait, and must return when ctx ends, which
	// happens when the caller no longer exists. It is called concurrently.
	Ioctl(ctx context.Context, p device.Process, request uint32, arg uint64) syscall.Errno
	// Close is called when no process has the file open any more, after all ioctls on it have ended.
	Close() error
}

// card is a virtual Radeon as a Device.
type card struct{ *device.Device }

// Open opens its render node.
func (c card) Open() (File, error) {
	f, err := c.Device.Open()
	if err != nil {
		return nil, err
	}
	return f, nil
}

// OpenKFD opens /dev/kfd.
func (c card) OpenKFD() (File, error) {
	k, err := c.Device.OpenKFD()
	if err != nil {
		return nil, err
	}
	return k, nil
}

// Card returns the virtual Radeon as a card for programs.
func Card(d *device.Device) Device { return card{d} }

// Options says how a program is run.
type Options struct {
	// Log is called with a line for each call that could not be answered like the kernel would. It is called
	// concurrently. It may be nil.
	Log func(line string)
	// Orphans is called when the program has ended while processes that it started still execute. It may be nil.
	Orphans func()
	// Adopt makes this process the parent of orphaned processes (PR_SET_CHILD_SUBREAPER) until Wait returns. When
	// Wait's context ends, Wait kills all of them. Set it only in a process that starts nothing else meanwhile,
	// because every child counts as one of the program.
	Adopt bool
}

// An UnsupportedError says that this host does not allow a process to answer system calls of another one.
type UnsupportedError struct {
	Call string // name of the refused system call
	Err  error
	Help string // advice for the user
}

// Error returns the refused call, and what to do.
func (e *UnsupportedError) Error() string {
	text := "guest: " + e.Call
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Help != "" {
		text += "; " + e.Help
	}
	return text
}

// Unwrap returns the error of the refused call.
func (e *UnsupportedError) Unwrap() error { return e.Err }

// ErrBusy is returned by [Guest.Wait] when its context has ended and the card still executes work of processes that
// were killed. The card's resources are released when that work ends.
var ErrBusy = errors.New("guest: the card still works for processes that were killed")

// ErrOrphans is returned by [Guest.Wait] when its context ends while processes that the program started still
// execute. From then on they have no card.
var ErrOrphans = errors.New("guest: processes that the program started still run; they have no card any more")

// Guest is a program that executes with a simulated card.
type Guest struct{ *running }

// Start starts a program with a device as its card. cmd must not have been started; [Environ] returns a suitable
// environment. o may be nil. The program is killed when this process ends. The error is an *[UnsupportedError] or an
// error of starting the program. The caller must call Wait.
func Start(cmd *exec.Cmd, d Device, o *Options) (*Guest, error) {
	if o == nil {
		o = &Options{}
	}
	r, err := start(cmd, d, o)
	if err != nil {
		return nil, err
	}
	return &Guest{r}, nil
}

// Wait waits until the program and all processes that it started have ended, and releases everything. The error is
// the error of [exec.Cmd.Wait]. When ctx ends, Wait kills the program, and with [Options.Adopt] all its descendants,
// and returns after about a second. The error then also wraps [ErrOrphans] or [ErrBusy] if something did not end.
func (g *Guest) Wait(ctx context.Context) error { return g.wait(contexts.Given(ctx)) }

// errnoOf converts an error to the error number that a program receives.
func errnoOf(err error) syscall.Errno {
	if n, ok := errors.AsType[syscall.Errno](err); ok {
		return n
	}
	return syscall.EIO
}

// logf writes a line to the log.
func (o *Options) logf(format string, args ...any) {
	if o.Log != nil {
		o.Log(fmt.Sprintf(format, args...))
	}
}

// Is reports whether target is [errors.ErrUnsupported].
func (e *UnsupportedError) Is(target error) bool { return target == errors.ErrUnsupported }
