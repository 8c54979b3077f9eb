//go:build linux && (amd64 || arm64)

package guest

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// process is a process, named by one of its threads. Its methods access the process's memory.
type process int

// pageBytes is the smallest page size of hosts. A write may fail at any multiple of it, because the next page may be
// unmapped.
const pageBytes = 4096

// ReadAt reads all of b from addr on, or fails.
func (p process) ReadAt(b []byte, addr uint64) error {
	n, err := p.readSome(b, addr)
	return whole(n, err, b, addr)
}

// WriteAt copies b to addr. If a page is unmapped, it copies the part before that page and returns an error.
func (p process) WriteAt(b []byte, addr uint64) error {
	if len(b) == 0 {
		return nil
	}
	local, remote := vectors(b, addr)
	n, err := unix.ProcessVMWritev(int(p), local, remote, 0)
	return whole(n, err, b, addr)
}

func (p process) readSome(b []byte, addr uint64) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	local, remote := vectors(b, addr)
	return unix.ProcessVMReadv(int(p), local, remote, 0)
}

func vectors(b []byte, addr uint64) ([]unix.Iovec, []unix.RemoteIovec) {
	local := unix.Iovec{Base: &b[0]}
	local.SetLen(len(b))
	return []unix.Iovec{local}, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(b)}}
}

// whole returns an error if fewer than len(b) bytes were transferred.
func whole(n int, err error, b []byte, addr uint64) error {
	if err == nil && n < len(b) {
		err = unix.EFAULT
	}
	if err != nil {
		return fmt.Errorf("guest: %d bytes at 0x%x of the program: %w", len(b), addr, err)
	}
	return nil
}

// maxPath is the greatest length of a path in bytes, with the 0 at its end.
const maxPath = 4096

// path reads a string that ends with 0. It reads one page at a time, because the page after the string may be
// unmapped.
func (p process) path(addr uint64) (string, error) {
	var buf [maxPath]byte
	for n := 0; n < maxPath; {
		at := addr + uint64(n)
		end := min(n+int(pageBytes-at%pageBytes), maxPath)
		if end > n+firstRead && n == 0 {
			end = n + firstRead // most paths are short
		}
		got, err := p.readSome(buf[n:end], at)
		if err != nil {
			return "", err
		}
		if i := bytes.IndexByte(buf[n:n+got], 0); i >= 0 {
			return string(buf[:n+i]), nil
		}
		if got < end-n {
			return "", unix.EFAULT
		}
		n = end
	}
	return "", unix.ENAMETOOLONG
}

// firstRead is how many bytes of a path are read at first.
const firstRead = 256

// ofProc returns the path of a file in the process's directory of /proc.
func (p process) ofProc(what string) string { return fmt.Sprintf("/proc/%d/%s", int(p), what) }

// directory returns the directory of relative paths: the working directory, or the directory of a descriptor.
func (p process) directory(fd int) (string, error) {
	if fd == unix.AT_FDCWD {
		return os.Readlink(p.ofProc("cwd"))
	}
	return os.Readlink(p.descriptor(fd))
}

// descriptor returns the path of a descriptor of the process.
func (p process) descriptor(fd int) string { return p.ofProc(fmt.Sprintf("fd/%d", fd)) }

// signalled reports whether a signal is pending for the thread, which handles it when its system call returns.
func (p process) signalled() bool {
	status, err := os.ReadFile(p.ofProc("status"))
	if err != nil {
		return false // the thread has ended
	}
	var pending, held uint64
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		set, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
		if err != nil {
			continue // another kind of line
		}
		switch name {
		case "SigPnd", "ShdPnd":
			pending |= set
		case "SigBlk", "SigIgn":
			held |= set
		}
	}
	return pending&^held != 0
}

// group returns the process number of a thread.
func (p process) group() (pid int, err error) { return p.status("Tgid") }

// status returns a number from the thread's /proc status file.
func (p process) status(name string) (n int, err error) {
	status, err := os.ReadFile(p.ofProc("status"))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, name+":"); ok {
			return strconv.Atoi(strings.TrimSpace(text))
		}
	}
	return 0, unix.ESRCH
}

// ended reports whether the thread has ended.
func (p process) ended() bool {
	stat, err := os.ReadFile(p.ofProc("stat"))
	_, state, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
	return err != nil || bytes.HasPrefix(state, []byte("Z")) || bytes.HasPrefix(state, []byte("X"))
}
