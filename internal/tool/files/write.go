package files

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// maxLinks is the greatest number of symbolic links in a path.
const maxLinks = 40

// Write writes data to the file at path. A regular file is replaced after everything was written, and keeps its
// permissions. A new file gets the default permissions. After an error no partial file is left, and an existing file
// is unchanged. Symbolic links are followed. A file that is not regular, such as a device or a pipe, is written in
// place. The error is a *[fs.PathError] that names path.
func Write(path string, data []byte) error { return named(path, write(path, data)) }

// Writable returns the error that [Write] would return, as far as it is known before writing: the directory does not
// exist or is not writable, or the file is read-only.
func Writable(path string) error { return named(path, try(path)) }

// named adds path to an error of writing. err may be nil.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	var inner *fs.PathError
	var link *os.LinkError
	switch { // these errors would name the temporary file
	case errors.As(err, &inner):
		err = inner.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &fs.PathError{Op: "write", Path: path, Err: err}
}

// find returns the file to which path leads and its info, nil if it does not exist. The error says that it cannot be
// written.
func find(path string) (to string, old fs.FileInfo, err error) {
	old, err = os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		to, err = follow(path)
		return to, nil, err
	case err != nil:
		return "", nil, err
	case streams(old):
		return path, old, nil
	}
	// A file that its owner has made read-only must not be replaced.
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return "", nil, err
	}
	f.Close()
	to, err = follow(path)
	return to, old, err
}

func write(path string, data []byte) error {
	to, old, err := find(path)
	switch {
	case err != nil:
		return err
	case old == nil || !streams(old):
		return replace(to, old, data)
	case isOutput(old, os.Stdout):
		_, err := os.Stdout.Write(data)
		return err
	}
	f, err := os.OpenFile(to, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// try checks whether a file at path could be created or replaced.
func try(path string) error {
	to, old, err := find(path)
	if err != nil || old != nil && streams(old) {
		return err
	}
	f, err := create(filepath.Dir(to))
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// streams reports whether a file is written in place: a device, a pipe, or standard output of any kind.
func streams(info fs.FileInfo) bool {
	return !info.Mode().IsRegular() && !info.IsDir() || isOutput(info, os.Stdout)
}

// isOutput reports whether info describes the file that f has open, such as /dev/stdout.
func isOutput(info fs.FileInfo, f *os.File) bool {
	other, err := f.Stat()
	return err == nil && os.SameFile(info, other)
}

// follow returns the target of a symbolic link, even if the target does not exist.
func follow(path string) (string, error) {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil { // path is not a link, or does not exist
			return path, nil //nolint:nilerr // use the path itself
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", errors.New("too many levels of symbolic links")
}

// replace writes a new file and renames it to path. old is the existing file's info, or nil.
func replace(path string, old fs.FileInfo, data []byte) error {
	f, err := create(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename
	_, err = f.Write(data)
	if err == nil && old != nil {
		err = f.Chmod(old.Mode().Perm())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// create creates a file with a new name in dir. Unlike os.CreateTemp it uses the default permissions.
func create(dir string) (*os.File, error) {
	for {
		name := filepath.Join(dir, fmt.Sprintf(".gcnsim-%016x", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}
