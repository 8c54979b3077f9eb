package spec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/sim"
)

// Files gives access to the files that a specification names.
type Files interface {
	// ReadFile returns the contents of the file. It returns an error if there are more than limit bytes.
	ReadFile(name string, limit int64) ([]byte, error)
	// WriteFile writes the file completely or not at all.
	WriteFile(name string, data []byte) error
}

// noFiles implements [Files] for callers without files.
type noFiles struct{}

func (noFiles) ReadFile(name string, _ int64) ([]byte, error) {
	return nil, fmt.Errorf("there are no files here, %q cannot be read", name)
}

func (noFiles) WriteFile(name string, _ []byte) error {
	return fmt.Errorf("there are no files here, %q cannot be written", name)
}

// files returns the files of a run.
func (o *Options) files() Files {
	if o.Files == nil {
		return noFiles{}
	}
	return o.Files
}

// Largest sizes in bytes: of a code object, of all other files of a specification together, and of the text of a trap
// handler.
const maxObjectBytes, maxFileBytes, maxHandlerBytes = 1 << 30, 4 << 30, 16 << 20

// reader reads the files that a specification names.
type reader struct {
	Files
	left int64 // the unused rest of maxFileBytes
}

// contents returns data or, if that is nil, the contents of a file. kind names the object in errors.
func (r *reader) contents(kind string, data []byte, file string) ([]byte, error) {
	switch {
	case file == "":
		return data, nil
	case data != nil:
		return nil, fmt.Errorf("%s has both hex and file; give one", kind)
	}
	data, err := r.ReadFile(file, r.left)
	r.left -= int64(len(data))
	if err == nil && data == nil {
		data = []byte{}
	}
	return data, err
}

// buffer returns a copy of b with the contents of its file.
func (r *reader) buffer(b *Buffer) (_ *Buffer, err error) {
	if b == nil || b.File == "" {
		return b, nil
	}
	with := *b
	with.Data, err = r.contents("buffer", b.Data, b.File)
	return &with, err
}

// arg returns a copy of a with the contents of its file.
func (r *reader) arg(a Arg) (_ Arg, err error) {
	if a.Buffer, err = r.buffer(a.Buffer); err != nil || a.Image == nil || a.Image.File == "" {
		return a, err
	}
	with := *a.Image
	if with.Data, err = r.contents("image", with.Data, with.File); err != nil {
		return a, fmt.Errorf("image: %w", err)
	}
	a.Image = &with
	return a, nil
}

// Read returns a with the contents of its file.
func (a Arg) Read(files Files) (Arg, error) { return (&reader{files, maxFileBytes}).arg(a) }

// Read returns d with the contents of its files, for comparisons, which execute it several times. objects may be nil.
func (d *Dispatch) Read(files Files, objects *sim.ObjectCache) (*Dispatch, error) {
	return d.settle(&Options{Files: files, Objects: objects})
}

// read sets the contents of the files of d's arguments and expectations. d must be a copy.
func (d *Dispatch) read(files Files) (err error) {
	from := &reader{files, maxFileBytes}
	d.Args, d.Expect = slices.Clone(d.Args), slices.Clone(d.Expect)
	for i := range d.Args {
		if d.Args[i], err = from.arg(d.Args[i]); err != nil {
			return fmt.Errorf("args[%d]: %w", i, err)
		}
	}
	for i := range d.Expect {
		x := &d.Expect[i]
		if (x.Want != nil) == (x.File != "") {
			err = errors.New("give either hex or file, the bytes that it must hold")
		} else {
			x.Want, err = from.contents("expect", x.Want, x.File)
		}
		if err != nil {
			return fmt.Errorf("expect[%d]: %w", i, err)
		}
	}
	return nil
}

// read returns h, which may be nil, with the text of its file.
func (h *TrapHandler) read(files Files) (*TrapHandler, error) {
	switch {
	case h == nil || h.File == "":
		return h, nil
	case h.Asm != "":
		return nil, errors.New("trap_handler: it has both asm and file; give one")
	}
	text, err := files.ReadFile(h.File, maxHandlerBytes)
	if err != nil {
		return nil, fmt.Errorf("trap_handler: %w", err)
	}
	with := *h
	with.Asm = string(text)
	return &with, nil
}
