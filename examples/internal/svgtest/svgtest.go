// Package svgtest reads back what the examples draw.
package svgtest

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rects returns how many rectangles an SVG file has, the background among them. A file
// that is no well-formed XML fails the test.
func Rects(t *testing.T, path string) (n int) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		require.NoError(t, err)
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
			n++
		}
	}
}
