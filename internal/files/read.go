package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// SizeError says that an input is too large.
type SizeError struct {
	Name  string
	Limit int64 // how many bytes are read
}

// Error names the input and the limit.
func (e *SizeError) Error() string {
	return fmt.Sprintf("%s: it is larger than the %d bytes that are read", e.Name, e.Limit)
}

// ReadAll reads r to its end, but not more than limit bytes: then the error is a
// *[SizeError] with name.
func ReadAll(r io.Reader, name string, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(text)) > limit:
		return nil, &SizeError{name, limit}
	}
	return text, nil
}

// Dir is where the files are that a specification names, unless it names them by absolute
// paths.
type Dir string

// ReadFile reads a regular file of at most limit bytes: a device or a pipe may have no end.
func (d Dir) ReadFile(name string, limit int64) ([]byte, error) {
	path := d.path(name)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: it is no regular file", path)
	case info.Size() > limit:
		return nil, &SizeError{path, limit}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(f, path, limit) // files of /proc have no size
}

// WriteFile writes the file whole or not at all, see [Write].
func (d Dir) WriteFile(name string, data []byte) error { return Write(d.path(name), data) }

func (d Dir) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(string(d), name)
}

// Lines calls f for each line of in, with its end, or with an error for one of more than
// limit bytes. It returns the first error of f or of in.
func Lines(in io.Reader, limit int, f func(line []byte, err error) error) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(r, limit)
		last := errors.Is(err, io.EOF)
		switch {
		case last && len(line) == 0:
			return nil
		case errors.Is(err, errLongLine):
			err = f(nil, fmt.Errorf("the line is longer than the %d bytes that are read", limit))
		case err == nil || last:
			err = f(line, nil)
		}
		if err != nil || last {
			return err
		}
	}
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
