package files

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// maxLinks is how many symbolic links a path may go through.
const maxLinks = 40

// Write writes data to the file at path. A regular file is replaced once all is written,
// and keeps its permissions; a new one gets those that the process gives new files. On an
// error nothing is left behind, and an older file is as it was. Symbolic links are
// followed. What is no regular file, a device or a pipe, is written as it is. The error is
// a *[fs.PathError] that names path.
func Write(path string, data []byte) error { return named(path, write(path, data)) }

// Writable returns the error of [Write], as far as it can be told before there is anything to
// write: there is no such directory, it takes no files, or the file is read-only.
func Writable(path string) error { return named(path, try(path)) }

// named is err, unless it is nil, as an error of writing path.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	var inner *fs.PathError
	var link *os.LinkError
	switch { // these errors name the temporary file
	case errors.As(err, &inner):
		err = inner.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &fs.PathError{Op: "write", Path: path, Err: err}
}

// find returns where what is written to path goes, and what is there, nil if there is nothing. The
// error is of what cannot be written.
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
	// A file that its owner has made read-only is not replaced.
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

// try finds out whether a file can take the place of path.
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

// streams reports whether info is of what is written as it is and where it stands: a device or a
// pipe, or standard output, whatever it is.
func streams(info fs.FileInfo) bool {
	return !info.Mode().IsRegular() && !info.IsDir() || isOutput(info, os.Stdout)
}

// isOutput reports whether info is of what f is open on, as it is of /dev/stdout.
func isOutput(info fs.FileInfo, f *os.File) bool {
	other, err := f.Stat()
	return err == nil && os.SameFile(info, other)
}

// follow returns what path is a symbolic link to, also if that does not exist.
func follow(path string) (string, error) {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil { // it is no link, or does not exist
			return path, nil //nolint:nilerr // then the path itself is the name
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", errors.New("too many levels of symbolic links")
}

// replace puts a new file in the place of the one at path; old tells if there is
// one.
func replace(path string, old fs.FileInfo, data []byte) error {
	f, err := create(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	_, err = f.Write(data)
	if err == nil && old != nil {
		err = f.Chmod(old.Mode().Perm())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// create makes a file of a new name in dir. Unlike os.CreateTemp it leaves its permissions
// to the process.
func create(dir string) (*os.File, error) {
	for {
		name := filepath.Join(dir, fmt.Sprintf(".gcnsim-%016x", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}
