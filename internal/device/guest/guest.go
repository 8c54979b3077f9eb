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
	// Open opens its render node once more.
	Open() (File, error)
	// PCI holds the identity in its directory in sysfs.
	PCI() device.PCI
	// OpenKFD opens /dev/kfd once more.
	OpenKFD() (File, error)
	// Topology returns the files of /dev/kfd in sysfs by their paths, nil if there is no /dev/kfd.
	Topology() map[string]string
}

// File is one open file of a device, shared by all descriptors that were duplicated from
// the first one.
type File interface {
	// Memory is the file that programs hold, and map.
	Memory() *os.File
	// Ioctl answers an ioctl with 0 or an error number. It may wait until ctx ends, which
	// it does when the caller is gone. It is called concurrently.
	Ioctl(ctx context.Context, p device.Process, request uint32, arg uint64) syscall.Errno
	// Close is called once no process can reach the file, after all its ioctls.
	Close() error
}

// card is a virtual Radeon.
type card struct{ *device.Device }

// Open opens it once more.
func (c card) Open() (File, error) {
	f, err := c.Device.Open()
	if err != nil {
		return nil, err
	}
	return f, nil
}

// OpenKFD opens /dev/kfd once more.
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
	// Log, if not nil, is called with a line for each call that could not be answered as
	// the kernel would. It is called concurrently.
	Log func(line string)
	// Orphans, if not nil, is called when the program has ended and processes that it
	// started have not.
	Orphans func()
	// Adopt makes this process the parent of processes whose own parent has ended
	// (PR_SET_CHILD_SUBREAPER), until Wait returns, and makes Wait kill all of them when its
	// context ends. It is for a process that starts nothing else meanwhile: each of its
	// children counts as one that the program left behind.
	Adopt bool
}

// An UnsupportedError says that this host does not let a process answer system calls of
// another one.
type UnsupportedError struct {
	Call string // name of the refused system call
	Err  error
	Help string // advice for the user
}

// Error says what was refused and what to do.
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

// Unwrap returns the error of the call.
func (e *UnsupportedError) Unwrap() error { return e.Err }

// ErrBusy is returned by [Guest.Wait] when its context has ended and the card still works for
// processes that were killed. What the card keeps is not given back before that ends.
var ErrBusy = errors.New("guest: the card still works for processes that were killed")

// ErrOrphans is returned by [Guest.Wait] when its context ends while processes that the
// program left behind still run. They have no card from then on.
var ErrOrphans = errors.New("guest: processes that the program started still run; they have no card any more")

// Guest is a program that runs with a card.
type Guest struct{ *running }

// Start starts a program with a device as its card; cmd is one that was not started, and
// [Environ] makes its environment. o may be nil. The program is killed when this process
// ends. The error is an *[UnsupportedError] or one of starting the program. Wait must be
// called.
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

// Wait waits until the program has ended and so have all processes that it left behind,
// and gives everything back. The error comes from [exec.Cmd.Wait]. When ctx ends, Wait kills
// the program, and with [Options.Adopt] all processes that descend from it, and returns within
// a second or so. The error is also [ErrOrphans] or [ErrBusy] then if something did not end.
func (g *Guest) Wait(ctx context.Context) error { return g.wait(contexts.Given(ctx)) }

// errnoOf returns the error number that a caller gets for an error of ours.
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
