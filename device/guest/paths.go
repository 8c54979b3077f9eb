//go:build linux && (amd64 || arm64)

package guest

import (
	"encoding/binary"
	"errors"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// target is what a call is about.
type target struct {
	kind targetKind
	path string // of a file of the tree, on this machine
}

type targetKind int

const (
	elsewhere targetKind = iota // none of our business
	inTree                      // a file or directory of the tree, or one that is reached through it
	theNode                     // the card, by its path
	opened                      // the card, by a descriptor
	hidden                      // a file that programs do not see
)

// locate finds out what a call is about. The error is that the path cannot be read.
func (s *server) locate(n *notification, c *pathCall) (target, error) {
	p := process(n.tid)
	name := ""
	if c.path != absent {
		var err error
		if name, err = p.path(n.args[c.path]); err != nil {
			return target{}, err
		}
	}
	if !valid(s.listener, n.id) {
		return target{}, unix.ESRCH // its number may be another thread's by now
	}
	dir := int(int32(n.argument(c.dir, unix.AT_FDCWD&(1<<64-1))))
	if name == "" {
		if n.flagsOf(c)&unix.AT_EMPTY_PATH != 0 && s.files.has(p, dir) {
			return target{kind: opened}, nil
		}
		return target{}, nil
	}
	if cached(name) {
		return target{kind: hidden}, nil
	}
	if !filepath.IsAbs(name) {
		base, err := p.directory(dir)
		if err != nil {
			return target{}, err
		}
		name = base + "/" + name
	}
	seen, ours := s.tree.find(name)
	switch {
	case ours && seen == node:
		return target{kind: theNode}, nil
	case ours:
		return target{inTree, s.tree.root + seen}, nil
	case s.tree.leaves(name): // the kernel would not find the way through the tree
		return target{inTree, path.Clean(name)}, nil
	}
	return target{}, nil
}

// finish ends a call with what err says.
func (s *server) finish(n *notification, value int, err error) error {
	if err != nil {
		return respond(s.listener, n.id, 0, errnoOf(err))
	}
	return respond(s.listener, n.id, value, 0)
}

// give ends a call whose result is also b in the memory of the caller.
func (s *server) give(n *notification, b []byte, addr uint64, value int) error {
	if process(n.tid).WriteAt(b, addr) != nil {
		return s.finish(n, 0, unix.EFAULT)
	}
	return s.finish(n, value, nil)
}

// open is open, openat, openat2 and creat.
func (s *server) open(n *notification, c *pathCall, at target) error {
	flags := n.flagsOf(c)
	if n.nr == unix.SYS_OPENAT2 {
		var how [8]byte // flags come first
		if process(n.tid).ReadAt(how[:], n.args[c.more]) != nil {
			return s.finish(n, 0, unix.EFAULT)
		}
		flags = binary.NativeEndian.Uint64(how[:])
	}
	fd, err := s.descriptor(at, int(flags))
	if err != nil {
		if at.kind == theNode && !errors.Is(err, unix.ENOTDIR) && !errors.Is(err, unix.EEXIST) {
			s.options.logf("the card cannot be opened: %v", err)
		}
		return s.finish(n, 0, err)
	}
	theirs, err := inject(s.listener, n.id, fd, flags&unix.O_CLOEXEC != 0)
	_ = unix.Close(fd) // nothing was written
	return s.finish(n, theirs, err)
}

// descriptor opens what a program wants to open.
func (s *server) descriptor(at target, flags int) (int, error) {
	const makes = unix.O_CREAT | unix.O_EXCL
	switch {
	case at.kind == hidden:
		return -1, unix.ENOENT
	case at.kind == theNode && flags&makes == makes:
		return -1, unix.EEXIST
	case at.kind == theNode && flags&unix.O_DIRECTORY != 0:
		return -1, unix.ENOTDIR
	case at.kind == theNode:
		return s.files.add(s.device)
	}
	const writes = unix.O_ACCMODE | unix.O_CREAT | unix.O_TRUNC
	fd, err := unix.Open(at.path, flags&^writes|unix.O_CLOEXEC, 0)
	if err == nil && flags&writes != 0 {
		_ = unix.Close(fd) // nothing was written
		return -1, unix.EACCES
	}
	if errors.Is(err, unix.ENOENT) && flags&unix.O_CREAT != 0 {
		return -1, unix.EACCES
	}
	return fd, err
}

// stat is stat, lstat, fstat and newfstatat.
func (s *server) stat(n *notification, c *pathCall, at target) error {
	var st unix.Stat_t
	if err := s.examine(at, n.flagsOf(c), func(name string, flags int) error {
		return unix.Fstatat(unix.AT_FDCWD, name, &st, flags)
	}); err != nil {
		return s.finish(n, 0, err)
	}
	if at.path == "" {
		st.Mode, st.Size, st.Blocks = nodeMode, 0, 0
		st.Rdev = unix.Mkdev(nodeMajor, nodeMinor)
	}
	return s.give(n, raw(&st), n.args[c.more], 0)
}

// statx is statx.
func (s *server) statx(n *notification, c *pathCall, at target) error {
	var st unix.Statx_t
	if err := s.examine(at, n.flagsOf(c), func(name string, flags int) error {
		return unix.Statx(unix.AT_FDCWD, name, flags, int(n.args[3]), &st)
	}); err != nil {
		return s.finish(n, 0, err)
	}
	if at.path == "" {
		st.Mode, st.Size, st.Blocks = nodeMode, 0, 0
		st.Rdev_major, st.Rdev_minor = nodeMajor, nodeMinor
	}
	return s.give(n, raw(&st), n.args[c.more], 0)
}

// nodeMode is that of a device that everyone may use.
const nodeMode = unix.S_IFCHR | 0o666

// examine asks about a file of the tree; the card has one there, too, which tells all but
// that it is a device.
func (s *server) examine(at target, flags uint64, ask func(name string, flags int) error) error {
	switch at.kind {
	case hidden:
		return unix.ENOENT
	case inTree:
		return ask(at.path, int(flags)&^unix.AT_EMPTY_PATH)
	}
	return ask(s.tree.root+node, 0)
}

// access is access, faccessat and faccessat2.
func (s *server) access(n *notification, c *pathCall, at target) error {
	mode := uint32(n.args[c.more])
	switch {
	case at.kind == hidden:
		return s.finish(n, 0, unix.ENOENT)
	case at.kind != inTree && mode&unix.X_OK != 0, at.kind == inTree && mode&unix.W_OK != 0:
		return s.finish(n, 0, unix.EACCES)
	case at.kind == inTree:
		return s.finish(n, 0, unix.Faccessat(unix.AT_FDCWD, at.path, mode, 0))
	}
	return s.finish(n, 0, nil)
}

// readlink is readlink and readlinkat.
func (s *server) readlink(n *notification, c *pathCall, at target) error {
	size := int32(n.args[c.more+1])
	switch {
	case at.kind == hidden:
		return s.finish(n, 0, unix.ENOENT)
	case at.kind != inTree || size <= 0:
		return s.finish(n, 0, unix.EINVAL)
	}
	link, err := os.Readlink(at.path)
	if err != nil {
		return s.finish(n, 0, err)
	}
	link = link[:min(len(link), int(size))]
	return s.give(n, []byte(link), n.args[c.more], len(link))
}

// attribute is getxattr and lgetxattr: no file of the tree has an extended attribute.
func (s *server) attribute(n *notification, _ *pathCall, at target) error {
	if at.kind == hidden {
		return s.finish(n, 0, unix.ENOENT)
	}
	return s.finish(n, 0, unix.ENODATA)
}

// attributes is listxattr and llistxattr.
func (s *server) attributes(n *notification, _ *pathCall, at target) error {
	if at.kind == hidden {
		return s.finish(n, 0, unix.ENOENT)
	}
	return s.finish(n, 0, nil)
}

// raw returns the bytes of a struct of the kernel's interface. It has no hidden padding: a
// test compares the sizes.
func raw[T unix.Stat_t | unix.Statx_t](v *T) []byte {
	b, err := binary.Append(nil, binary.NativeEndian, v)
	if err != nil {
		panic(err) // their fields have fixed sizes
	}
	return b
}
