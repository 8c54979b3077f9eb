//go:build linux && (amd64 || arm64)

package guest

import (
	"maps"

	"golang.org/x/sys/unix"
)

// pathCall gives the positions of a system call's arguments: directory, path and flags.
type pathCall struct {
	do    func(s *server, n *notification, c *pathCall, e *entry, m manner) error
	dir   int // descriptor of the directory that the path is relative to
	path  int
	flags int    // O_ or AT_ flags
	more  int    // buffer or access mode
	fixed uint64 // flags that the call implies
	known uint64 // AT_ flags that are supported, besides those of all calls
	opens bool   // the flags are O_ flags
	above bool   // the call only queries, so it may also reach directories above the tree
}

// absent is the position of an argument that a call does not have.
const absent = -1

// pathCalls are the calls besides ioctl that the filter sends to the listener, by number.
var pathCalls = map[int]*pathCall{}

func init() {
	maps.Copy(pathCalls, map[int]*pathCall{
		unix.SYS_OPENAT:     {do: (*server).open, dir: 0, path: 1, flags: 2, more: absent, opens: true},
		unix.SYS_OPENAT2:    {do: (*server).open, dir: 0, path: 1, flags: absent, more: 2, opens: true},
		unix.SYS_FSTAT:      {do: (*server).stat, dir: 0, path: absent, flags: absent, more: 1, fixed: unix.AT_EMPTY_PATH, above: true},
		sysFstatat:          {do: (*server).stat, dir: 0, path: 1, flags: 3, more: 2, above: true},
		unix.SYS_STATX:      {do: (*server).statx, dir: 0, path: 1, flags: 2, more: 4, known: unix.AT_STATX_FORCE_SYNC | unix.AT_STATX_DONT_SYNC, above: true},
		unix.SYS_FACCESSAT:  {do: (*server).access, dir: 0, path: 1, flags: absent, more: 2, above: true},
		unix.SYS_FACCESSAT2: {do: (*server).access, dir: 0, path: 1, flags: 3, more: 2, known: unix.AT_EACCESS, above: true},
		unix.SYS_READLINKAT: {do: (*server).readlink, dir: 0, path: 1, flags: absent, more: 2, fixed: unix.AT_SYMLINK_NOFOLLOW},
		unix.SYS_GETXATTR:   {do: (*server).attribute, dir: absent, path: 0, flags: absent, more: absent, above: true},
		unix.SYS_LGETXATTR:  {do: (*server).attribute, dir: absent, path: 0, flags: absent, more: absent, fixed: unix.AT_SYMLINK_NOFOLLOW, above: true},
		unix.SYS_LISTXATTR:  {do: (*server).attributes, dir: absent, path: 0, flags: absent, more: absent, above: true},
		unix.SYS_LLISTXATTR: {do: (*server).attributes, dir: absent, path: 0, flags: absent, more: absent, fixed: unix.AT_SYMLINK_NOFOLLOW, above: true},
	})
	maps.Copy(pathCalls, olderCalls)
}

// argument returns argument i of a call, or otherwise if i is absent.
func (n *notification) argument(i int, otherwise uint64) uint64 {
	if i == absent {
		return otherwise
	}
	return n.args[i]
}

// flagsOf returns the flags of a call.
func (n *notification) flagsOf(c *pathCall) uint64 { return n.argument(c.flags, 0) | c.fixed }
