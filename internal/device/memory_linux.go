//go:build linux && (amd64 || arm64)

package device

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// memory is a memory file that is mapped as a whole.
type memory struct {
	file  *os.File
	bytes []byte
}

// newMemory creates a sparse file of size bytes that nobody can shrink. Otherwise a program that has the descriptor
// could end this process by SIGBUS.
func newMemory(size uint64) (memory, error) {
	fd, err := unix.MemfdCreate("gcnsim-vram", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return memory{}, fmt.Errorf("device: cannot make a memory file: %w", err)
	}
	file := os.NewFile(uintptr(fd), "gcnsim-vram")
	fail := func(what string, err error) (memory, error) {
		_ = file.Close() // nothing was written
		return memory{}, fmt.Errorf("device: cannot %s a memory file of %d bytes: %w", what, size, err)
	}
	if err := unix.Ftruncate(fd, int64(size)); err != nil {
		return fail("size", err)
	}
	if _, err := unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS,
		unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		return fail("seal", err)
	}
	bytes, err := unix.Mmap(fd, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		return fail("map", err)
	}
	return memory{file, bytes}, nil
}

// punch frees the pages of a range.
func (m *memory) punch(off, size uint64) {
	err := unix.Fallocate(int(m.file.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, int64(off), int64(size))
	if err != nil { // the contents must become 0 all the same
		clear(m.bytes[off : off+size])
	}
}

// written returns the ranges within the size bytes at off that may contain something other than zeros.
func (m *memory) written(off, size uint64) (all []extent) {
	fd, end := int(m.file.Fd()), off+size
	for off < end {
		from, err := unix.Seek(fd, int64(off), unix.SEEK_DATA)
		if err != nil || uint64(from) >= end { // ENXIO: no data after this offset
			break
		}
		to, err := unix.Seek(fd, from, unix.SEEK_HOLE)
		if err != nil {
			to = int64(end)
		}
		all = append(all, extent{uint64(from), min(uint64(to), end) - uint64(from)})
		off = uint64(to)
	}
	return all
}

// close unmaps the file and closes this descriptor.
func (m *memory) close() error {
	if err := unix.Munmap(m.bytes); err != nil {
		return err
	}
	m.bytes = nil
	return m.file.Close()
}

// sharedFile is a memory file whose descriptors are passed to programs.
type sharedFile struct {
	memory
	own *os.File // a second descriptor of the same file
}

func newSharedFile(size uint64) (*sharedFile, error) {
	m, err := newMemory(size)
	if err != nil {
		return nil, err
	}
	return &sharedFile{memory: m, own: m.file}, nil
}

// lend returns another open file description of the file, for a program. It has a lock that lasts as long as a
// process has the file open or mapped.
func (s *sharedFile) lend() (*os.File, error) {
	theirs, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", s.own.Fd()), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(theirs.Fd()), unix.LOCK_SH|unix.LOCK_NB); err != nil {
		return nil, errors.Join(err, theirs.Close())
	}
	return theirs, nil
}

// isLent reports whether a program still has the file.
func (s *sharedFile) isLent() bool {
	fd := int(s.own.Fd())
	if unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) != nil {
		return true
	}
	return unix.Flock(fd, unix.LOCK_UN) != nil
}

// inodeOf returns the device and inode of a file.
func inodeOf(f *os.File) (device, inode uint64, err error) {
	var st unix.Stat_t
	err = unix.Fstat(int(f.Fd()), &st)
	return st.Dev, st.Ino, err
}

// hostNow reads a clock of the host in nanoseconds.
func hostNow(clock int32) int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		panic(err) // these clocks are always there
	}
	return t.Nano()
}

// rawClock returns CLOCK_MONOTONIC_RAW in nanoseconds.
func rawClock() int64 { return hostNow(unix.CLOCK_MONOTONIC_RAW) }

// started is a reading of Go's monotonic clock, which is CLOCK_MONOTONIC and needs no system call. startedAt is the
// same instant in nanoseconds. asleep is how far CLOCK_BOOTTIME was ahead then: the time that the machine had slept.
var started, startedAt, asleep = func() (time.Time, int64, int64) {
	now, at := time.Now(), hostNow(unix.CLOCK_MONOTONIC)
	return now, at, hostNow(unix.CLOCK_BOOTTIME) - at
}()

// monotonic returns CLOCK_MONOTONIC in nanoseconds, which timeouts refer to. Its error is the few nanoseconds between
// the two readings at the start.
func monotonic() int64 { return startedAt + int64(time.Since(started)) }

// sleep waits for d. A signal may end the wait early.
func sleep(d time.Duration) {
	t := unix.NsecToTimespec(d.Nanoseconds())
	// an early return is harmless: the caller checks its condition and sleeps again
	_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &t, nil)
}
