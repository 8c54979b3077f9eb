// Package gpu runs a program with a virtual Radeon and tells what its shaders did: what
// gcnsim gpu does.
package gpu

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gcnsim/gcnsim/device"
	"github.com/gcnsim/gcnsim/device/guest"
)

// Options are what a caller wants of a run.
type Options struct {
	Chip string // a name of package chip
	Log  string // file of what the device does not answer; "" for stderr
}

// Run runs a program, args[0], with its arguments on the standard files of this process,
// and returns its exit status: 128 + n when signal n has ended it. What there is to tell
// goes to stderr. The error is one of the options, or of starting the program.
func Run(ctx context.Context, o *Options, args []string, stderr io.Writer) (status int, err error) {
	tell := &prefixed{to: stderr}
	log := io.Writer(tell)
	if o.Log != "" {
		f, err := os.Create(o.Log)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		log = f
	}
	d, err := device.New(device.Options{Chip: o.Chip, Log: log})
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = guest.Environ(os.Environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	c := &counted{Device: guest.Card(d)}
	caught := catch()
	defer caught.release()
	g, err := guest.Start(cmd, c, &guest.Options{
		Log:     func(line string) { fmt.Fprintln(log, line) },
		Orphans: func() { fmt.Fprintf(tell, "%s has ended; waiting for processes that it started\n", args[0]) },
	})
	if err != nil {
		return 0, err
	}
	caught.pass(cmd.Process)
	err = g.Wait(ctx)
	if errors.Is(err, guest.ErrOrphans) {
		fmt.Fprintf(tell, "processes that %s started still run; they have no card any more\n", args[0])
	}
	if c.opened.Load() == 0 {
		fmt.Fprintln(tell, unopened(args[0]))
	}
	if cmd.ProcessState == nil {
		return 0, err
	}
	return exitStatus(cmd.ProcessState), nil
}

// counted is a card that counts how often it was opened.
type counted struct {
	guest.Device
	opened atomic.Int64
}

// Open opens the card.
func (c *counted) Open() (guest.File, error) {
	c.opened.Add(1)
	return c.Device.Open()
}

// unopened says why a program may not have used the card.
func unopened(program string) string {
	text := program + " did not use the GPU"
	var missing []string
	if len(guest.VulkanDrivers()) == 0 {
		missing = append(missing, "mesa-vulkan-drivers for Vulkan")
	}
	if guest.OpenCLDriver() == "" {
		missing = append(missing, "mesa-opencl-icd for OpenCL")
	}
	if len(missing) > 0 {
		text += "; if it wanted to: the driver is not installed (Debian: " + strings.Join(missing, ", ") + ")"
	}
	return text
}

// prefixed tells things between what a program prints.
type prefixed struct {
	mu sync.Mutex
	to io.Writer
}

// Write writes b, which is one thing to tell.
func (p *prefixed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := fmt.Fprintf(p.to, "gcnsim gpu: %s", b); err != nil {
		return 0, err
	}
	return len(b), nil
}
