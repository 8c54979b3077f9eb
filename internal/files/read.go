package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
// *[SizeError] with name. It copies in pieces: a copy of hundreds of megabytes cannot be
// interrupted.
func ReadAll(r io.Reader, name string, limit int64) ([]byte, error) {
	var pieces [][]byte
	var size int64
	for next := firstPiece; ; next = min(2*next, largestPiece) {
		piece := make([]byte, next)
		n, err := io.ReadFull(r, piece)
		pieces, size = append(pieces, piece[:n]), size+int64(n)
		switch {
		case size > limit:
			return nil, &SizeError{name, limit}
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return join(pieces, size), nil
		case err != nil:
			return nil, err
		}
	}
}

// String returns data as a string. It copies in pieces, as ReadAll does.
func String(data []byte) string {
	var b strings.Builder
	b.Grow(len(data))
	for piece := range slices.Chunk(data, largestPiece) {
		b.Write(piece)
	}
	return b.String()
}

// The sizes of the pieces that ReadAll reads.
const (
	firstPiece   = 4 << 10
	largestPiece = 1 << 20
)

// join returns the pieces as one.
func join(pieces [][]byte, size int64) []byte {
	if len(pieces) == 1 {
		return pieces[0]
	}
	all := make([]byte, 0, size)
	for _, p := range pieces {
		all = append(all, p...)
	}
	return all
}

// Dir is where the files are that a specification names, unless it names them by absolute
// paths.
type Dir string

// ReadFile reads a regular file of at most limit bytes: a device or a pipe may have no end.
func (d Dir) ReadFile(name string, limit int64) ([]byte, error) {
	path := d.Path(name)
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
func (d Dir) WriteFile(name string, data []byte) error { return Write(d.Path(name), data) }

// Path returns where the file of that name is.
func (d Dir) Path(name string) string {
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
