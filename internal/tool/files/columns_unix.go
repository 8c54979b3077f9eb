//go:build unix

package files

import (
	"os"

	"golang.org/x/sys/unix"
)

// columns returns how many columns the terminal of f has, 0 if that is not known.
func columns(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
