package files

import (
	"bufio"
	"bytes"
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
	Limit int64 // greatest size in bytes
}

// Error names the input and the limit.
func (e *SizeError) Error() string {
	return fmt.Sprintf("%s: it is larger than the %d bytes that are read", e.Name, e.Limit)
}

// ReadAll reads r to its end. If it has more than limit bytes, the error is a *[SizeError] with name. It copies in
// pieces, because a single copy of hundreds of megabytes could not be interrupted.
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

// String converts data to a string. It copies in pieces, like ReadAll.
func String(data []byte) string {
	var b strings.Builder
	b.Grow(len(data))
	for piece := range slices.Chunk(data, largestPiece) {
		b.Write(piece)
	}
	return b.String()
}

// Sizes of the pieces in which ReadAll reads.
const (
	firstPiece   = 4 << 10
	largestPiece = 1 << 20
)

// join concatenates the pieces.
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

// Dir is the directory to which the relative file names in a specification refer.
type Dir string

// ReadFile reads a regular file of at most limit bytes. It refuses devices and pipes, which may be endless. A large
// ELF file is [Mapped], whatever its size.
func (d Dir) ReadFile(name string, limit int64) ([]byte, error) {
	path := d.Path(name)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: it is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if data, ok := Mapped(f); ok {
		return data, nil
	}
	if info.Size() > limit {
		return nil, &SizeError{path, limit}
	}
	return ReadAll(f, path, limit) // files of /proc report size 0
}

// WriteFile writes a file completely or not at all, see [Write].
func (d Dir) WriteFile(name string, data []byte) error { return Write(d.Path(name), data) }

// ReadOnly is a Dir that discards writes, for executions whose answer is all that matters.
type ReadOnly struct{ Dir }

// WriteFile does nothing.
func (ReadOnly) WriteFile(string, []byte) error { return nil }

// Path returns the path of a file.
func (d Dir) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(string(d), name)
}

// lineBuffer is how many bytes of a line are read before its kind is checked.
const lineBuffer = 64 << 10

// Lines calls f for each line of in, with its line break, or with an error for a line of more than limit bytes. A
// line of more than 64 KiB is also an error if it does not start with begins, after blanks. Lines returns the first
// error of f or in. It stops with an error at a long line that contains a byte 0, because in may be an endless
// device.
func Lines(in io.Reader, limit int, begins string, f func(line []byte, err error) error) error {
	r := bufio.NewReaderSize(in, lineBuffer)
	for {
		line, err := readLine(r, limit, begins)
		last := errors.Is(err, io.EOF)
		switch {
		case last && len(line) == 0:
			return nil
		case errors.Is(err, errLongLine):
			err = f(nil, fmt.Errorf("the line is longer than the %d bytes that are read", limit))
		case errors.Is(err, errOtherLine):
			err = f(nil, fmt.Errorf("the line has more than %d bytes and does not begin with %s", lineBuffer, begins))
		case err == nil || last:
			err = f(line, nil)
		}
		if err != nil || last {
			return err
		}
	}
}

var (
	errLongLine  = errors.New("line too long")
	errOtherLine = errors.New("line begins with something else")
	errNoText    = fmt.Errorf("this is no text: it has a byte 0 in a line of more than %d bytes", lineBuffer)
)

// readLine returns the next line of r, with its line break if it has one. A line of more than limit bytes is skipped
// with errLongLine. A line longer than r's buffer that does not start with begins is skipped with errOtherLine. For a
// line with a byte 0 the error is errNoText.
func readLine(r *bufio.Reader, limit int, begins string) ([]byte, error) {
	var line []byte
	var skipped error
	for {
		piece, err := r.ReadSlice('\n')
		more := errors.Is(err, bufio.ErrBufferFull)
		switch start := bytes.TrimSpace(piece); {
		case more && bytes.IndexByte(piece, 0) >= 0:
			return nil, errNoText
		case skipped != nil:
		case len(line)+len(piece) > limit:
			line, skipped = nil, errLongLine
		case more && len(line) == 0 && len(start) > 0 && !bytes.HasPrefix(start, []byte(begins)):
			skipped = errOtherLine
		default:
			line = append(line, piece...)
		}
		switch {
		case more:
		case skipped != nil && (err == nil || err == io.EOF):
			return nil, skipped // the next call will return the end again
		default:
			return line, err
		}
	}
}
