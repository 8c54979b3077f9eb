package sweep

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// Store holds results by name; names have parts between slashes. Many processes may share
// one.
type Store interface {
	// Read returns an object; the error of one that is not there is [fs.ErrNotExist].
	Read(name string) ([]byte, error)
	// Write writes an object whole or not at all.
	Write(name string, data []byte) error
	// List returns the names of the objects under a folder, sorted.
	List(folder string) ([]string, error)
	// Remove removes an object, which may be absent.
	Remove(name string) error
	// Journal opens an object to add lines to; what has been added before stays.
	Journal(name string) (Journal, error)
}

// Journal takes lines. After Add returns, the line outlives the process, or as soon as the
// store can: a [Store] says which.
type Journal interface {
	Add(line []byte) error
	Close() error
}

// Dir is a Store in a directory of any file system; lines of its journals are written at
// once.
type Dir string

func (d Dir) path(name string) string { return filepath.Join(string(d), filepath.FromSlash(name)) }

// Read reads a file.
func (d Dir) Read(name string) ([]byte, error) { return os.ReadFile(d.path(name)) }

// Write writes a file, see [files.Write].
func (d Dir) Write(name string, data []byte) error {
	path := d.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return files.Write(path, data)
}

// List lists a directory, which may be absent.
func (d Dir) List(folder string) (names []string, err error) {
	entries, err := os.ReadDir(d.path(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, folder+"/"+e.Name())
		}
	}
	return names, err
}

// Remove removes a file.
func (d Dir) Remove(name string) error {
	if err := os.Remove(d.path(name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Journal opens a file. A line that a killed process left half written is ended.
func (d Dir) Journal(name string) (Journal, error) {
	path := d.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	j := journal{f}
	if end, err := f.Seek(0, 2); err == nil && end > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], end-1); err == nil && last[0] != '\n' {
			if err := j.Add([]byte("\n")); err != nil {
				return nil, err
			}
		}
	}
	return j, nil
}

type journal struct{ *os.File }

func (j journal) Add(line []byte) error {
	_, err := j.Write(line)
	return err
}
