//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// busy loads all processors until the test ends.
func busy(t *testing.T) {
	var stop atomic.Bool
	for range max(8, 2*runtime.NumCPU()) {
		go func() {
			for !stop.Load() {
			}
		}()
	}
	t.Cleanup(func() { stop.Store(true) })
}

// begun is a process of the command that has just started to listen for signals, before it builds tables and calls
// main. errors is its later output on standard error, after it has ended.
type begun struct {
	*exec.Cmd
	errors bytes.Buffer
	read   chan struct{}
}

// longest is the time limit for an interrupted process to end, on a loaded machine.
const longest = time.Minute

// begin starts the command. The process is killed if it takes too long, which is an error, and when the test ends.
func begin(t *testing.T, args ...string) *begun {
	t.Helper()
	p := &begun{Cmd: exec.Command("gcnsim", args...), read: make(chan struct{})}
	p.Env = append(os.Environ(), "GODEBUG=inittrace=1") // prints each package initialization
	stderr, err := p.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	kill := func() { _ = p.Process.Kill() } // the result shows whether the process has ended
	late := time.AfterFunc(longest, kill)
	t.Cleanup(func() { late.Stop(); kill() })
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "init github.com/gcnsim/gcnsim/") {
			require.Contains(t, lines.Text(), "/cmd/gcnsim/interrupt ",
				"signals must come before all other packages of the module")
			break
		}
	}
	go func() {
		defer close(p.read)
		for lines.Scan() {
			if !strings.HasPrefix(lines.Text(), "init ") {
				p.errors.WriteString(lines.Text() + "\n")
			}
		}
		_, _ = io.Copy(io.Discard, stderr)
	}()
	return p
}

// end returns the status of the process, and fails if a signal ended it.
func (p *begun) end(t *testing.T) int {
	t.Helper()
	<-p.read
	_ = p.Wait() // its state has the result
	assert.False(t, p.ProcessState.Sys().(syscall.WaitStatus).Signaled(), "%v: %v", p.Args, p.ProcessState)
	return p.ProcessState.ExitCode()
}

// TestInterruptAtAnyTime interrupts commands under load at moments from before main to the end, alternately with
// Ctrl-C and SIGTERM. Each command exits with its own status and says what it leaves unfinished. If it says that the
// execution had begun, the report exists.
func TestInterruptAtAnyTime(t *testing.T) {
	effort.Long(t)
	dir := t.TempDir()
	request := filepath.Join(dir, "endless.json")
	require.NoError(t, os.WriteFile(request, []byte(endless), 0o600))
	rounds := 60
	if !effort.Full() {
		rounds = 6
	}
	busy(t)
	left := map[bool]int{}
	for round := range rounds {
		report := filepath.Join(dir, "r.html")
		_ = os.Remove(report)
		args := [][]string{{"run", request}, {"run", "--report=" + report, request}, {"exec", request}}[round%3]
		p := begin(t, args...)
		if round >= 3 { // later rounds interrupt at once
			time.Sleep(time.Duration(rand.Int64N(int64(200 * time.Millisecond))))
		}
		require.NoError(t, p.Process.Signal([]os.Signal{os.Interrupt, syscall.SIGTERM}[round%2]))
		assert.Equal(t, cli.ExitInterrupted, p.end(t), p.Args)
		said := p.errors.String()
		assert.Regexp(t, `^gcnsim: interrupted; (nothing was written|the run had not (ended|begun, nothing was `+
			`written)|0 requests were answered)\n$`, said)
		if round%3 == 1 {
			_, err := os.Stat(report)
			assert.Equal(t, strings.Contains(said, "had not ended"), err == nil, "%q, but of the report: %v", said, err)
			left[err == nil]++
		}
	}
	t.Logf("runs with a report: %d, without: %d", left[true], left[false])
}

// TestWorkerIgnoresInterrupts: a sweep's worker that receives the same interrupt as its parent continues until the
// parent ends it. No result therefore says that its case was cancelled.
func TestWorkerIgnoresInterrupts(t *testing.T) {
	p := exec.Command("gcnsim", "sweep", "worker")
	in, err := p.StdinPipe()
	require.NoError(t, err)
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill() }) // it may have ended
	lines := bufio.NewScanner(out)
	for i, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, os.Interrupt} {
		require.True(t, lines.Scan())
		if i > 0 {
			require.Contains(t, lines.Text(), `"status":"ok"`)
		}
		require.NoError(t, p.Process.Signal(s))
		_, err = io.WriteString(in, `{"id":"a","kind":"exec","spec":{"mcpu":"gfx803","words":[]}}`+"\n")
		require.NoError(t, err)
	}
	require.True(t, lines.Scan())
	require.NoError(t, in.Close())
	require.NoError(t, p.Wait())
}

// TestInterruptAtTheEnd interrupts short executions around their end. They are either complete or interrupted.
func TestInterruptAtTheEnd(t *testing.T) {
	effort.Long(t)
	request := filepath.Join(t.TempDir(), "short.json")
	require.NoError(t, os.WriteFile(request, []byte(`{"mcpu":"gfx803","words":[]}`), 0o600))
	for range 12 {
		p := begin(t, "run", request)
		time.Sleep(time.Duration(rand.Int64N(int64(40 * time.Millisecond))))
		_ = p.Process.Signal(os.Interrupt) // it may have ended
		assert.Contains(t, []int{cli.ExitOK, cli.ExitInterrupted}, p.end(t))
	}
}

// TestTerminatedSearch ends a hunt and a reduction with SIGTERM while a compiler executes. Their temporary
// directories and the compiler's files are removed, although a child of the compiler still has its output open.
func TestTerminatedSearch(t *testing.T) {
	effort.Long(t)
	program := filepath.Join(t.TempDir(), "k.cl")
	require.NoError(t, os.WriteFile(program, []byte("kernel"), 0o600))
	const compiler = `touch "${TMPDIR:-/tmp}/cc1.s"; setsid sleep 3 & touch %s; sleep 100; : {in}{}`
	for begun, args := range map[string][]string{
		"1.o":    {"hunt", "--ir", "--cc=" + fmt.Sprintf(compiler, "{out}"), "--out=" + filepath.Join(t.TempDir(), "bugs")},
		"k.cl.o": {"reduce", "--program=" + program, "--test=" + fmt.Sprintf(compiler, "{}.o")},
	} {
		dir := t.TempDir()
		t.Setenv("TMPDIR", dir)
		p := begin(t, args...)
		compiles := func() bool {
			objects, _ := filepath.Glob(filepath.Join(dir, "*", begun))
			return len(objects) > 0
		}
		require.Eventually(t, compiles, longest, 10*time.Millisecond)
		require.NoError(t, p.Process.Signal(syscall.SIGTERM))
		assert.Equal(t, cli.ExitInterrupted, p.end(t))
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Empty(t, left, args[0])
	}
}
