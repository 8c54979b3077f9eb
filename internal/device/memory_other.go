//go:build !linux || !(amd64 || arm64)

package device

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// memory cannot be created on this host: that needs a memory file of Linux and 64-bit addresses.
type memory struct {
	file  *os.File
	bytes []byte
}

func newMemory(uint64) (memory, error) {
	return memory{}, fmt.Errorf("device: buffer objects live in a memory file of 64-bit Linux: %w", errors.ErrUnsupported)
}

func (m *memory) punch(off, size uint64) { clear(m.bytes[off : off+size]) }

func (m *memory) written(off, size uint64) []extent { return []extent{{off, size}} }

func (m *memory) close() error { return nil }

// sharedFile cannot be created on this host, for the same reason as memory.
type sharedFile struct {
	memory
	own *os.File
}

func newSharedFile(uint64) (*sharedFile, error) { return nil, errors.ErrUnsupported }

func (*sharedFile) lend() (*os.File, error) { return nil, errors.ErrUnsupported }

func (*sharedFile) isLent() bool { return false }

func inodeOf(*os.File) (device, inode uint64, err error) { return 0, 0, errors.ErrUnsupported }

func rawClock() int64 { return monotonic() }

var started = time.Now()

const asleep = 0

func monotonic() int64 { return int64(time.Since(started)) }

func sleep(d time.Duration) { time.Sleep(d) }
