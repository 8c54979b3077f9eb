//go:build linux && (amd64 || arm64)

package guest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
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

// programVariable is the environment variable that makes the test binary act as one of programs.
const programVariable = "GCNSIM_GUEST_TEST"

func TestMain(m *testing.M) {
	name := os.Getenv(programVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := programs[name](); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Ioctls of the stub device.
const (
	ioctlAdd  = 3<<30 | 16<<16 | 'd'<<8 | 1 // {in, out uint64}: out = in + 1
	ioctlFile = 3<<30 | 16<<16 | 'd'<<8 | 2 // out = number of the open file
	ioctlWait = 3<<30 | 16<<16 | 'd'<<8 | 3 // waits until the caller no longer exists
	ioctlFail = 3<<30 | 16<<16 | 'd'<<8 | 4 // fails with E2BIG
	ioctlDie  = 3<<30 | 16<<16 | 'd'<<8 | 5 // panics
	ioctlKill = 3<<30 | 16<<16 | 'd'<<8 | 6 // kills the caller and then writes to its memory
)

// stub is a device that counts its ioctls.
type stub struct {
	opened, closed, waiting, refused atomic.Int64
}

func (*stub) PCI() device.PCI {
	return device.PCI{Driver: "amdgpu", Vendor: 0x1002, Device: 0x67b1, Revision: 0xc1, Slot: "0000:04:00.0"}
}

func (*stub) OpenKFD() (File, error) { return nil, unix.ENXIO }

func (*stub) Topology() map[string]string { return nil }

func (s *stub) Open() (File, error) {
	fd, err := unix.MemfdCreate("stub", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	if err := unix.Ftruncate(fd, 1<<20); err != nil {
		return nil, err
	}
	return &stubFile{s, os.NewFile(uintptr(fd), "stub"), uint64(s.opened.Add(1))}, nil
}

type stubFile struct {
	s      *stub
	memory *os.File
	number uint64
}

func (f *stubFile) Memory() *os.File { return f.memory }

func (f *stubFile) Close() error {
	f.s.closed.Add(1)
	return f.memory.Close()
}

func (f *stubFile) Ioctl(ctx context.Context, p device.Process, request uint32, arg uint64) syscall.Errno {
	var b [16]byte
	if p.ReadAt(b[:], arg) != nil {
		return unix.EFAULT
	}
	pair := (*[2]uint64)(unsafe.Pointer(&b))
	switch request {
	case ioctlAdd:
		pair[1] = pair[0] + 1
	case ioctlFile:
		pair[1] = f.number
	case ioctlWait:
		f.s.waiting.Add(1)
		<-ctx.Done()
		f.s.waiting.Add(-1)
		return unix.EINTR
	case ioctlFail:
		return unix.E2BIG
	case ioctlDie:
		panic("a defect")
	case ioctlKill:
		c := *p.(*caller)
		_ = unix.Kill(int(c.process), unix.SIGKILL) // the call may come from its first thread or from another one
		for p.WriteAt(b[:], arg) == nil {
			time.Sleep(time.Millisecond)
		}
		c.process = process(unix.Getpid()) // as if this process had been given the number
		here := uint64(uintptr(unsafe.Pointer(&f.number)))
		if errors.Is(c.WriteAt(b[:8], here), unix.ESRCH) && errors.Is(c.ReadAt(b[:8], here), unix.ESRCH) {
			f.s.refused.Add(1)
		}
	default:
		return unix.ENOTTY
	}
	if p.WriteAt(b[:], arg) != nil {
		return unix.EFAULT
	}
	return 0
}

// program returns the command that executes one of programs.
func program(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	effort.Long(t)
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), programVariable+"="+name)
	cmd.Stderr = os.Stderr
	return cmd
}

// begin starts a command with s. It skips the test if this host cannot do that.
func begin(t testing.TB, cmd *exec.Cmd, s *stub) *Guest {
	t.Helper()
	g, err := Start(cmd, s, &Options{Log: func(line string) { t.Log(line) }})
	guesttest.Started(t, err)
	return g
}

// run executes a command to its end, and checks that nothing of it remains.
func run(t *testing.T, cmd *exec.Cmd) *stub {
	t.Helper()
	s := &stub{}
	g := begin(t, cmd, s)
	assert.NoError(t, g.Wait(t.Context()))
	assert.Equal(t, s.opened.Load(), s.closed.Load(), "open files that were not closed")
	assert.NoDirExists(t, g.tree.root)
	return s
}

// programs are the programs that the test binary can act as.
var programs = map[string]func() error{
	"files":   filesProgram,
	"ioctls":  ioctlsProgram,
	"threads": threadsProgram,
	"wait":    waitProgram,
	"signal":  signalProgram,
	"garbage": garbageProgram,
	"child":   childProgram,
	"none":    func() error { return nil },
	"fail":    func() error { os.Exit(7); return nil },
}

// call is ioctl on a struct of two numbers.
func call(fd int, request uintptr, in uint64) (out uint64, err error) {
	pair := [2]uint64{in}
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(unsafe.Pointer(&pair))); e != 0 {
		return 0, e
	}
	return pair[1], nil
}

// expect returns an error unless got is want.
func expect[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s: %v, want %v", what, got, want)
	}
	return nil
}

func TestFiles(t *testing.T) {
	s := run(t, program(t, "files"))
	assert.Equal(t, int64(3), s.opened.Load())
}

func filesProgram() error {
	entries, err := os.ReadDir("/dev/dri")
	if err != nil || len(entries) != 1 || entries[0].Name() != "renderD128" {
		return fmt.Errorf("ReadDir: %v, %w", entries, err)
	}
	vendor, err := os.ReadFile("/sys/dev/char/226:128/device/vendor")
	if err != nil || string(vendor) != "0x1002\n" {
		return fmt.Errorf("vendor: %q, %w", vendor, err)
	}
	link, err := os.Readlink("/sys/dev/char/226:128/device/subsystem")
	if err != nil || filepath.Base(link) != "pci" {
		return fmt.Errorf("subsystem: %q, %w", link, err)
	}
	target, err := filepath.EvalSymlinks("/sys/dev/char/226:128/device")
	if err := errors.Join(err, expect("EvalSymlinks", target, "/sys/dev/char/226:128/device")); err != nil {
		return err
	}
	f, err := os.OpenFile("/dev/dri/renderD128", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	fd := int(f.Fd())
	relative, err := unix.Open("/dev/dri", unix.O_DIRECTORY|unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	second, err := unix.Openat(relative, "renderD128", unix.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("relative to a directory: %w", err)
	}
	third, err := unix.Openat2(unix.AT_FDCWD, "/dev/../dev//dri/./renderD128",
		&unix.OpenHow{Flags: unix.O_RDWR | unix.O_CLOEXEC})
	if err != nil {
		return fmt.Errorf("openat2: %w", err)
	}
	for i, fd := range []int{fd, second, third} {
		out, err := call(fd, ioctlFile, 0)
		if err := errors.Join(err, expect("open file", out, uint64(i+1))); err != nil {
			return err
		}
	}
	var st [4]unix.Stat_t
	var stx unix.Statx_t
	var errs [16]error
	errs[0] = unix.Stat("/dev/dri/renderD128", &st[0])
	errs[1] = unix.Lstat("/dev/dri/renderD128", &st[1])
	errs[2] = unix.Fstat(fd, &st[2])
	errs[3] = unix.Fstatat(third, "", &st[3], unix.AT_EMPTY_PATH)
	errs[4] = unix.Statx(relative, "renderD128", 0, unix.STATX_ALL, &stx)
	errs[5] = unix.Access("/dev/dri/renderD128", unix.R_OK|unix.W_OK)
	for i, st := range st {
		errs[6+i] = errors.Join(expect("mode", st.Mode, unix.S_IFCHR|0o666), expect("rdev", st.Rdev, unix.Mkdev(226, 128)))
	}
	errs[10] = expect("statx", [3]uint32{uint32(stx.Mode), stx.Rdev_major, stx.Rdev_minor},
		[3]uint32{unix.S_IFCHR | 0o666, 226, 128})
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	_, attribute := unix.Getxattr(node, "security.selinux", nil)
	attributes, err := unix.Listxattr(node, nil)
	if err := errors.Join(err, expect("attributes", attributes, 0)); err != nil {
		return err
	}
	if out, err := os.Stat("/dev/dri/.."); err != nil || !out.IsDir() {
		return fmt.Errorf("out of the tree: %v, %w", out, err)
	}
	_, missing := os.Stat("/dev/dri/card0")
	_, other := unix.Open("/dev/dri/renderD129", unix.O_RDWR, 0)
	_, makes := unix.Open("/dev/dri/renderD129", unix.O_RDWR|unix.O_CREAT, 0)
	_, writes := os.OpenFile("/sys/dev/char/226:128/device/vendor", os.O_WRONLY, 0)
	_, directory := unix.Open("/dev/dri/renderD128", unix.O_DIRECTORY, 0)
	_, exists := unix.Open("/dev/dri/renderD128", unix.O_CREAT|unix.O_EXCL|unix.O_RDWR, 0)
	_, shaders := os.Create(filepath.Join(os.TempDir(), "radv_builtin_shaders64"))
	for _, c := range []struct{ got, want error }{
		{missing, unix.ENOENT}, {other, unix.ENOENT}, {makes, unix.EACCES}, {attribute, unix.ENODATA}, {writes, unix.EACCES},
		{directory, unix.ENOTDIR}, {exists, unix.EEXIST}, {shaders, unix.ENOENT},
		{unix.Access("/dev/dri/renderD128", unix.X_OK), unix.EACCES},
	} {
		if !errors.Is(c.got, c.want) {
			return fmt.Errorf("%w, want %w", c.got, c.want)
		}
	}
	// Mapping the file maps the memory, which a duplicate descriptor shares.
	again, err := unix.Dup(fd)
	if err != nil {
		return err
	}
	one, err := unix.Mmap(fd, 4096, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	two, err := unix.Mmap(again, 4096, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	one[5] = 9
	return expect("a byte through a duplicate", two[5], 9)
}

func TestIoctls(t *testing.T) { run(t, program(t, "ioctls")) }

func ioctlsProgram() error {
	fd, err := unix.Open("/dev/dri/renderD128", unix.O_RDWR, 0)
	if err != nil {
		return err
	}
	for in := range uint64(100) {
		out, err := call(fd, ioctlAdd, in)
		if err := errors.Join(err, expect("sum", out, in+1)); err != nil {
			return err
		}
	}
	duplicate, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 100)
	if err != nil {
		return err
	}
	if out, err := call(duplicate, ioctlFile, 0); err != nil || out != 1 {
		return fmt.Errorf("duplicate: %d, %w", out, err)
	}
	null, err := os.Open("/dev/null")
	if err != nil {
		return err
	}
	for _, c := range []struct {
		fd      int
		request uintptr
		want    error
	}{{fd, ioctlFail, unix.E2BIG}, {fd, ioctlDie, unix.EIO}, {fd, ioctlAdd + 100, unix.ENOTTY},
		{int(null.Fd()), ioctlAdd, unix.ENOTTY}, {12345, ioctlAdd, unix.EBADF}} {
		if _, err := call(c.fd, c.request, 0); !errors.Is(err, c.want) {
			return fmt.Errorf("ioctl %x of %d: %w, want %w", c.request, c.fd, err, c.want)
		}
	}
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), ioctlAdd, 8); e != unix.EFAULT {
		return fmt.Errorf("a wild pointer: %w", e)
	}
	// A path that ends at the end of its page, with nothing mapped behind it.
	pages, err := unix.Mmap(-1, 0, 2*pageBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	const name = node + "\x00"
	at := copy(pages[pageBytes-len(name):], name)
	if err := unix.Mprotect(pages[pageBytes:], unix.PROT_NONE); err != nil {
		return err
	}
	dir := unix.AT_FDCWD
	r, _, e := unix.Syscall6(unix.SYS_OPENAT, uintptr(dir), uintptr(unsafe.Pointer(&pages[pageBytes-at])), unix.O_RDWR,
		0, 0, 0)
	if e != 0 {
		return fmt.Errorf("a path at the end of a page: %w", e)
	}
	return unix.Close(int(r))
}

func TestThreads(t *testing.T) { run(t, program(t, "threads")) }

// threadsProgram makes calls from many threads while one of them waits for ever.
func threadsProgram() error {
	waits, err := unix.Open(node, unix.O_RDWR, 0)
	if err != nil {
		return err
	}
	for range 8 {
		go func() { _, _ = call(waits, ioctlWait, 0) }()
	}
	var all sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		all.Go(func() {
			fd, err := unix.Open(node, unix.O_RDWR, 0)
			if err != nil {
				errs[i] = err
				return
			}
			number, _ := call(fd, ioctlFile, 0)
			for in := range uint64(200) {
				out, err := call(fd, ioctlAdd, in)
				again, _ := call(fd, ioctlFile, 0)
				if errs[i] = errors.Join(err, expect("sum", out, in+1), expect("open file", again, number)); errs[i] != nil {
					return
				}
			}
			errs[i] = unix.Close(fd)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func TestKilled(t *testing.T) {
	s := &stub{}
	g := begin(t, program(t, "wait"), s)
	require.Eventually(t, func() bool { return s.waiting.Load() == 1 }, time.Minute, time.Millisecond)
	require.NoError(t, g.cmd.Process.Kill())
	var exit *exec.ExitError
	require.ErrorAs(t, g.Wait(t.Context()), &exit)
	assert.Zero(t, s.waiting.Load())
	assert.Equal(t, int64(1), s.closed.Load())
}

func waitProgram() error {
	fd, err := unix.Open(node, unix.O_RDWR, 0)
	if err != nil {
		return err
	}
	_, err = call(fd, ioctlWait, 0)
	return err
}

// TestSignal lets a signal interrupt an ioctl that waits.
func TestSignal(t *testing.T) { run(t, program(t, "signal")) }

func signalProgram() error {
	signal.Notify(make(chan os.Signal, 1), unix.SIGUSR1)
	runtime.LockOSThread()
	tid := unix.Gettid()
	fd, err := unix.Open(node, unix.O_RDWR, 0)
	if err != nil {
		return err
	}
	go keepSignalling(tid)
	if _, err = call(fd, ioctlWait, 0); !errors.Is(err, unix.EINTR) {
		return fmt.Errorf("an ioctl that a signal comes to: %w", err)
	}
	return nil
}

// keepSignalling signals a thread repeatedly, because the first signal may arrive before the thread waits.
func keepSignalling(tid int) {
	for range time.Tick(10 * time.Millisecond) {
		_ = unix.Tgkill(unix.Getpid(), tid, unix.SIGUSR1) // ends with the process
	}
}

// TestGarbage sends senseless ioctls to the virtual Radeon from several processes at once. It still answers others.
func TestGarbage(t *testing.T) {
	d, err := device.New(device.Options{Chip: "fiji", MemoryBytes: 64 << 20, HangAfter: 10 * time.Millisecond})
	require.NoError(t, err)
	n := 4
	if !effort.Full() {
		n = 2
	}
	var all sync.WaitGroup
	var unsupported atomic.Pointer[error]
	for i := range n {
		cmd := program(t, "garbage", fmt.Sprint(i), fmt.Sprint(effort.Rounds(1000)))
		all.Go(func() {
			g, err := Start(cmd, Card(d), nil)
			if errors.Is(err, errors.ErrUnsupported) {
				unsupported.Store(&err)
				return
			}
			if assert.NoError(t, err) {
				assert.NoError(t, g.Wait(t.Context()))
			}
		})
	}
	all.Wait()
	if err := unsupported.Load(); err != nil {
		guesttest.Started(t, *err)
	}
}

// garbageProgram makes random ioctls for the given number of milliseconds. Their numbers and contents are close to
// sensible ones.
func garbageProgram() error {
	fd, err := unix.Open(node, unix.O_RDWR, 0)
	if err != nil {
		return err
	}
	var seed uint64
	var milliseconds int
	if _, err := fmt.Sscan(strings.Join(os.Args[1:], " "), &seed, &milliseconds); err != nil {
		return err
	}
	// Some of them wait for ever. A signal interrupts those.
	signal.Notify(make(chan os.Signal, 1), unix.SIGUSR1)
	runtime.LockOSThread()
	tid := unix.Gettid()
	go keepSignalling(tid)
	r := rand.New(rand.NewPCG(seed, 1))
	numbers := []uint32{0x00, 0x09, 0x0c, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x50, 0x52, 0x53,
		0xbf, 0xc0, 0xc3, 0xc4, 0xc5, 0xca, 0xcb, 0xcc, 0xcd}
	memory, err := unix.Mmap(-1, 0, pageBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	arg := unsafe.Slice((*uint64)(unsafe.Pointer(&memory[0])), 64)
	go flip(arg[3:], seed) // change the arguments while they are read
	for end := time.Now().Add(time.Duration(milliseconds) * time.Millisecond); time.Now().Before(end); {
		for i := range arg {
			switch r.IntN(4) {
			case 0:
				arg[i] = r.Uint64()
			case 1:
				arg[i] = uint64(r.Uint32N(8)) | uint64(r.Uint32N(8))<<32
			case 2:
				arg[i] = uint64(uintptr(unsafe.Pointer(&arg[r.IntN(len(arg))])))
			case 3:
				arg[i] = uint64(r.IntN(1<<12)) << 12
			}
		}
		nr := numbers[r.IntN(len(numbers))]
		if r.IntN(16) == 0 {
			nr = r.Uint32N(256)
		}
		if nr >= 0xc3 && nr <= 0xca || nr == 0x49 || nr == 0x52 || nr == 0x47 { // ioctls that might wait for ever
			arg[1], arg[2] = 0, 0
		}
		request := 3<<30 | r.Uint32N(128)<<16 | 'd'<<8 | nr
		// The result does not matter.
		_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(request), uintptr(unsafe.Pointer(&arg[0])))
	}
	again, err := unix.Open(node, unix.O_RDWR, 0)
	if err != nil {
		return err
	}
	var version [8]uint64
	const drmVersion = 3<<30 | 64<<16 | 'd'<<8
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(again), drmVersion, uintptr(unsafe.Pointer(&version))); e != 0 {
		return e
	}
	return expect("major version", uint32(version[0]), 3)
}

// flip rewrites words repeatedly until the process ends.
func flip(words []uint64, seed uint64) {
	for r := rand.New(rand.NewPCG(seed, 2)); ; {
		words[r.IntN(len(words))] ^= 1 << r.IntN(64)
	}
}

// TestChildren: a program passes its descriptor to a child that outlives it.
func TestChildren(t *testing.T) {
	s := run(t, program(t, "child"))
	assert.Equal(t, int64(1), s.opened.Load())
}

func childProgram() error {
	if len(os.Args) > 1 {
		time.Sleep(100 * time.Millisecond) // the parent has ended by then
		_, err := call(3, ioctlAdd, 1)
		return err
	}
	f, err := os.OpenFile(node, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, "again")
	cmd.ExtraFiles = []*os.File{f}
	cmd.Stderr = os.Stderr
	return cmd.Start()
}

// TestClosed closes open files while the program continues.
func TestClosed(t *testing.T) {
	s := &stub{}
	in, w, err := os.Pipe()
	require.NoError(t, err)
	cmd := exec.Command("sh", "-c", "for i in 1 2 3; do : <"+node+"; done; read x")
	cmd.Stdin = in
	g := begin(t, cmd, s)
	assert.Eventually(t, func() bool { return s.closed.Load() == 3 }, time.Minute, time.Millisecond)
	require.NoError(t, w.Close())
	_ = g.Wait(t.Context()) // it fails because read fails
}

func TestStatus(t *testing.T) {
	s := &stub{}
	g := begin(t, program(t, "fail"), s)
	var exit *exec.ExitError
	require.ErrorAs(t, g.Wait(t.Context()), &exit)
	assert.Equal(t, 7, exit.ExitCode())

	missing := exec.Command("/nowhere/to/be/found")
	_, err := Start(missing, s, nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestOrphans ends waiting for a process that a program left behind.
func TestOrphans(t *testing.T) {
	effort.Long(t)
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.Command("sh", "-c", "sleep 30 >/dev/null 2>&1 & echo $!")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	g, err := Start(cmd, &stub{}, &Options{Orphans: cancel})
	guesttest.Started(t, err)
	var pid int
	_, err = fmt.Fscan(out, &pid)
	require.NoError(t, err)
	assert.ErrorIs(t, g.Wait(ctx), ErrOrphans)
	require.NoError(t, unix.Kill(pid, unix.SIGKILL))
}

// TestStarts starts many programs, several at a time.
func TestStarts(t *testing.T) {
	n := 200
	if !effort.Full() {
		n = 20
	}
	run(t, program(t, "none")) // or skip
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range n / 4 {
				cmd := exec.Command("cat", "/sys/dev/char/226:128/device/device", node)
				var out []byte
				cmd.Stdout = writer(func(b []byte) { out = append(out, b...) })
				g, err := Start(cmd, &stub{}, nil)
				if !assert.NoError(t, err) || !assert.NoError(t, g.Wait(t.Context())) {
					return
				}
				assert.Equal(t, "0x67b1\n", string(out[:min(7, len(out))]))
			}
		})
	}
	all.Wait()
}

type writer func(b []byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }

func TestSizes(t *testing.T) {
	assert.Len(t, raw(&unix.Stat_t{}), int(unsafe.Sizeof(unix.Stat_t{})))
	assert.Len(t, raw(&unix.Statx_t{}), int(unsafe.Sizeof(unix.Statx_t{})))
	assert.Equal(t, uintptr(80), unsafe.Sizeof(notification{}))
}

// TestHeldInterrupted: signals, which the Go runtime often sends to its threads, do not make a process look ended.
func TestHeldInterrupted(t *testing.T) {
	effort.Long(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pid, tid := unix.Getpid(), unix.Gettid()
	h, err := process(pid).hold()
	require.NoError(t, err)
	defer func() { require.NoError(t, h.Close()) }()
	ctx, cancel := context.WithCancel(t.Context())
	var sender sync.WaitGroup
	sender.Go(func() {
		for ctx.Err() == nil {
			_ = unix.Tgkill(pid, tid, unix.SIGURG)
		}
	})
	for range 100_000 {
		if !h.lives() {
			t.Error("an interrupted look at the process says that it has ended")
			break
		}
	}
	cancel()
	sender.Wait()
}

// TestHeldOfAnotherProgram: access to a process's memory ends when it executes another program, and when it ends.
func TestHeldOfAnotherProgram(t *testing.T) {
	for _, then := range []string{"exec cat", "exit"} {
		cmd := exec.Command("sh", "-c", "echo; read x; "+then)
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		var b [1]byte
		_, err = out.Read(b[:])
		require.NoError(t, err)
		h, err := process(cmd.Process.Pid).hold()
		require.NoError(t, err)
		assert.True(t, h.lives())
		_, err = in.Write([]byte("\n\n"))
		require.NoError(t, err)
		_, _ = out.Read(b[:])             // output of cat, or the end of the file
		for h.lives() && then == "exit" { // its output is closed before it ends
			time.Sleep(time.Millisecond)
		}
		require.ErrorIs(t, h.ReadAt(b[:], 4096), unix.ESRCH, then)
		require.NoError(t, h.Close())
		require.NoError(t, in.Close())
		require.NoError(t, cmd.Wait())
	}
}
