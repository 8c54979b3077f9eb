//go:build linux && (amd64 || arm64)

package guest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// target is the object of a call: an entry of the tree, or the error with which the call fails. The zero value says
// that the kernel must execute the call.
type target struct {
	entry *entry
	errno unix.Errno
}

// manner has the arguments of a call besides its path.
type manner struct {
	flags   uint64 // O_ or AT_ flags
	resolve uint64 // RESOLVE_ flags of openat2
	follow  bool   // follow a symbolic link at the end of the path
}

// locate finds the object of a call. It opens nothing. An error says that the kernel must execute the call; the
// kernel will find the same error.
func (s *server) locate(n *notification, c *pathCall) (at target, m manner, err error) {
	p := process(n.tid)
	if m, err = c.manner(n); err != nil {
		return target{}, m, err
	}
	empty := !c.opens && m.flags&unix.AT_EMPTY_PATH != 0
	dir := int(int32(n.argument(c.dir, unix.AT_FDCWD&(1<<64-1))))
	name := ""
	if c.path != absent && (n.args[c.path] != 0 || !empty) {
		if name, err = p.path(n.args[c.path]); err != nil {
			return target{}, m, err
		}
	}
	switch {
	case name == "" && empty && s.cardNode(p, dir) != nil:
		at.entry = s.cardNode(p, dir)
	case cached(name):
		at.errno = unix.ENOENT
	case name != "":
		at, err = s.named(p, c, dir, name, m)
	}
	if at != (target{}) && !valid(s.listener, n.id) {
		return target{}, m, unix.ESRCH // the thread's number may have been reused
	}
	return at, m, err
}

// manner returns the arguments of a call besides its path. An error says that the kernel would refuse the call, or
// that this package does not know a flag.
func (c *pathCall) manner(n *notification) (m manner, err error) {
	m.flags = n.flagsOf(c)
	if n.nr == unix.SYS_OPENAT2 {
		if m.flags, m.resolve, err = openHow(process(n.tid), n.args[c.more], n.args[3]); err != nil {
			return m, err
		}
	}
	if !c.opens {
		const known = unix.AT_EMPTY_PATH | unix.AT_SYMLINK_NOFOLLOW | unix.AT_NO_AUTOMOUNT
		if m.flags&^(known|c.known) != 0 {
			return m, unix.EINVAL
		}
		m.follow = m.flags&unix.AT_SYMLINK_NOFOLLOW == 0
		return m, nil
	}
	const makes = unix.O_CREAT | unix.O_EXCL
	if m.flags&unix.O_PATH != 0 {
		m.flags &= unix.O_PATH | unix.O_CLOEXEC | unix.O_DIRECTORY | unix.O_NOFOLLOW
	}
	m.follow = m.flags&unix.O_NOFOLLOW == 0 && m.flags&makes != makes
	return m, nil
}

// resolveCached is RESOLVE_CACHED, from linux/openat2.h.
const resolveCached = 0x20

// openHow reads the struct of openat2. It refuses what the kernel refuses, and flags that only later kernels know.
func openHow(p process, addr, size uint64) (flags, resolve uint64, err error) {
	const (
		scope = unix.RESOLVE_BENEATH | unix.RESOLVE_IN_ROOT
		known = scope | unix.RESOLVE_NO_XDEV | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_SYMLINKS | resolveCached
	)
	var how [unix.SizeofOpenHow]byte
	if size != uint64(len(how)) {
		return 0, 0, unix.EINVAL
	}
	if err := p.ReadAt(how[:], addr); err != nil {
		return 0, 0, err
	}
	word := func(i int) uint64 { return binary.NativeEndian.Uint64(how[8*i:]) }
	flags, mode, resolve := word(0), word(1), word(2)
	if flags>>32 != 0 || resolve&^known != 0 || resolve&scope == scope ||
		mode != 0 && flags&(unix.O_CREAT|unix.O_TMPFILE) == 0 {
		return 0, 0, unix.EINVAL
	}
	return flags, resolve, nil
}

// cardNode returns the card's device file by which a descriptor was opened, or that it names (O_PATH). It is nil for
// other files.
func (s *server) cardNode(p process, fd int) *entry {
	key, err := keyOf(p.descriptor(fd))
	if err != nil {
		return nil
	}
	for _, name := range []string{node, kfdNode} {
		if e := s.tree.entries[name]; e != nil && e.key == key {
			return e
		}
	}
	return s.tree.entries[s.files.nodeOf(key)]
}

// named returns the object that a path leads to.
func (s *server) named(p process, c *pathCall, dir int, name string, m manner) (at target, err error) {
	q := lookup{base: "/", name: name, follow: m.follow, resolve: m.resolve, jump: p.magicLink}
	if !path.IsAbs(name) || m.resolve&unix.RESOLVE_IN_ROOT != 0 {
		if q.base, err = p.directory(dir); err != nil {
			return target{}, err
		}
	}
	f := s.tree.resolve(&q)
	switch {
	case f.entry != nil && f.above && !c.above:
		return target{}, nil
	case f.entry != nil:
		at.entry = f.entry
	case f.last && c.opens && m.flags&unix.O_CREAT != 0:
		at.errno = unix.EACCES
	case f.errno != 0:
		at.errno = f.errno
	default:
		return target{}, nil
	}
	if here, err := homeOf(p); err != nil || *here != *s.tree.home {
		return target{}, err
	}
	return at, nil
}

// magicLink returns the target of a magic link of /proc/self.
func (p process) magicLink(link string) (string, error) {
	var fd int
	if n, _ := fmt.Sscanf(link, "fd/%d", &fd); link != "cwd" && link != "root" &&
		(n == 0 || link != fmt.Sprintf("fd/%d", fd)) {
		return "", unix.ENOENT
	}
	return os.Readlink(p.ofProc(link))
}

// finish ends a call with the error number of err.
func (s *server) finish(n *notification, value int, err error) error {
	if err != nil {
		return respond(s.listener, n.id, 0, errnoOf(err))
	}
	return respond(s.listener, n.id, value, 0)
}

// give copies b to the memory of the caller and ends its call with value.
func (s *server) give(n *notification, b []byte, addr uint64, value int) error {
	c := caller{process: process(n.tid), listener: s.listener, id: n.id}
	if c.WriteAt(b, addr) != nil {
		return s.finish(n, 0, unix.EFAULT)
	}
	return s.finish(n, value, nil)
}

// open implements open, openat, openat2 and creat.
func (s *server) open(n *notification, _ *pathCall, e *entry, m manner) error {
	fd, err := s.descriptor(e, int(m.flags))
	if err != nil {
		return s.finish(n, 0, err)
	}
	theirs, err := inject(s.listener, n.id, fd, m.flags&unix.O_CLOEXEC != 0)
	_ = unix.Close(fd) // nothing was written
	return s.finish(n, theirs, err)
}

// descriptor opens an entry as if its file system were read-only. For O_PATH it opens the entry for reading, because
// the kernel cannot pass on a descriptor that was opened with O_PATH.
func (s *server) descriptor(e *entry, flags int) (int, error) {
	const makes = unix.O_CREAT | unix.O_EXCL
	const temporary = unix.O_TMPFILE &^ unix.O_DIRECTORY
	writes := flags&(unix.O_ACCMODE|unix.O_TRUNC) != 0
	named := flags&unix.O_PATH != 0
	isDir := e.kind == unix.S_IFDIR
	switch {
	case flags&unix.O_DIRECTORY != 0 && !isDir:
		return -1, unix.ENOTDIR
	case flags&temporary != 0:
		return -1, unix.EOPNOTSUPP
	case flags&makes == makes:
		return -1, unix.EEXIST
	case isDir && (writes || flags&unix.O_CREAT != 0):
		return -1, unix.EISDIR
	case e.kind == unix.S_IFLNK:
		return -1, unix.ELOOP
	case e.kind == unix.S_IFCHR && !named:
		name, open := node, s.device.Open
		if e == s.tree.entries[kfdNode] {
			name, open = kfdNode, s.device.OpenKFD
		}
		fd, err := s.files.add(name, open)
		if err != nil {
			s.options.logf("the card cannot be opened: %v", err)
		}
		return fd, err
	case writes:
		return -1, unix.EACCES
	}
	// O_NONBLOCK, because a program that owns the file may have a lease on it.
	fd, err := unix.Open(reopen(e.fd), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags&unix.O_NONBLOCK); err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// reopen returns a path through which this process can open the file behind one of its descriptors again.
func reopen(fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }

// stat implements stat, lstat, fstat and newfstatat.
func (s *server) stat(n *notification, c *pathCall, e *entry, _ manner) error {
	var st unix.Stat_t
	if err := unix.Fstatat(e.fd, "", &st, unix.AT_EMPTY_PATH); err != nil {
		return s.finish(n, 0, err)
	}
	if e.kind == unix.S_IFCHR {
		st.Mode, st.Size, st.Blocks = nodeMode, 0, 0
		st.Rdev = unix.Mkdev(e.major, e.minor)
	}
	return s.give(n, raw(&st), n.args[c.more], 0)
}

// statx implements statx.
func (s *server) statx(n *notification, c *pathCall, e *entry, m manner) error {
	var st unix.Statx_t
	const sync = unix.AT_STATX_FORCE_SYNC | unix.AT_STATX_DONT_SYNC
	if err := unix.Statx(e.fd, "", int(m.flags)&sync|unix.AT_EMPTY_PATH, int(n.args[3]), &st); err != nil {
		return s.finish(n, 0, err)
	}
	if e.kind == unix.S_IFCHR {
		st.Mode, st.Size, st.Blocks = nodeMode, 0, 0
		st.Rdev_major, st.Rdev_minor = e.major, e.minor
	}
	return s.give(n, raw(&st), n.args[c.more], 0)
}

// nodeMode is the mode of a device file that everyone may use.
const nodeMode = unix.S_IFCHR | 0o666

// access implements access, faccessat and faccessat2.
func (s *server) access(n *notification, c *pathCall, e *entry, _ manner) error {
	const all = unix.R_OK | unix.W_OK | unix.X_OK
	mode := n.args[c.more]
	switch {
	case mode&^all != 0:
		return s.finish(n, 0, unix.EINVAL)
	case mode&unix.X_OK != 0 && e.kind != unix.S_IFDIR, mode&unix.W_OK != 0 && e.kind != unix.S_IFCHR:
		return s.finish(n, 0, unix.EACCES)
	}
	return s.finish(n, 0, nil)
}

// readlink implements readlink and readlinkat.
func (s *server) readlink(n *notification, c *pathCall, e *entry, _ manner) error {
	size := int32(n.args[c.more+1])
	if e.kind != unix.S_IFLNK || size <= 0 {
		return s.finish(n, 0, unix.EINVAL)
	}
	link := e.link[:min(len(e.link), int(size))]
	return s.give(n, []byte(link), n.args[c.more], len(link))
}

// attribute implements getxattr and lgetxattr. No file of the tree has an extended attribute.
func (s *server) attribute(n *notification, _ *pathCall, _ *entry, _ manner) error {
	return s.finish(n, 0, unix.ENODATA)
}

// attributes implements listxattr and llistxattr.
func (s *server) attributes(n *notification, _ *pathCall, _ *entry, _ manner) error {
	return s.finish(n, 0, nil)
}

// raw returns the bytes of a struct of the kernel's interface. The struct has no hidden padding; a test compares the
// sizes.
func raw[T unix.Stat_t | unix.Statx_t](v *T) []byte {
	b, err := binary.Append(nil, binary.NativeEndian, v)
	if err != nil {
		panic(err) // cannot happen: all fields have fixed sizes
	}
	return b
}
