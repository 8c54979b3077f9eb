//go:build linux && amd64

package guest

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gcnsim/gcnsim/internal/device"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/guesttest"
)

func init() {
	programs["stores"] = storesProgram
	programs["container"] = containerProgram
}

// Ioctls of a card that watches stores to watchedPage.
const (
	ioctlWatch = 3<<30 | 16<<16 | 'd'<<8 | 0x10 // begins to watch
	ioctlArm   = 3<<30 | 16<<16 | 'd'<<8 | 0x11 // out = 1 if the next store will be reported
	ioctlTold  = 3<<30 | 16<<16 | 'd'<<8 | 0x12 // out = number of stores reported

	watchedPage = 5 * pageBytes
)

// storesCard is a stub that watches stores.
type storesCard struct {
	stub
	watching chan *exec.Cmd // the program that is killed when it starts to watch
	after    time.Duration
}

// storesFile is an open file of storesCard.
type storesFile struct {
	File
	card *storesCard
	arm  func() bool
	stop func()
	told atomic.Int64
}

func (c *storesCard) Open() (File, error) {
	f, err := c.stub.Open()
	return &storesFile{File: f, card: c, stop: func() {}}, err
}

func (f *storesFile) Close() error {
	f.stop()
	return f.File.Close()
}

func (f *storesFile) Ioctl(_ context.Context, p device.Process, request uint32, arg uint64) syscall.Errno {
	var out uint64
	switch request {
	case ioctlWatch:
		f.arm, f.stop = p.(*caller).WatchStores(f.Memory(), watchedPage, func() { f.told.Add(1) })
		select {
		case cmd := <-f.card.watching:
			time.AfterFunc(f.card.after, func() { _ = cmd.Process.Kill() }) // it is running
		default:
		}
	case ioctlArm:
		if f.arm() {
			out = 1
		}
	case ioctlTold:
		out = uint64(f.told.Load())
	}
	if p.WriteAt(binary.NativeEndian.AppendUint64(nil, out), arg+8) != nil {
		return unix.EFAULT
	}
	return 0
}

// TestStores: each store to a watched page is reported once after arming, while signals arrive and other threads
// execute. The program notices nothing. Other pages cannot be watched.
func TestStores(t *testing.T) {
	if _, _, e := unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|1, 0, 0); e != 0 {
		t.Skipf("userfaultfd: %v", e)
	}
	for _, args := range [][]string{{"watched"}, {"filtered"}} {
		c := &storesCard{}
		lines := make(chan string, 1)
		g, err := Start(program(t, "stores", args...), c, &Options{Log: func(line string) { lines <- line }})
		guesttest.Started(t, err)
		err = g.Wait(t.Context())
		close(lines)
		told := <-lines
		if strings.Contains(told, unix.EPERM.Error()) {
			t.Skip(told)
		}
		require.NoError(t, err, "%s: %s", args, told)
		assert.Equal(t, args[0] == "filtered", strings.Contains(told, "has a filter of system calls of its own"), told)
	}
	assert.NoError(t, exec.Command("true").Run(), "children are waited for as ever")
}

// TestStoresForbidden: in a container that forbids userfaultfd stores are not reported. The log says so, and the
// program notices nothing else.
func TestStoresForbidden(t *testing.T) {
	cmd := program(t, "container")
	cmd.Stderr = nil
	told, err := cmd.CombinedOutput()
	if err != nil && strings.Contains(string(told), "guest:") {
		t.Skipf("%s", told)
	}
	require.NoError(t, err, "%s", told)
	assert.Regexp(t, "^stores of process [0-9]+ are not noticed, its memory is looked at instead: "+
		"operation not permitted\n$", string(told))
}

// containerProgram executes a program under a filter that forbids userfaultfd, as containers do.
func containerProgram() error {
	runtime.LockOSThread()
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: dataNumber},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_USERFAULTFD, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	if err := setFilter(filter, unix.SECCOMP_FILTER_FLAG_TSYNC); err != nil {
		return err
	}
	cmd := exec.Command(os.Args[0], "forbidden")
	cmd.Env = append(os.Environ(), programVariable+"=stores")
	cmd.Stderr = os.Stderr
	g, err := Start(cmd, &storesCard{}, &Options{Log: func(line string) { fmt.Println(line) }})
	if err != nil {
		return err
	}
	return g.Wait(context.Background())
}

// setFilter sets a seccomp filter.
func setFilter(filter []unix.SockFilter, flags uintptr) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program)))
	if e != 0 {
		return e
	}
	return nil
}

// TestStoresKilled: a program that is killed while its thread is traced ends at once and leaves nothing behind.
func TestStoresKilled(t *testing.T) {
	for i := range effort.Rounds(15) {
		c := &storesCard{watching: make(chan *exec.Cmd, 1)}
		cmd := program(t, "stores", "killed")
		c.watching <- cmd
		c.after = time.Duration(i) * 40 * time.Microsecond
		g, err := Start(cmd, c, nil)
		guesttest.Started(t, err)
		begun := time.Now()
		var exit *exec.ExitError
		require.ErrorAs(t, g.Wait(t.Context()), &exit)
		assert.Equal(t, "signal: killed", exit.Error())
		assert.Less(t, time.Since(begun), stopWithin)
		assert.Equal(t, c.opened.Load(), c.closed.Load())
	}
}

func storesProgram() error {
	fd, err := unix.Open(node, unix.O_RDWR, 0)
	if err != nil {
		return err
	}
	signal.Notify(make(chan os.Signal, 1), unix.SIGUSR1)
	runtime.LockOSThread()
	go keepSignalling(unix.Gettid())
	want := uint64(1)
	switch os.Args[1] {
	case "filtered":
		want = 0
		allow := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}}
		if err := setFilter(allow, 0); err != nil {
			return err
		}
	case "forbidden":
		want = 0
	}
	if _, err := call(fd, ioctlWatch, 0); err != nil {
		return err
	}
	if os.Args[1] == "killed" {
		time.Sleep(time.Hour)
	}
	early, err := call(fd, ioctlArm, 0)
	if err := first(err, expect("armed before the page is mapped", early, 0)); err != nil {
		return err
	}
	memory, err := unix.Mmap(fd, 4*pageBytes, 4*pageBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	doorbell := (*atomic.Uint64)(unsafe.Pointer(&memory[watchedPage-4*pageBytes+64]))
	for i := range uint64(100) {
		armed, err := call(fd, ioctlArm, 0)
		if err := first(err, expect("armed", armed, want)); err != nil {
			return err
		}
		doorbell.Store(2*i + 1)
		told, err := call(fd, ioctlTold, 0)
		for range 60_000 {
			if err == nil && told < want*(i+1) { // the report may come only after the store
				time.Sleep(time.Millisecond)
				told, err = call(fd, ioctlTold, 0)
			}
		}
		if err := first(err, expect("told", told, want*(i+1))); err != nil {
			return err
		}
		doorbell.Store(2*i + 2)
		var b [8]byte
		if _, err := unix.Pread(fd, b[:], watchedPage+64); err != nil {
			return err
		}
		if err := expect("stored", binary.NativeEndian.Uint64(b[:]), 2*i+2); err != nil {
			return err
		}
	}
	left, err := filepath.Glob("/proc/self/fd/*")
	for _, name := range left {
		if to, err := os.Readlink(name); err == nil && strings.Contains(to, "userfault") {
			return fmt.Errorf("%s is left: %s", name, to)
		}
	}
	return err
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
