package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// KindError says that an input is of no kind that a command reads.
type KindError struct{ Name string }

// Error names the input.
func (e *KindError) Error() string {
	return fmt.Sprintf("%s: it is neither text nor compiled code; give a text, an ELF file or an offload bundle", e.Name)
}

// Judged returns a reader of all that r holds, which has looked at the first bytes: a device or a pipe
// may have no end. Text has no byte 0; known reports whether what has one begins as a file that is read.
// The error is a *[KindError] with name, or the error of r.
func Judged(r io.Reader, name string, known func(start []byte) bool) (io.Reader, error) {
	start := make([]byte, firstPiece)
	n, err := io.ReadAtLeast(r, start, 1)
	start = start[:n]
	switch {
	case errors.Is(err, io.EOF):
		return r, nil
	case err != nil:
		return nil, err
	case bytes.IndexByte(start, 0) >= 0 && !known(start):
		return nil, &KindError{name}
	}
	return io.MultiReader(bytes.NewReader(start), r), nil
}
