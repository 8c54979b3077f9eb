// Package gpu implements gcnsim gpu: it executes a program with a virtual Radeon and reports what its shaders did.
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
	"time"

	"github.com/gcnsim/gcnsim/internal/device"
	"github.com/gcnsim/gcnsim/internal/device/guest"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// Options says what a caller wants to see of a program's execution.
type Options struct {
	Chip string // a name of package chip
	// Timing says whether clocks that programs read come from the time model, and which part is timed.
	Timing  spec.Timing
	Check   []string // kinds of findings to look for
	Stats   bool     // print counts by kernel
	Runtime bool     // include kernels of the runtime itself
	Trace   string   // file of a Chrome trace of each open file of the card
	Report  string   // file of an HTML page
	List    bool     // print a line for each dispatch
	Only    string   // which dispatches are watched: NAME or NAME:N; "" means all
	Save    string   // directory for specifications of distinct dispatches
	// Debug names the dispatch that stops for a debugger, in the syntax of Only. Without N it is the first one of
	// NAME, or of [AnyKernel].
	Debug  string
	Listen string // address where the debugger connects
	Log    string // file for requests that the device does not implement
	Limit  uint64 // instructions that a wave may execute; 0 means the default

	params func(*timing.Params) // changes the parameters of the time model; only used in tests

	Commands string // file for a listing of the command buffers

	// Uses are the files that the caller reads and writes. A trace of another open file of the card must not
	// overwrite one of them. It may be nil.
	Uses *files.Uses
}

// Outcome describes how the program ended.
type Outcome struct {
	Status   int // exit status of the program; 128 + n if signal n ended it
	Faults   int // number of lost contexts
	Findings []check.Finding
}

// Run executes the program args[0] with its arguments and with the standard files of this process, which must start
// nothing else meanwhile. Signals to this process end the execution; ctx does not. Run reports on stderr and in the
// files that o names. The error concerns an option, the start of the program or a file; the outcome is then partial.
func Run(ctx context.Context, o *Options, args []string, stderr io.Writer) (out Outcome, err error) {
	shows := files.IsTerminal(stderr)
	show := &progress{out: stderr, now: time.Now}
	if shows {
		stderr = show
	}
	w := &watcher{want: o, tell: &prefixed{to: stderr}, found: map[[2]int][]check.Finding{}}
	ctx, caught := catch(ctx)
	defer caught.release()
	options, err := w.options(ctx)
	if err != nil {
		return out, err
	}
	stop := func() {}
	if shows {
		options.Progress, options.Dispatched = show.reach, show.end
		stop = show.run()
	}
	defer stop()
	options.Faulted = func(f *device.Fault) {
		w.faulted(f)
		caught.lose()
	}
	if o.Log != "" {
		f, err := os.Create(o.Log)
		if err != nil {
			return out, err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		w.log = f
	}
	if o.Commands != "" {
		f, err := os.Create(o.Commands)
		if err != nil {
			return out, err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		options.Commands = f
	}
	defer w.stop.close()
	if w.device, err = device.New(*options); err != nil {
		return out, err
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = guest.Environ(os.Environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	g, err := guest.Start(cmd, card{guest.Card(w.device), w}, &guest.Options{
		Log: func(line string) { fmt.Fprintln(w, line) },
		Orphans: func() {
			if caught.orphans() {
				fmt.Fprintf(w.tell, "%s has ended; waiting for processes that it started\n", args[0])
			}
		},
		Adopt: true,
	})
	if err != nil {
		return out, err
	}
	caught.pass(cmd.Process)
	err = g.Wait(ctx)
	stop()
	if errors.Is(err, guest.ErrOrphans) {
		fmt.Fprintf(w.tell, "processes that %s started still run; they have no card any more\n", args[0])
	}
	if cmd.ProcessState == nil {
		return out, err
	}
	out.Status = exitStatus(ctx, cmd.ProcessState)
	if !cmd.ProcessState.Exited() || ctx.Err() != nil {
		w.killed = cmd.ProcessState.String()
	}
	if errors.Is(err, guest.ErrBusy) { // the card's work continues, and the counts may still change
		fmt.Fprintln(w.tell, "the card still works for processes that were killed; nothing is told of what it did")
		return out, nil
	}
	out.Faults = w.faults
	if w.opened == 0 {
		fmt.Fprintln(w.tell, unopened(args[0]))
	}
	out.Findings, err = w.finish(stderr, args[0])
	return out, err
}

// card is a card that reports closed files to w.
type card struct {
	guest.Device
	w *watcher
}

// Open opens the card.
func (c card) Open() (guest.File, error) {
	f, err := c.Device.Open()
	if err != nil {
		return nil, err
	}
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.w.opened++
	return openFile{f, c.w}, nil
}

type openFile struct {
	guest.File
	w *watcher
}

// OpenKFD opens the card by /dev/kfd.
func (c card) OpenKFD() (guest.File, error) {
	f, err := c.Device.OpenKFD()
	if err == nil {
		c.w.mu.Lock()
		defer c.w.mu.Unlock()
		c.w.opened++
		c.w.queues = true
	}
	return f, err
}

// Close closes the file and stores its results.
func (f openFile) Close() error {
	err := f.File.Close()
	if file, ok := f.File.(*device.File); ok {
		f.w.closed(file.Number(), file.Stamps())
	}
	return err
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

// prefixed writes messages between the program's output, each with a prefix.
type prefixed struct {
	mu sync.Mutex
	to io.Writer
}

// Write writes b, which is one message.
func (p *prefixed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := fmt.Fprintf(p.to, "gcnsim gpu: %s", b); err != nil {
		return 0, err
	}
	return len(b), nil
}
