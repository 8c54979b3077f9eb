package files

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Uses are the files that a command reads and writes. One that it reads must not be written, and
// none twice: what was there, or one of both, would be lost. Uses that are nil take note of
// nothing.
type Uses struct{ all []use }

// use is a file that something names.
type use struct {
	name   string      // as it was given
	path   string      // absolute, where symbolic links lead
	info   fs.FileInfo // nil if nothing is there
	by     string
	writes bool
	tree   bool // a directory with everything in it
}

// TheInput stands for the command's input file in messages that name a flag or a key otherwise.
const TheInput = "the input"

// UseError says that a file which is to be written is used otherwise, too.
type UseError struct {
	Path      string // as it was given
	By, Other string // what names it: a flag, a key of a specification, or [TheInput]
}

// Error names both uses.
func (e *UseError) Error() string {
	if e.Other == TheInput {
		return fmt.Sprintf("%s: %s is also %s", e.By, e.Path, e.Other)
	}
	return fmt.Sprintf("%s: %s is also named by %s", e.By, e.Path, e.Other)
}

// OfFlags reports whether a flag of the command line is one of both.
func (e *UseError) OfFlags() bool {
	return strings.HasPrefix(e.By, "--") || strings.HasPrefix(e.Other, "--")
}

// Reads adds a file that is read because by names it. The error is a *[UseError].
func (u *Uses) Reads(path, by string) error { return u.add(identify(path, by)) }

// ReadsIn adds all that is in a directory. The error is a *[UseError].
func (u *Uses) ReadsIn(dir, by string) error {
	x := identify(dir, by)
	x.tree = true
	return u.add(x)
}

// ReadsFrom adds the file that r, or what an [Input] r reads from, is open on, if it is one. The
// error is a *[UseError].
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
		return nil //nolint:nilerr // who reads it is told
	}
	return u.add(use{name: f.Name(), info: info, by: by})
}

// Writes adds a file that [Write] writes because by names it. What is no regular file, a device
// for example, may be written by several. The error is a *[UseError], or the error of [Writable].
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

// identify returns what a path names.
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

// same reports whether x and y are one file, or one is in the other.
func (x *use) same(y *use) bool {
	switch {
	case x.tree && within(x.path, y.path), y.tree && within(y.path, x.path):
		return true
	case x.info != nil && y.info != nil:
		return os.SameFile(x.info, y.info)
	}
	return x.path == y.path
}

// within reports whether a path is in a directory.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
