//go:build linux && (amd64 || arm64)

package guest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data, which filters load dwords from.
const (
	dataNumber = 0
	dataArch   = 4
	dataArg1   = 24 // low half of the second argument
)

// Types of ioctls: bits 15:8 of their numbers. Ioctls of the console have the same type as those of KFD.
const (
	drmType = 'd'
	kfdType = 'K'
)

// filter returns the seccomp filter. It sends the calls of pathCalls and the ioctls of DRM and KFD to the listener.
// All other calls go to the kernel, including calls of other architectures, whose numbers have other meanings.
func filter() []unix.SockFilter {
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	equal := func(k uint32, yes, no int) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jt: uint8(yes), Jf: uint8(no)}
	}
	give := func(action uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
	}
	var numbers []int
	for nr := range pathCalls {
		numbers = append(numbers, nr)
	}
	slices.Sort(numbers)

	p := []unix.SockFilter{
		load(dataArch),
		equal(auditArch, 1, 0),
		give(unix.SECCOMP_RET_ALLOW),
		load(dataNumber),
		equal(unix.SYS_IOCTL, 0, 5),
		load(dataArg1),
		{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xff00},
		equal(drmType<<8, len(numbers)+3, 0),
		equal(kfdType<<8, len(numbers)+2, 0),
		give(unix.SECCOMP_RET_ALLOW),
	}
	for i, nr := range numbers {
		p = append(p, equal(uint32(nr), len(numbers)-i, 0))
	}
	return append(p, give(unix.SECCOMP_RET_ALLOW), give(unix.SECCOMP_RET_USER_NOTIF))
}

// install sets the filter for this thread and for the programs that it starts, and returns the listener.
func install() (listener int, err error) {
	program := filter()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, &UnsupportedError{Call: "prctl(PR_SET_NO_NEW_PRIVS)", Err: err}
	}
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	fd, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, uintptr(unsafe.Pointer(&fprog)))
	if e == 0 {
		return int(fd), nil
	}
	refused := &UnsupportedError{Call: "seccomp(SECCOMP_SET_MODE_FILTER) with a listener", Err: e}
	switch {
	case errors.Is(e, unix.EINVAL):
		refused.Help = "it takes Linux 5.19 or later"
	case errors.Is(e, unix.EBUSY):
		refused.Help = "this process runs under a filter that has a listener already, as within another gcnsim gpu"
	case errors.Is(e, unix.ENOSYS), errors.Is(e, unix.EPERM), errors.Is(e, unix.EACCES):
		refused.Help = "the container forbids it: its seccomp profile must allow seccomp(2)"
	}
	return -1, refused
}

// notification is struct seccomp_notif: one call of a program.
type notification struct {
	id   uint64
	tid  uint32 // number of the thread, in this process's namespace
	_    uint32
	nr   int32
	_    uint32 // architecture
	_    uint64
	args [6]uint64
}

// response is struct seccomp_notif_resp.
type response struct {
	id    uint64
	val   int64
	errno int32
	flags uint32
}

// addition is struct seccomp_notif_addfd.
type addition struct {
	id       uint64
	_        uint32 // flags
	srcFD    uint32
	_        uint32 // number to take
	newFlags uint32
}

// control is an ioctl on the listener. It is repeated if a signal interrupts it, which happens because the Go runtime
// signals its threads. An interrupted call has had no effect.
func control[T any](listener int, request uintptr, v *T) (r int, err error) {
	return uninterrupted(func() (int, error) { return controlOnce(listener, request, v) })
}

func controlOnce[T any](listener int, request uintptr, v *T) (int, error) {
	r, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), request, uintptr(unsafe.Pointer(v)))
	if e != 0 {
		return -1, e
	}
	return int(r), nil
}

// uninterrupted repeats a system call as long as signals interrupt it.
func uninterrupted(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// receive waits for a call, or for a signal.
func receive(listener int, n *notification) error {
	*n = notification{}
	_, err := controlOnce(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, n)
	return err
}

// valid reports whether the caller of a call still waits.
func valid(listener int, id uint64) bool {
	_, err := control(listener, unix.SECCOMP_IOCTL_NOTIF_ID_VALID, &id)
	return err == nil
}

// respond ends a call with a value or with an error number. It is not an error if the caller no longer exists.
func respond(listener int, id uint64, value int, errno unix.Errno) error {
	r := response{id: id, val: int64(value), errno: -int32(errno)}
	return sent(control(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, &r))
}

// proceed lets the kernel execute a call.
func proceed(listener int, id uint64) error {
	r := response{id: id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	return sent(control(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, &r))
}

func sent(_ int, err error) error {
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("answering: %w", err)
	}
	return nil
}

// inject duplicates a descriptor into the caller's process. It does not answer the call: if the kernel were asked to
// do both in one step, it might do the first and be interrupted before the second.
func inject(listener int, id uint64, fd int, closeOnExec bool) (theirs int, err error) {
	a := addition{id: id, srcFD: uint32(fd)}
	if closeOnExec {
		a.newFlags = unix.O_CLOEXEC
	}
	if fd < 0 || fd > math.MaxInt32 {
		return -1, unix.EBADF
	}
	return control(listener, unix.SECCOMP_IOCTL_NOTIF_ADDFD, &a)
}
