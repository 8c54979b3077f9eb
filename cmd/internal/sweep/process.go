package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// process is a worker process, which is started when it is needed.
type process struct {
	start func() *exec.Cmd

	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan []byte // closed when the process ends
	errors  *tail
}

// tail keeps the first bytes that a process writes to standard error, for example the message of a panic.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const maxTail = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b[:min(len(b), maxTail-len(t.text))]...)
	return len(b), nil
}

// line returns the first line.
func (t *tail) line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	first, _, _ := bytes.Cut(t.text, []byte("\n"))
	return string(first)
}

// begin starts the process.
func (p *process) begin() (err error) {
	p.cmd = p.start()
	p.errors = &tail{}
	p.cmd.Stderr = p.errors
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("a worker cannot be started: %w", err)
	}
	answers := make(chan []byte)
	p.answers = answers
	go func() {
		defer close(answers)
		_ = files.Lines(out, maxMessage, "", func(line []byte, err error) error { // ends when the process does
			if err == nil {
				answers <- line
			}
			return err
		})
	}()
	if line, ok := <-p.answers; !ok || string(line) != ready {
		status := p.end(true)
		return fmt.Errorf("a worker ended with status %d before it was ready: %s", status, p.errors.line())
	}
	return nil
}

// end ends the process, at once if kill is set, and returns its exit status, or -1 if a signal ended it.
func (p *process) end(kill bool) int {
	if p.cmd == nil {
		return 0
	}
	if kill {
		_ = p.cmd.Process.Kill() // it may have ended already
	}
	_ = p.in.Close()
	for range p.answers { // until the end of its output
	}
	_ = p.cmd.Wait() // the status is read below
	status := p.cmd.ProcessState.ExitCode()
	p.cmd = nil
	return status
}

// do executes a case in the worker. A case that ends the process or takes too long has a result. The error comes from
// ctx, or says that no worker can be started.
func (p *process) do(ctx context.Context, c *Case) (*Result, error) {
	a := &Result{Case: c.ID}
	if c.broken != "" {
		a.fail(c, broken, bucketOf("no case", "", c.broken), c.broken)
		return a, nil
	}
	if p.cmd == nil {
		if err := p.begin(); err != nil {
			return nil, err
		}
	}
	if _, err := p.in.Write(lineOf(c)); err != nil { // the process has ended, which is handled below
		_ = p.in.Close()
	}
	var late <-chan time.Time
	if s := c.Limits.Seconds; s > 0 {
		timer := time.NewTimer(time.Duration(s * float64(time.Second)))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-ctx.Done():
		p.end(true)
		return nil, ctx.Err()
	case <-late:
		p.end(true)
		message := fmt.Sprintf("it took more than %v seconds", c.Limits.Seconds)
		a.fail(c, hung, "time", message)
		return a, nil
	case line, ok := <-p.answers:
		if ok {
			var got Result
			if err := json.Unmarshal(line, &got); err != nil || got.Case != c.ID {
				p.end(true)
				return nil, errors.Join(fmt.Errorf("a worker answered %.100q to %s", line, c.ID), err)
			}
			return &got, nil
		}
	}
	if err := ctx.Err(); err != nil { // a terminal's interrupt reaches the worker, too
		p.end(true)
		return nil, err
	}
	text := p.errors
	switch status := p.end(false); status {
	case statusTooLarge:
		a.fail(c, tooLarge, "memory", fmt.Sprintf("it took more than %d MiB", c.Limits.Megabytes))
	default:
		why := fmt.Sprintf("the process ended with status %d", status)
		if status < 0 {
			why = "a signal ended the process"
		}
		if said := text.line(); said != "" {
			why += ": " + said
		}
		a.fail(c, crashed, bucketOf("crashed", "", why), why)
	}
	return a, nil
}
