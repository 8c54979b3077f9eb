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
func Write(path string, data []byte) error {
	if err := write(path, data); err != nil {
		var inner *fs.PathError
		var link *os.LinkError
		switch { // they name the temporary file
		case errors.As(err, &inner):
			err = inner.Err
		case errors.As(err, &link):
			err = link.Err
		}
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

func write(path string, data []byte) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if path, err = follow(path); err != nil {
			return err
		}
		return replace(path, nil, data)
	case err != nil:
		return err
	case isOutput(info, os.Stdout):
		_, err := os.Stdout.Write(data)
		return err
	case info.Mode().IsRegular():
		// A file that its owner has made read-only is not replaced.
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		f.Close()
		if path, err = follow(path); err != nil {
			return err
		}
		return replace(path, info, data)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// isOutput reports whether info is of what f is open on, as it is of /dev/stdout: that is
// written where it stands, whatever it is.
func isOutput(info fs.FileInfo, f *os.File) bool {
	other, err := f.Stat()
	return err == nil && os.SameFile(info, other)
}

// follow returns what path is a symbolic link to, also if that does not exist.
func follow(path string) (string, error) {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil { // it is no link, or does not exist
			return path, nil //nolint:nilerr // then the path is what it names
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", errors.New("too many levels of symbolic links")
}

// replace puts a new file in the place of the one at path, of which old tells if there is
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
