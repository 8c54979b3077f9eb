package specjson

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"sync/atomic"

	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// Interrupted says what a run that was cancelled left unfinished.
type Interrupted struct {
	Left string
	Err  error // of the context
}

// Error says what is left.
func (e *Interrupted) Error() string { return "interrupted; " + e.Left }

// Unwrap returns the error of the context.
func (e *Interrupted) Unwrap() error { return e.Err }

// IsSpec reports whether an object with these keys is meant as a specification of a dispatch, not
// as a request of exec: it names a code object, or has keys that no request has and none that
// only a request has.
func IsSpec[V any](keys map[string]V) bool {
	if _, ok := keys["code_object"]; ok {
		return true
	}
	ofSpec, ofRequest := keySet(reflect.TypeFor[DispatchRequest]()), keySet(reflect.TypeFor[ExecRequest]())
	spec, request := false, false
	for key := range keys {
		spec = spec || ofSpec[key] && !ofRequest[key]
		request = request || ofRequest[key] && !ofSpec[key]
	}
	return spec && !request
}

// keySet returns the keys of a type.
func keySet(t reflect.Type) map[string]bool {
	set := map[string]bool{}
	for _, f := range fieldsOf(t) {
		set[f.key] = true
	}
	return set
}

// RunSpec runs the specification text of the file name, whose files are relative to it, or
// to the working directory if it comes from standard input; o.Files is not looked at. leaves,
// if not nil, is given what says how far the run is, at any time. The error is a
// *[RequestError], an *[Interrupted] or the error of [DispatchRequest.Run].
func RunSpec(ctx context.Context, text []byte, name string, o *Options, leaves func(func() string)) (*DispatchReply,
	error) {
	req, err := ParseDispatch(text)
	if err != nil {
		return nil, err
	}
	if o.Object != "" {
		if req.CodeObject, err = filepath.Abs(o.Object); err != nil {
			return nil, err
		}
	}
	mine := *o
	dir := files.Dir(filepath.Dir(name))
	mine.Files = dir
	if o.Uses == nil {
		mine.Uses = &files.Uses{}
	}
	if err := errors.Join(mine.Uses.Reads(name, files.TheInput), req.Claim(mine.Uses, dir)); err != nil {
		return nil, err
	}
	return RunRequest(ctx, req, &mine, leaves)
}

// RunRequest runs a specification that has been read, as [RunSpec] does, with the files of o.
func RunRequest(ctx context.Context, req *DispatchRequest, o *Options, leaves func(func() string)) (*DispatchReply,
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
		if n := req.OutputFiles(); n > 0 {
			text = fmt.Sprintf("%s, %d of %d output files were written", text, outputs.written.Load(), n)
		}
		return text
	}
	if leaves != nil {
		leaves(unfinished)
	}
	reply, err := req.Run(ctx, &mine)
	if errors.Is(err, context.Canceled) {
		err = &Interrupted{unfinished(), err}
	}
	return reply, err
}

// counted counts the files that are written.
type counted struct {
	Files
	written atomic.Int64
}

func (c *counted) WriteFile(name string, data []byte) error {
	err := c.Files.WriteFile(name, data)
	if err == nil {
		c.written.Add(1)
	}
	return err
}

// Located puts the name of a file before an error, which may begin with a line and a column, as a
// *[RequestError] and an *[asm.Error] do.
func Located(name string, err error) error {
	var request *RequestError
	var text *asm.Error
	if errors.As(err, &request) || errors.As(err, &text) {
		return fmt.Errorf("%s:%w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}
