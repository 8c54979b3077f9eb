package request

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// Interrupted is the error of a cancelled execution. It says what was not finished.
type Interrupted struct {
	Left string
	Err  error // error of the context
}

// Error says what is left.
func (e *Interrupted) Error() string { return "interrupted; " + e.Left }

// Unwrap returns the error of the context.
func (e *Interrupted) Unwrap() error { return e.Err }

// Options say how a specification executes, and which files it may use.
type Options struct {
	spec.Options
	// Uses are the files that the caller reads and writes. It is an error if a specification writes a file that the
	// caller or the specification also uses. It may be nil.
	Uses *files.Uses
	// Object, unless it is "", is the code object that replaces the one of the specification. It is relative to the
	// working directory.
	Object string
	// Change changes the specification before it executes. It may be nil.
	Change func(context.Context, *spec.Dispatch, *spec.Options) error
}

// RunSpec executes the specification text of file name. Its files are relative to that file, or to the working
// directory for standard input; o.Files is ignored. leaves, unless nil, receives a function that describes the
// progress at any time. The error is a *[spec.RequestError], an *[Interrupted] or an error of [spec.Dispatch.Answer].
func RunSpec(ctx context.Context, text []byte, name string, o *Options, leaves func(func() string)) (*spec.Reply,
	error) {
	req, err := spec.ParseDispatch(text)
	if err != nil {
		return nil, err
	}
	if o.Object != "" {
		if req.Name, err = filepath.Abs(o.Object); err != nil {
			return nil, err
		}
	}
	mine := *o
	dir := files.Dir(filepath.Dir(name))
	mine.Files = dir
	if o.Uses == nil {
		mine.Uses = &files.Uses{}
	}
	if err := errors.Join(mine.Uses.Reads(name, files.TheInput), Claim(req, mine.Uses, dir)); err != nil {
		return nil, err
	}
	return RunRequest(ctx, req, &mine, leaves)
}

// RunRequest executes a specification that has been read, like [RunSpec], with o.Files.
func RunRequest(ctx context.Context, req *spec.Dispatch, o *Options, leaves func(func() string)) (*spec.Reply,
	error) {
	outputs := &counted{Files: o.Files}
	var done, total atomic.Int64
	mine := *o
	mine.Files = outputs
	mine.Progress = func(d, t int) {
		done.Store(int64(d))
		total.Store(int64(t))
		if o.Progress != nil {
			o.Progress(d, t)
		}
	}
	unfinished := func() string {
		text := "no work-group had ended"
		if n := total.Load(); n > 0 {
			text = fmt.Sprintf("at least %d of %d work-groups had ended", done.Load(), n)
		}
		if n := outputFiles(req); n > 0 {
			text = fmt.Sprintf("%s, %d of %d output files were written", text, outputs.written.Load(), n)
		}
		return text
	}
	if leaves != nil {
		leaves(unfinished)
	}
	if o.Change != nil {
		if err := o.Change(ctx, req, &mine.Options); err != nil {
			return nil, err
		}
	}
	reply, err := req.Answer(ctx, &mine.Options)
	if errors.Is(err, context.Canceled) {
		err = &Interrupted{unfinished(), err}
	}
	return reply, err
}

// outputFiles returns the number of files that a dispatch writes.
func outputFiles(d *spec.Dispatch) (n int) {
	for _, dump := range d.Dump {
		if dump.File != "" {
			n++
		}
	}
	return n
}

// counted counts the files that were written.
type counted struct {
	spec.Files
	written atomic.Int64
}

func (c *counted) WriteFile(name string, data []byte) error {
	err := c.Files.WriteFile(name, data)
	if err == nil {
		c.written.Add(1)
	}
	return err
}

// Located prefixes an error with a file name. The error may start with line and column, like a *[spec.RequestError]
// or *[asm.Error].
func Located(name string, err error) error {
	var request *spec.RequestError
	var text *asm.Error
	if errors.As(err, &request) || errors.As(err, &text) {
		return fmt.Errorf("%s:%w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}
