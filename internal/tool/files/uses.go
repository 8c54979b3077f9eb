package files

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Uses are the files that a command reads and writes. A file that is read must not be written, and no file may be
// written twice, because data would be lost. A nil *Uses records nothing.
type Uses struct{ all []use }

// use is a file with the argument that names it.
type use struct {
	name   string      // as the user wrote it
	path   string      // absolute, with symbolic links resolved
	info   fs.FileInfo // nil if the file does not exist
	by     string
	writes bool
	tree   bool // a directory including all files in it
}

// TheInput is the name of the command's input file in messages, which otherwise name a flag or a key.
const TheInput = "the input"

// UseError says that a file that would be written is also used otherwise.
type UseError struct {
	Path      string // as the user wrote it
	By, Other string // the two arguments that name it: a flag, a key of a specification, or [TheInput]
}

// Error names both arguments.
func (e *UseError) Error() string {
	if e.Other == TheInput {
		return fmt.Sprintf("%s: %s is also %s", e.By, e.Path, e.Other)
	}
	return fmt.Sprintf("%s: %s is also named by %s", e.By, e.Path, e.Other)
}

// OfFlags reports whether at least one of the two is a flag.
func (e *UseError) OfFlags() bool {
	return strings.HasPrefix(e.By, "--") || strings.HasPrefix(e.Other, "--")
}

// Reads adds a file that is read. by is the argument that names it. The error is a *[UseError].
func (u *Uses) Reads(path, by string) error { return u.add(identify(path, by)) }

// ReadsIn adds all files in a directory. The error is a *[UseError].
func (u *Uses) ReadsIn(dir, by string) error {
	x := identify(dir, by)
	x.tree = true
	return u.add(x)
}

// ReadsFrom adds the file that r, or the reader inside of an [Input], has open, if it is a file. The error is a
// *[UseError].
func (u *Uses) ReadsFrom(r io.Reader, by string) error {
	if in, ok := r.(*Input); ok {
		r = in.r
	}
	f, ok := r.(*os.File)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil //nolint:nilerr // the reader will report the error
	}
	return u.add(use{name: f.Name(), info: info, by: by})
}

// Writes adds a file that [Write] writes. by is the argument that names it. A file that is not regular, such as a
// device, may be written by several arguments. The error is a *[UseError], or an error of [Writable].
func (u *Uses) Writes(path, by string) error {
	x := identify(path, by)
	x.writes = true
	if x.info == nil || !streams(x.info) {
		if err := u.add(x); err != nil {
			return err
		}
	}
	return Writable(path)
}

func (u *Uses) add(x use) error {
	if u == nil {
		return nil
	}
	for _, other := range u.all {
		switch {
		case !x.writes && !other.writes, !x.same(&other):
		case x.writes:
			return &UseError{x.name, x.by, other.by}
		default:
			return &UseError{other.name, other.by, x.by}
		}
	}
	u.all = append(u.all, x)
	return nil
}

// identify resolves a path.
func identify(path, by string) use {
	x := use{name: path, by: by}
	x.info, _ = os.Stat(path)
	if to, err := follow(path); err == nil {
		path = to
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	dir, name := filepath.Split(path)
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	x.path = filepath.Join(dir, name)
	return x
}

// same reports whether x and y are the same file, or one contains the other.
func (x *use) same(y *use) bool {
	switch {
	case x.tree && within(x.path, y.path), y.tree && within(y.path, x.path):
		return true
	case x.info != nil && y.info != nil:
		return os.SameFile(x.info, y.info)
	}
	return x.path == y.path
}

// within reports whether a path is inside of a directory.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
