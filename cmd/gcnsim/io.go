package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/internal/wholefile"
)

// Limits of what is read, in bytes.
const (
	maxTextBytes  = 256 << 20 // what is assembled or disassembled
	maxInputBytes = 1 << 30   // everything else
	maxLineBytes  = 1 << 30   // one request, of which there may be any number
)

// sizeError says that an input is too large.
type sizeError struct {
	name  string
	limit int64
}

func (e *sizeError) Error() string {
	return fmt.Sprintf("%s: it is larger than the %d bytes that are read", e.name, e.limit)
}

// output is where a command writes. It keeps the first error: whatever the command does
// about it, its status tells.
type output struct {
	w    io.Writer
	name string

	mu     sync.Mutex
	closed bool
	err    error
}

// Write writes b unless an earlier Write failed or the command was given up.
func (o *output) Write(b []byte) (int, error) {
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
		o.err = fmt.Errorf("%s: %w", o.name, cause(err))
	}
	return n, o.err
}

// close ends writing and returns the first error of it.
func (o *output) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	return o.err
}

// cause is err without the name of a file.
func cause(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// interruptible is a reader that stops waiting when ctx ends.
type interruptible struct {
	ctx    context.Context
	r      io.Reader
	chunk  [64 << 10]byte
	unread []byte // of chunk
	err    error
}

// Read reads what is there.
func (r *interruptible) Read(b []byte) (int, error) {
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
		case <-r.ctx.Done(): // the read goes on, but nobody takes what it finds
			r.err = r.ctx.Err()
			return 0, r.err
		}
	}
	n := copy(b, r.unread)
	r.unread = r.unread[n:]
	return n, nil
}

// leftover is what an interrupted command leaves unfinished.
type leftover struct {
	mu   sync.Mutex
	text func() string
}

type contextKey int

// leftoverKey is the key of a command's *leftover in its context.
const leftoverKey contextKey = 0

// leaves sets what cmd leaves unfinished when it is interrupted. text may be called while
// the command runs.
func leaves(cmd *cobra.Command, text func() string) {
	if l, ok := cmd.Context().Value(leftoverKey).(*leftover); ok {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.text = text
	}
}

// String says what is left.
func (l *leftover) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text == nil {
		return "nothing was written"
	}
	return l.text()
}

// interruptedError says what an interrupted command left unfinished.
type interruptedError struct {
	left string
	err  error
}

func (e *interruptedError) Error() string { return "interrupted; " + e.left }
func (e *interruptedError) Unwrap() error { return e.err }

// open returns the input of a command: the file named by its only argument, or stdin
// when there is none or it is "-". The name is what messages call it.
func open(cmd *cobra.Command, args []string) (r io.ReadCloser, name string, err error) {
	if len(args) == 0 || args[0] == "-" {
		return io.NopCloser(cmd.InOrStdin()), "<stdin>", nil
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, "", wrong(err)
	}
	return f, args[0], nil
}

// readAll returns all of the input of a command, not more than limit bytes, with its name.
func readAll(cmd *cobra.Command, args []string, limit int64) (text []byte, name string, err error) {
	in, name, err := open(cmd, args)
	if err != nil {
		return nil, "", err
	}
	defer in.Close()
	text, err = readUpTo(in, name, limit)
	if err != nil {
		return nil, "", wrong(err)
	}
	return text, name, nil
}

// readUpTo reads r to its end, but not more than limit bytes.
func readUpTo(r io.Reader, name string, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(text)) > limit:
		return nil, &sizeError{name, limit}
	}
	return text, nil
}

// directory is where the files are that a specification names, unless it names them by
// absolute paths.
type directory string

// ReadFile reads a regular file: a device or a pipe may have no end.
func (d directory) ReadFile(name string, limit int64) ([]byte, error) {
	path := d.path(name)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: it is no regular file", path)
	case info.Size() > limit:
		return nil, &sizeError{path, limit}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readUpTo(f, path, limit) // files of /proc have no size
}

// WriteFile writes the file whole or not at all.
func (d directory) WriteFile(name string, data []byte) error {
	return wholefile.Write(d.path(name), data)
}

func (d directory) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(string(d), name)
}

// errLongLine says that a line is longer than it may be.
var errLongLine = errors.New("line too long")

// readLine returns the next line of r with its end, if it has one. A line of more than
// limit bytes is skipped, with errLongLine.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	long := false
	for {
		piece, err := r.ReadSlice('\n')
		if long = long || len(line)+len(piece) > limit; long {
			line = nil
		} else {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && (err == nil || err == io.EOF):
			return nil, errLongLine // what follows an end is an end
		default:
			return line, err
		}
	}
}
