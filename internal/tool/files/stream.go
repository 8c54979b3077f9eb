package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
)

// Output is the output of a command. It keeps the first error, so that the command's exit status can report it. It is
// safe for concurrent use.
type Output struct {
	w    io.Writer
	name string

	mu     sync.Mutex
	closed bool
	err    error
}

// NewOutput returns an Output that writes to w. name is used in errors.
func NewOutput(w io.Writer, name string) *Output { return &Output{w: w, name: name} }

// Write writes b unless an earlier Write failed or the Output was closed.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return 0, fs.ErrClosed
	}
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(b)
	if err != nil {
		if path, ok := errors.AsType[*fs.PathError](err); ok { // remove the file name that the error already contains
			err = path.Err
		}
		o.err = fmt.Errorf("%s: %w", o.name, err)
	}
	return n, o.err
}

// Close ends writing and returns the first error. It does not close the underlying writer.
func (o *Output) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	return o.err
}

// IsTerminal reports whether w, or the writer inside of an [Output], is a terminal.
func IsTerminal(w io.Writer) bool { return terminal(w) != nil }

// terminal returns the file if w, or the writer inside of an [Output], is a terminal, and nil otherwise.
func terminal(w io.Writer) *os.File {
	if o, ok := w.(*Output); ok {
		w = o.w
	}
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return f
}

// Input is a reader whose Read returns when a context ends.
type Input struct {
	ctx    context.Context
	r      io.Reader
	chunk  [64 << 10]byte
	unread []byte // unread part of chunk
	err    error
}

// NewInput returns an Input that reads from r until ctx ends.
func NewInput(ctx context.Context, r io.Reader) *Input { return &Input{ctx: ctx, r: r} }

// Read reads what is there.
func (r *Input) Read(b []byte) (int, error) {
	if len(r.unread) == 0 {
		if r.err == nil {
			r.err = r.ctx.Err()
		}
		if r.err != nil {
			return 0, r.err
		}
		type result struct {
			n   int
			err error
		}
		done := make(chan result, 1)
		go func() {
			n, err := r.r.Read(r.chunk[:])
			done <- result{n, err}
		}()
		select {
		case got := <-done:
			r.unread, r.err = r.chunk[:got.n], got.err
		case <-r.ctx.Done(): // the read continues in the background; its result is dropped
			r.err = r.ctx.Err()
			return 0, r.err
		}
	}
	n := copy(b, r.unread)
	r.unread = r.unread[n:]
	return n, nil
}
