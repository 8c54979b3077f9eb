package request

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// smallReply is the size of memory in a reply up to which the goroutine of the request formats the reply in advance.
const smallReply = 1 << 20

// Lines answers requests, one a line.
type Lines struct {
	Jobs    int // requests that execute at a time, at least 1
	MaxLine int // greatest length of a line in bytes
	Options *spec.Options
	// Seen is called for each reply before it is written, from many goroutines. It may be nil.
	Seen func(*spec.Reply)

	answered atomic.Int64
}

// Answered returns the number of answers written so far.
func (l *Lines) Answered() int64 { return l.answered.Load() }

// Answer answers each non-blank line of in, in order. An answer is written as soon as it and all earlier answers are
// ready, so a client can wait for it before it sends more. The error comes from in, out or ctx. An invalid request is
// reported in its answer.
func (l *Lines) Answer(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// together with the one being written there are Jobs answers
	answers := make(chan chan func(io.Writer) error, l.Jobs-1)
	ended := make(chan error, 1)
	go func() {
		defer close(answers)
		ended <- files.Lines(in, l.MaxLine, "{", func(line []byte, err error) error {
			if line = bytes.TrimSpace(line); err == nil && len(line) == 0 {
				return nil
			}
			answer := make(chan func(io.Writer) error, 1)
			select {
			case answers <- answer:
			case <-ctx.Done():
				return ctx.Err()
			}
			go func() { answer <- l.line(ctx, line, err) }()
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
		l.answered.Add(1)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return <-ended
}

// line executes the request in a line and returns the function that writes the answer. failed is the error of reading
// the line, or nil.
func (l *Lines) line(ctx context.Context, line []byte, failed error) func(io.Writer) error {
	reply := &spec.Reply{}
	if failed != nil {
		reply.Error = spec.Failed(fmt.Errorf("the request: %w", failed))
	} else {
		reply = spec.Answer(ctx, line, l.Options)
	}
	if l.Seen != nil {
		l.Seen(reply)
	}
	if reply.MemoryBytes() > smallReply {
		return func(out io.Writer) error { return spec.WriteJSON(out, reply) }
	}
	var b bytes.Buffer
	if err := spec.WriteJSON(&b, reply); err != nil {
		b.Reset()
		_ = spec.WriteJSON(&b, &spec.Reply{ID: reply.ID, Error: spec.Failed(err)}) // writing to memory cannot fail
	}
	return func(out io.Writer) error {
		_, err := out.Write(b.Bytes())
		return err
	}
}
