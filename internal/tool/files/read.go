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

// ReadFile reads a regular file of at most limit bytes: a device or a pipe may have no end. A large ELF file is
// [Mapped], whatever its size.
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
	return ReadAll(f, path, limit) // files of /proc have no size
}

// WriteFile writes the file whole or not at all, see [Write].
func (d Dir) WriteFile(name string, data []byte) error { return Write(d.Path(name), data) }

// ReadOnly is a Dir for runs where only the answer counts: files that they would write are not written.
type ReadOnly struct{ Dir }

// WriteFile writes nothing.
func (ReadOnly) WriteFile(string, []byte) error { return nil }

// Path returns where the file of that name is.
func (d Dir) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(string(d), name)
}

// lineBuffer is how many bytes of a line are read before it is known what kind of line it is.
const lineBuffer = 64 << 10

// Lines calls f for each line of in, with its end, or with an error for one of more than
// limit bytes. A line of more than 64 KiB must begin with the text begins, after blanks: it is
// an error, too, if it does not. Lines returns the first error of f or of in, and an error
// without reading on if a line of more than 64 KiB has a byte 0: a device may have no end.
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

// readLine returns the next line of r with its end, if it has one. A line of more than limit bytes
// is skipped, with errLongLine; so is a longer one than the buffer of r that does not begin with
// begins, with errOtherLine. One with a byte 0 is errNoText.
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
			return nil, skipped // what follows an end is an end
		default:
			return line, err
		}
	}
}
