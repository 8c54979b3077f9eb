// Package suite runs programs of others, and a Vulkan program of this project, on the virtual Radeon, and counts the
// tests that passed. Its go test runs a short part; make suites runs all and prints the table of docs/DEVICE.md.
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
	Notes                   []string // reasons why tests failed or were skipped
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

// String returns the numbers of passed, failed and skipped tests.
func (t *Tally) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", t.Passed, t.Failed, t.Skipped)
}

// Run runs a program with a card and returns its output and the device's messages. The error is a
// *[guest.UnsupportedError] if this host cannot supervise programs, or the program's own error.
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

// lines is a writer that calls the function for each line.
type lines func(line string)

// Write passes on b, which is a line.
func (l lines) Write(b []byte) (int, error) {
	l(string(b))
	return len(b), nil
}
