package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/internal/job"
)

func execCommand() *cobra.Command {
	jobs := jobCount(1)
	var fail failOn
	cmd := &cobra.Command{
		Use:   "exec [FILE]",
		Short: "Run programs on one wave: JSON lines of state in, JSON lines of state out",
		Example: `  echo '{"mcpu":"fiji","asm":"v_mov_b32 v0, s0","sgpr":{"0":[7]},"dump":{"vgpr":[[0,1]]}}' | gcnsim exec
  gcnsim exec --jobs=4 requests.jsonl > replies.jsonl`,
		Args: arguments(0, 1, "at most one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, _, err := open(cmd, args)
			if err != nil {
				return err
			}
			defer in.Close()
			e := &execution{jobs: int(jobs), maxLine: maxLineBytes, fail: fail}
			leaves(cmd, func() string { return fmt.Sprintf("%d requests were answered", e.answered.Load()) })
			if err := e.lines(cmd.Context(), in, cmd.OutOrStdout()); err != nil {
				return wrong(err)
			}
			if e.failed.Load() {
				return errFailed
			}
			return nil
		},
	}
	cmd.Flags().Var(&jobs, "jobs", "how many lines run at a time")
	failOnFlag(cmd, &fail)
	return cmd
}

// smallReply is how many bytes of memory a reply may show to be written beforehand, by
// the goroutine that ran its request.
const smallReply = 1 << 20

// execution answers requests, one a line.
type execution struct {
	jobs     int // requests that run at a time
	maxLine  int // bytes of the longest one
	options  *job.Options
	fail     failOn
	answered atomic.Int64
	failed   atomic.Bool // a reply has a finding that --fail-on names
}

// lines answers each line of in that is not blank, in order. An answer is written as soon
// as it and those before it are there, so that a pipe can converse.
func (e *execution) lines(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan chan func(io.Writer) error, e.jobs-1) // with the one being written: jobs of them
	ended := make(chan error, 1)
	go func() {
		defer close(answers)
		ended <- eachLine(in, e.maxLine, func(line []byte, err error) error {
			if line = bytes.TrimSpace(line); err == nil && len(line) == 0 {
				return nil
			}
			answer := make(chan func(io.Writer) error, 1)
			select {
			case answers <- answer:
			case <-ctx.Done():
				return ctx.Err()
			}
			go func() { answer <- e.line(ctx, line, err) }()
			return nil
		})
	}()
	for answer := range answers {
		write := <-answer
		if ctx.Err() != nil {
			break
		}
		if err := write(out); err != nil {
			return err
		}
		e.answered.Add(1)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return <-ended
}

// line answers one line, which may have failed to be read, and returns what writes the
// answer.
func (e *execution) line(ctx context.Context, line []byte, failed error) func(io.Writer) error {
	reply := &job.ExecReply{}
	if failed != nil {
		reply.Error = job.Failed(fmt.Errorf("the request: %w", failed))
	} else {
		reply = job.Exec(ctx, line, e.options)
	}
	if e.fail.judge(reply.Findings) != nil {
		e.failed.Store(true)
	}
	if reply.MemoryBytes() > smallReply {
		return func(out io.Writer) error { return job.Write(out, reply) }
	}
	var b bytes.Buffer
	if err := job.Write(&b, reply); err != nil {
		b.Reset()
		_ = job.Write(&b, &job.ExecReply{ID: reply.ID, Error: job.Failed(err)}) // to memory
	}
	return func(out io.Writer) error {
		_, err := out.Write(b.Bytes())
		return err
	}
}

// eachLine calls f for each line of in, or with an error for one of more than limit bytes.
func eachLine(in io.Reader, limit int, f func(line []byte, err error) error) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(r, limit)
		last := errors.Is(err, io.EOF)
		switch {
		case last && len(line) == 0:
			return nil
		case errors.Is(err, errLongLine):
			err = f(nil, fmt.Errorf("the line is longer than the %d bytes that are read", limit))
		case err == nil || last:
			err = f(line, nil)
		}
		if err != nil || last {
			return err
		}
	}
}
