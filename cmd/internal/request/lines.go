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

// smallReply is how many bytes of memory a reply may show to be written beforehand, by
// the goroutine that ran its request.
const smallReply = 1 << 20

// Lines answers requests, one a line.
type Lines struct {
	Jobs    int // requests that run at a time, at least 1
	MaxLine int // bytes of the longest one
	Options *spec.Options
	// Seen, if not nil, sees each reply before it is written; it is called by many goroutines.
	Seen func(*spec.Reply)

	answered atomic.Int64
}

// Answered returns how many answers have been written.
func (l *Lines) Answered() int64 { return l.answered.Load() }

// Answer answers each line of in that is not blank, in order. An answer is written as soon
// as it and those before it are there, so that a pipe can converse. The error comes from in,
// out or ctx; what is wrong with a request is in its answer.
func (l *Lines) Answer(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan chan func(io.Writer) error, l.Jobs-1) // with the one being written: jobs of them
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

// line answers one line, which may have failed to be read, and returns what writes the
// answer.
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
		_ = spec.WriteJSON(&b, &spec.Reply{ID: reply.ID, Error: spec.Failed(err)}) // to memory
	}
	return func(out io.Writer) error {
		_, err := out.Write(b.Bytes())
		return err
	}
}
