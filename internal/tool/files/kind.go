package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// KindError says that an input has a format that no command reads.
type KindError struct{ Name string }

// Error names the input.
func (e *KindError) Error() string {
	return fmt.Sprintf("%s: it is neither text nor compiled code; give a text, an ELF file or an offload bundle", e.Name)
}

// Judged checks the first bytes of r, which may be an endless device or pipe, and returns a reader for all of its
// content. Text has no byte 0. For content with a byte 0, known reports whether it is a supported format. The error
// is a *[KindError] with name, or an error of r.
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
