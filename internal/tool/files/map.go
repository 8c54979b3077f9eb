package files

import (
	"io"
	"math"
	"os"
)

// leastMapped is how many bytes an ELF file has at least that is mapped and not read.
const leastMapped = 64 << 20

// Mapped returns the contents of a large ELF file, whose pages the system reads as they are needed: a library of more
// than a gigabyte has a few code objects for one processor. ok is false for any other file, whose position stays where
// it was, and where files cannot be mapped. The contents must not be written. A program that reads beyond the end of a
// file that has become shorter is stopped by the system.
func Mapped(f *os.File) (data []byte, ok bool) {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() < leastMapped || info.Size() > math.MaxInt {
		return nil, false
	}
	start := make([]byte, 4)
	if _, err := f.ReadAt(start, 0); err != nil && err != io.EOF || string(start) != "\x7fELF" {
		return nil, false
	}
	data, err = mapFile(f, int(info.Size()))
	return data, err == nil
}
