package files

import (
	"io"
	"math"
	"os"
)

// leastMapped is the size from which on an ELF file is mapped instead of read.
const leastMapped = 64 << 20

// Mapped returns the contents of a large ELF file as a memory mapping, because a library of more than a gigabyte may
// contain only a few code objects for one processor. ok is false for any other file, whose position is unchanged, and
// on systems without mappings. The contents must not be written. If another process shortens the file, reading beyond
// the new end crashes the program.
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
