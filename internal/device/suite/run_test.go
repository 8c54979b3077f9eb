// Package suite runs programs that others wrote, and a Vulkan program of this project, with
// the virtual Radeon, and counts what passed. Its test runs a short part; make suites runs
// all of it and prints the table of docs/DEVICE.md.
package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/gcnsim/gcnsim/internal/device"
	"github.com/gcnsim/gcnsim/internal/device/guest"
)

// Tally counts the tests of a suite on a chip.
type Tally struct {
	Passed, Failed, Skipped int
	Notes                   []string // which failed or were skipped, and why
}

// Fail counts a test that failed.
func (t *Tally) Fail(format string, args ...any) {
	t.Failed++
	t.Notes = append(t.Notes, "failed: "+fmt.Sprintf(format, args...))
}

// Skip counts a test that did not run.
func (t *Tally) Skip(format string, args ...any) {
	t.Skipped++
	t.Notes = append(t.Notes, "skipped: "+fmt.Sprintf(format, args...))
}

// String returns the three numbers.
func (t *Tally) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", t.Passed, t.Failed, t.Skipped)
}

// Run runs a program with a card and returns what it printed and what the device told. The
// error is a *[guest.UnsupportedError] where no program can be run, or that of the program.
func Run(ctx context.Context, chip string, args ...string) (stdout, told string, err error) {
	var mu sync.Mutex
	var out, notes bytes.Buffer
	tell := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(&notes, strings.TrimSuffix(line, "\n"))
	}
	d, err := device.New(device.Options{Chip: chip, Log: lines(tell)})
	if err != nil {
		return "", "", err
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = guest.Environ(os.Environ()), &out, &out
	g, err := guest.Start(cmd, guest.Card(d), &guest.Options{Log: tell})
	if err != nil {
		return "", "", err
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() }) // it may have ended
	err = g.Wait(ctx)
	stop()
	mu.Lock()
	defer mu.Unlock()
	return out.String(), notes.String(), errors.Join(err, ctx.Err())
}

// lines is a writer that tells each line.
type lines func(line string)

// Write tells b, which is a line.
func (l lines) Write(b []byte) (int, error) {
	l(string(b))
	return len(b), nil
}
