//go:build linux && (amd64 || arm64)

package guest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gcnsim/gcnsim/internal/device"
	"github.com/gcnsim/gcnsim/internal/testkit/guesttest"
)

// Programs that are hostile or do something unexpected. None of them may obtain more from this process than it could
// obtain alone, nor keep others from being answered.

var long = flag.Duration("hostile", 300*time.Millisecond, "how long each program that races does so")

func init() {
	maps.Copy(programs, map[string]func() error{
		"races": racesProgram, "flags": flagsProgram, "ring": ringProgram, "sends": sendsProgram, "receives": receivesProgram,
		"chroot": chrootProgram, "blocked": blockedProgram, "many": manyProgram, "limits": limitsProgram, "gone": goneProgram,
		"packets": packetsProgram, "one": oneProgram, "waiters": waitersProgram,
	})
}

// rootOnly skips a test unless it runs as root.
func rootOnly(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can try it")
	}
}

// runWithin is run with a time limit.
func runWithin(t *testing.T, cmd *exec.Cmd) *stub {
	t.Helper()
	stop := time.AfterFunc(time.Minute, func() {
		t.Errorf("%s has not ended", cmd)
		_ = cmd.Process.Kill() // it may have ended just now
	})
	defer stop.Stop()
	return run(t, cmd)
}

// TestRacingPaths: a program that may not read a file rewrites the path of its call while it is answered.
func TestRacingPaths(t *testing.T) {
	rootOnly(t)
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	s := runWithin(t, program(t, "races", secret, long.String()))
	assert.Positive(t, s.opened.Load())
}

func racesProgram() error {
	secret := os.Args[1]
	span, err := time.ParseDuration(os.Args[2])
	if err != nil {
		return err
	}
	const nobody = 65534
	if err := errors.Join(unix.Setgroups(nil), syscall.Setresgid(nobody, nobody, nobody),
		syscall.Setresuid(nobody, nobody, nobody)); err != nil {
		return err
	}
	paths := []string{
		node, "/sys/dev/char/226:128/device/vendor", "/dev/dri/../.." + secret,
		"/sys/dev/char/226:128/../../../.." + secret, secret,
		"/dev/dri/../../proc/self/environ", "/proc/self/root" + secret,
		"/sys/dev/char/226:128/device/subsystem/../../.." + secret,
	}
	shared, err := unix.Mmap(-1, 0, pageBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	var flips sync.WaitGroup
	for i := range 2 {
		flips.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for {
				select {
				case <-stop:
					return
				default:
					copy(shared, paths[r.IntN(len(paths))]+"\x00")
				}
			}
		})
	}
	const card = "\x00\x00\x00\x00\x00\x00" // the first bytes of the card's memory
	seen := map[string]int{}
	for end := time.Now().Add(span); time.Now().Before(end) || seen[card] == 0; {
		dir := unix.AT_FDCWD
		fd, _, e := unix.Syscall6(unix.SYS_OPENAT, uintptr(dir), uintptr(unsafe.Pointer(&shared[0])),
			unix.O_RDONLY|unix.O_CLOEXEC, 0, 0, 0)
		if e != 0 {
			seen[e.Error()]++
			continue
		}
		var text [6]byte
		n, _ := unix.Pread(int(fd), text[:], 0)
		_ = unix.Close(int(fd)) // nothing was written
		seen[string(text[:n])]++
		if string(text[:n]) == "secret" {
			return fmt.Errorf("a file of another user was read: %v", seen)
		}
	}
	close(stop)
	flips.Wait()
	return nil
}

// TestFlags opens and asks with all kinds of flags.
func TestFlags(t *testing.T) { runWithin(t, program(t, "flags")) }

func flagsProgram() error {
	const vendor = "/sys/dev/char/226:128/device/vendor"
	const link = "/sys/dev/char/226:128/device/subsystem"
	var wrong []error
	for _, c := range []struct {
		name    string
		flags   uint64
		resolve uint64
		want    unix.Errno
	}{
		{vendor, unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK, 0, 0},
		{vendor, unix.O_RDWR, 0, unix.EACCES},
		{vendor, unix.O_RDONLY | unix.O_TRUNC, 0, unix.EACCES},
		{vendor, unix.O_RDONLY | unix.O_CREAT, 0, 0},
		{vendor, unix.O_RDONLY | unix.O_CREAT | unix.O_EXCL, 0, unix.EEXIST},
		{vendor, unix.O_RDONLY | unix.O_DIRECTORY, 0, unix.ENOTDIR},
		{vendor, unix.O_PATH, 0, 0},
		{vendor + "/", unix.O_RDONLY, 0, unix.ENOTDIR},
		{vendor + "2", unix.O_RDONLY, 0, unix.ENOENT},
		{vendor + "2", unix.O_RDONLY | unix.O_CREAT, 0, unix.EACCES},
		{driDir, unix.O_RDONLY, 0, 0},
		{driDir, unix.O_RDONLY | unix.O_DIRECTORY, 0, 0},
		{driDir, unix.O_RDWR, 0, unix.EISDIR},
		{driDir, unix.O_RDWR | unix.O_TMPFILE, 0, unix.EOPNOTSUPP},
		{link, unix.O_RDONLY | unix.O_NOFOLLOW, 0, unix.ELOOP},
		{link, unix.O_PATH | unix.O_NOFOLLOW, 0, unix.ELOOP},
		{link, unix.O_RDONLY, unix.RESOLVE_NO_SYMLINKS, unix.ELOOP},
		{node, unix.O_PATH, 0, 0},
		{node, unix.O_RDWR | unix.O_TRUNC, 0, 0},
		{node, unix.O_RDWR, unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS, 0},
		{node, unix.O_RDWR, resolveCached, 0},
		{node, unix.O_RDWR, unix.RESOLVE_BENEATH, unix.EXDEV},
		{node, unix.O_RDWR, unix.RESOLVE_NO_XDEV, unix.EXDEV},
		{node, unix.O_RDWR, 1 << 40, unix.EINVAL},
	} {
		fd, err := unix.Openat2(unix.AT_FDCWD, c.name, &unix.OpenHow{Flags: c.flags | unix.O_CLOEXEC, Resolve: c.resolve})
		if errno := errnoOf(err); err == nil && c.want != 0 || err != nil && errno != c.want {
			wrong = append(wrong, fmt.Errorf("%s, flags %#o, resolve %#x: %w, want %w", c.name, c.flags, c.resolve, err, c.want))
		}
		if err == nil {
			wrong = append(wrong, unix.Close(fd))
		}
	}
	var st unix.Stat_t
	path, err := unix.Open(node, unix.O_PATH, 0)
	wrong = append(wrong, err, unix.Fstat(path, &st), expect("mode of an O_PATH descriptor", st.Mode, unix.S_IFCHR|0o666))
	again, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", path), unix.O_RDWR, 0)
	out, also := call(again, ioctlAdd, 1)
	wrong = append(wrong, err, also, expect("by an O_PATH descriptor", out, 2))
	dir, err := unix.Open(driDir, unix.O_RDONLY, 0)
	wrong = append(wrong, err)
	_, err = unix.Openat2(dir, "../../../../../../etc/passwd", &unix.OpenHow{Resolve: unix.RESOLVE_BENEATH})
	if !errors.Is(err, unix.EXDEV) {
		wrong = append(wrong, fmt.Errorf("above a directory of the tree: %w", err))
	}
	flags, err := unix.FcntlInt(uintptr(dir), unix.F_GETFL, 0)
	wrong = append(wrong, err, expect("O_NONBLOCK", flags&unix.O_NONBLOCK, 0))
	return errors.Join(wrong...)
}

// TestRing opens the card by io_uring, which seccomp filters do not see, so the kernel answers.
func TestRing(t *testing.T) { runWithin(t, program(t, "ring")) }

func ringProgram() error {
	var params [120]byte // struct io_uring_params
	r, _, _ := unix.Syscall(unix.SYS_IO_URING_SETUP, 2, uintptr(unsafe.Pointer(&params)), 0)
	if int(r) < 0 {
		return nil // io_uring is forbidden on this host
	}
	word := func(at int) uint32 { return *(*uint32)(unsafe.Pointer(&params[at])) }
	const offSubmit, offComplete, offEntries = 40, 80, 0x10000000
	ring, err := unix.Mmap(int(r), 0, pageBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	entries, err := unix.Mmap(int(r), offEntries, pageBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	name := []byte(node + "\x00")
	entries[0] = 18 // IORING_OP_OPENAT
	dir := int32(unix.AT_FDCWD)
	*(*int32)(unsafe.Pointer(&entries[4])) = dir
	*(*uint64)(unsafe.Pointer(&entries[16])) = uint64(uintptr(unsafe.Pointer(&name[0])))
	at := func(off uint32) *uint32 { return (*uint32)(unsafe.Pointer(&ring[off])) }
	*at(word(offSubmit + 24)) = 0 // the array's first
	*at(word(offSubmit + 4))++    // the tail
	if _, _, e := unix.Syscall6(unix.SYS_IO_URING_ENTER, r, 1, 1, 1, 0, 0); e != 0 {
		return e
	}
	result := *(*int32)(unsafe.Pointer(&ring[word(offComplete+20)+8]))
	if result < 0 {
		return nil // the host has no such card
	}
	if _, err := call(int(result), ioctlAdd, 1); err == nil {
		return errors.New("io_uring has opened the card")
	}
	return nil
}

// TestPassing sends a descriptor of the card to another guest, and to this process, which is not a guest.
func TestPassing(t *testing.T) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	mine, theirs := os.NewFile(uintptr(fds[0]), "mine"), os.NewFile(uintptr(fds[1]), "theirs")
	defer mine.Close()
	s := &stub{}
	sender := program(t, "sends")
	sender.ExtraFiles = []*os.File{theirs}
	g := begin(t, sender, s)
	require.NoError(t, theirs.Close())
	fd, err := takeDescriptor(int(mine.Fd()))
	require.NoError(t, err)
	_, err = call(fd, ioctlAdd, 1)
	require.ErrorIs(t, err, unix.ENOTTY, "this process has no card")
	other := program(t, "receives")
	other.ExtraFiles = []*os.File{os.NewFile(uintptr(fd), "card")}
	run(t, other)
	assert.Zero(t, s.closed.Load(), "a descriptor of the card is open")
	require.NoError(t, other.ExtraFiles[0].Close())
	assert.Eventually(t, func() bool { return s.closed.Load() == 1 }, time.Minute, time.Millisecond)
	_, err = mine.Write([]byte{1})
	require.NoError(t, err)
	require.NoError(t, g.Wait(t.Context()))
}

func takeDescriptor(socket int) (int, error) {
	b, control := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(socket, b, control, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return -1, err
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil || len(messages) != 1 {
		return -1, fmt.Errorf("%d messages: %w", len(messages), err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return -1, fmt.Errorf("%d descriptors: %w", len(fds), err)
	}
	return fds[0], nil
}

func sendsProgram() error {
	const socket = 3
	fd, err := unix.Open(node, unix.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := unix.Sendmsg(socket, []byte{0}, unix.UnixRights(fd), nil, 0); err != nil {
		return err
	}
	if err := unix.Close(fd); err != nil {
		return err
	}
	_, err = unix.Read(socket, make([]byte, 1))
	return err
}

// receivesProgram receives a descriptor of another guest's card, whose memory it can map.
func receivesProgram() error {
	const card = 3
	if _, err := call(card, ioctlAdd, 1); !errors.Is(err, unix.ENOTTY) {
		return fmt.Errorf("an ioctl on the card of another guest: %w", err)
	}
	_, err := unix.Mmap(card, 0, pageBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return err
}

// TestOtherRoots: a program in another root directory or mount namespace sees the kernel's files there. Files that it
// had opened before keep working.
func TestOtherRoots(t *testing.T) {
	rootOnly(t)
	for _, how := range []string{"chroot", "unshare"} {
		runWithin(t, program(t, "chroot", how, t.TempDir()))
	}
}

func chrootProgram() error {
	fd, err := unix.Open(node, unix.O_RDWR, 0)
	if err != nil {
		return err
	}
	dir := os.Args[2]
	if os.Args[1] == "unshare" {
		err = unix.Unshare(unix.CLONE_NEWNS)
	} else {
		err = errors.Join(os.MkdirAll(dir+driDir, 0o700), os.WriteFile(dir+node, []byte("own"), 0o600), unix.Chroot(dir),
			unix.Chdir("/"))
	}
	if err != nil {
		return err
	}
	if got, err := unix.Open(driDir, unix.O_RDONLY|unix.O_DIRECTORY, 0); err == nil {
		link, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", got))
		if _, err := unix.Openat(got, "../../../etc/passwd", unix.O_RDONLY, 0); err == nil ||
			strings.Contains(link, treePrefix) {
			return fmt.Errorf("a directory outside of the root: %s", link)
		}
	}
	if own, err := os.ReadFile(node); os.Args[1] == "chroot" && (err != nil || string(own) != "own") {
		return fmt.Errorf("its own file: %q, %w", own, err)
	}
	out, err := call(fd, ioctlAdd, 1)
	return errors.Join(err, expect("sum", out, 2))
}

// TestBlocked: a program passes paths and arguments in memory whose page faults it handles itself and leaves
// unanswered. Others are answered meanwhile, and a stop does not wait for it.
func TestBlocked(t *testing.T) {
	rootOnly(t)
	s := &stub{}
	ctx, cancel := context.WithCancel(t.Context())
	g := begin(t, program(t, "blocked"), s)
	assert.Eventually(t, func() bool { return s.opened.Load() == 2 }, 20*time.Second, time.Millisecond,
		"after others are blocked")
	cancel()
	started := time.Now()
	_ = g.Wait(ctx) // it was killed
	assert.Less(t, time.Since(started), 5*time.Second)
}

func blockedProgram() error {
	const api, register = 0xc018aa3f, 0xc020aa00
	r, _, e := unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC, 0, 0)
	handshake := [3]uint64{0xaa}
	if e == 0 {
		_, _, e = unix.Syscall(unix.SYS_IOCTL, r, api, uintptr(unsafe.Pointer(&handshake)))
	}
	pages, err := unix.Mmap(-1, 0, pageBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	piece := [4]uint64{uint64(uintptr(unsafe.Pointer(&pages[0]))), pageBytes, 1}
	if e == 0 {
		_, _, e = unix.Syscall(unix.SYS_IOCTL, r, register, uintptr(unsafe.Pointer(&piece)))
	}
	card, err := unix.Open(node, unix.O_RDWR, 0)
	if err != nil {
		return err
	}
	if e != 0 { // not available on this host, so nothing is blocked
		_, err = unix.Open(node, unix.O_RDWR, 0)
		return err
	}
	for range 20 {
		go func() {
			_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(card), ioctlAdd, uintptr(unsafe.Pointer(&pages[0])))
		}()
		go func() {
			dir := unix.AT_FDCWD
			_, _, _ = unix.Syscall6(unix.SYS_OPENAT, uintptr(dir), uintptr(unsafe.Pointer(&pages[0])), 0, 0, 0, 0)
		}()
	}
	time.Sleep(50 * time.Millisecond)
	for range 100 {
		if _, err := os.Stat(node); err != nil {
			return err
		}
	}
	fd, err := unix.Open(node, unix.O_RDWR, 0)
	if err != nil {
		return err
	}
	out, err := call(fd, ioctlAdd, 1)
	if err := errors.Join(err, expect("sum", out, 2)); err != nil {
		return err
	}
	time.Sleep(time.Minute)
	return nil
}

// TestMany runs 50 processes with a card at once.
func TestMany(t *testing.T) {
	s := runWithin(t, program(t, "many"))
	assert.Equal(t, int64(50), s.opened.Load())
}

func manyProgram() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var cmds []*exec.Cmd
	for range 50 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), programVariable+"=one")
		cmd.Stderr = os.Stderr
		cmds = append(cmds, cmd)
		if err := cmd.Start(); err != nil {
			return err
		}
	}
	for _, cmd := range cmds {
		err = errors.Join(err, cmd.Wait())
	}
	return err
}

// oneProgram makes ioctls on one open file.
func oneProgram() error {
	fd, err := unix.Open(node, unix.O_RDWR, 0)
	for in := range uint64(50) {
		out, also := call(fd, ioctlAdd, in)
		err = errors.Join(err, also, expect("sum", out, in+1))
	}
	return err
}

// TestLimits executes a program with few descriptors and little memory.
func TestLimits(t *testing.T) { runWithin(t, program(t, "limits")) }

func limitsProgram() error {
	limit := unix.Rlimit{Cur: 40, Max: 40}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	var fds []int
	for {
		fd, err := unix.Open(node, unix.O_RDWR, 0)
		if errors.Is(err, unix.EMFILE) {
			break
		}
		if err != nil {
			return err
		}
		fds = append(fds, fd)
	}
	for _, fd := range fds[1:] {
		if err := unix.Close(fd); err != nil {
			return err
		}
	}
	memory := unix.Rlimit{Cur: 1, Max: 1} // existing mappings are kept
	if err := unix.Setrlimit(unix.RLIMIT_AS, &memory); err != nil {
		return err
	}
	out, err := call(fds[0], ioctlAdd, 1)
	if err := errors.Join(err, expect("sum", out, 2)); err != nil {
		return err
	}
	if _, err := unix.Mmap(fds[0], 0, pageBytes, unix.PROT_READ, unix.MAP_SHARED); !errors.Is(err, unix.ENOMEM) {
		return fmt.Errorf("mapping beyond the limit: %w", err)
	}
	return nil
}

// TestGone: a device writes to the memory of a caller that was killed meanwhile. Another process may have its number
// by now, so nothing must be written.
func TestGone(t *testing.T) {
	s := &stub{}
	g := begin(t, program(t, "gone"), s)
	_ = g.Wait(t.Context()) // it was killed
	assert.Equal(t, int64(1), s.refused.Load())
}

func goneProgram() error {
	fd, err := unix.Open(node, unix.O_RDWR, 0)
	if err != nil {
		return err
	}
	_, err = call(fd, ioctlKill, 0)
	return err
}

// hostileScripts are programs that resist being ended.
var hostileScripts = map[string]string{
	"ignores signals": `trap "" TERM INT HUP QUIT; echo; while :; do sleep 100; done`,
	"stopped":         `echo; kill -STOP $$`,
	"daemons":         `(trap "" TERM; setsid sh -c 'echo; sleep 100' & ) ; sleep 100`,
	"orphans":         `(sleep 100 & sleep 100 &) ; echo`,
	"forks":           `b() { if [ $1 -gt 0 ]; then b $(($1-1)) & b $(($1-1)) & fi; sleep 100; }; echo; b 6`,
	"hops":            `h() { (h &) ; }; echo; h`,
}

// TestStop ends programs that resist, with all their children. A pipe that all of them have open shows whether any
// still exists.
func TestStop(t *testing.T) {
	commands := map[string]*exec.Cmd{"waits": program(t, "waiters")}
	for name, script := range hostileScripts {
		commands[name] = exec.Command("sh", "-c", script)
	}
	for name, cmd := range commands {
		t.Run(name, func(t *testing.T) {
			r, w, err := os.Pipe()
			require.NoError(t, err)
			defer r.Close()
			cmd.Stdout = w
			g, err := Start(cmd, &stub{}, &Options{Adopt: true})
			guesttest.Started(t, err)
			g.endWithin = time.Minute // on a machine under load
			require.NoError(t, w.Close())
			_, err = r.Read(make([]byte, 1))
			require.NoError(t, err)
			time.Sleep(100 * time.Millisecond)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			err = g.Wait(ctx)
			require.NotErrorIs(t, err, ErrOrphans)
			require.NotErrorIs(t, err, ErrBusy)
			require.NoError(t, r.SetReadDeadline(time.Now().Add(time.Minute)))
			_, err = io.ReadAll(r)
			assert.NoError(t, err, "a process is left")
		})
	}
}

// waitersProgram waits in ioctls on many threads.
func waitersProgram() error {
	fd, err := unix.Open(node, unix.O_RDWR, 0)
	if err != nil {
		return err
	}
	for range 200 {
		go func() { _, _ = call(fd, ioctlWait, 0) }()
	}
	time.Sleep(20 * time.Millisecond)
	fmt.Println()
	_, err = call(fd, ioctlWait, 0)
	return err
}

// TestFIFO opens a FIFO without a writer, by a path that leads through the tree.
func TestFIFO(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	cmd := exec.Command("sh", "-c",
		`cat "/dev/dri/../..$0" "$0" 2>/dev/null & sleep .1; cat /etc/passwd >/dev/null; kill $!`, fifo)
	started := time.Now()
	runWithin(t, cmd)
	assert.Less(t, time.Since(started), 10*time.Second)
}

// TestPackets submits random command buffers to the virtual Radeon.
func TestPackets(t *testing.T) {
	d, err := device.New(device.Options{Chip: "fiji", MemoryBytes: 64 << 20, HangAfter: 10 * time.Millisecond,
		Limit: 10_000})
	require.NoError(t, err)
	g, err := Start(program(t, "packets", long.String()), Card(d), nil)
	guesttest.Started(t, err)
	require.NoError(t, g.Wait(t.Context()))
}

func packetsProgram() error {
	span, err := time.ParseDuration(os.Args[1])
	if err != nil {
		return err
	}
	fd, err := unix.Open(node, unix.O_RDWR, 0)
	if err != nil {
		return err
	}
	ask := func(nr, size uint32, p unsafe.Pointer) error {
		if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(3<<30|size<<16|'d'<<8|nr), uintptr(p)); e != 0 {
			return e
		}
		return nil
	}
	const bytes, va = 1 << 16, 1 << 33
	create := [4]uint64{bytes, 4096, 4}
	if err := ask(0x40, 32, unsafe.Pointer(&create)); err != nil {
		return err
	}
	handle := create[0] & (1<<32 - 1)
	mapping := [1]uint64{handle}
	bind := [5]uint64{handle, 1 | 0xe<<32, va, 0, bytes}
	if err := errors.Join(ask(0x41, 8, unsafe.Pointer(&mapping)), ask(0x48, 40, unsafe.Pointer(&bind))); err != nil {
		return err
	}
	memory, err := unix.Mmap(fd, int64(mapping[0]), bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(7, 7))
	stop := make(chan struct{})
	defer close(stop)
	words := unsafe.Slice((*uint32)(unsafe.Pointer(&memory[0])), 64)
	fill := func(r *rand.Rand) {
		switch i := r.IntN(len(words)); r.IntN(3) {
		case 0:
			words[i] = 3<<30 | r.Uint32N(12)<<16 | r.Uint32N(160)<<8
		case 1:
			words[i] = r.Uint32N(bytes)
		default:
			words[i] = r.Uint32()
		}
	}
	go func() { // the program rewrites packets while they are read
		r := rand.New(rand.NewPCG(8, 8))
		for {
			select {
			case <-stop:
				return
			default:
				fill(r)
			}
		}
	}()
	for end := time.Now().Add(span); time.Now().Before(end); {
		for range words {
			fill(r)
		}
		created := [2]uint64{1}
		if err := ask(0x42, 16, unsafe.Pointer(&created)); err != nil {
			return err
		}
		id := created[0] & (1<<32 - 1)
		ib := [4]uint64{0, va, 4*uint64(len(words)) | uint64(r.IntN(2))<<32}
		chunk := [2]uint64{1 | 8<<32, uint64(uintptr(unsafe.Pointer(&ib)))}
		list := [1]uint64{uint64(uintptr(unsafe.Pointer(&chunk)))}
		submit := [3]uint64{id, 1, uint64(uintptr(unsafe.Pointer(&list)))}
		_ = ask(0x44, 24, unsafe.Pointer(&submit)) // the result does not matter
		free := [2]uint64{2, id}
		_ = ask(0x42, 16, unsafe.Pointer(&free)) // the result does not matter
	}
	var version [8]uint64
	return ask(0, 64, unsafe.Pointer(&version))
}
