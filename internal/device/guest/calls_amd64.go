//go:build linux

package guest

import "golang.org/x/sys/unix"

const (
	auditArch  = unix.AUDIT_ARCH_X86_64
	sysFstatat = unix.SYS_NEWFSTATAT
)

// olderCalls are the system calls that newer architectures do not have, by number.
var olderCalls = map[int]*pathCall{
	unix.SYS_OPEN:     {do: (*server).open, dir: absent, path: 0, flags: 1, more: absent, opens: true},
	unix.SYS_CREAT:    {do: (*server).open, dir: absent, path: 0, flags: absent, more: absent, fixed: unix.O_CREAT | unix.O_WRONLY | unix.O_TRUNC, opens: true},
	unix.SYS_STAT:     {do: (*server).stat, dir: absent, path: 0, flags: absent, more: 1, above: true},
	unix.SYS_LSTAT:    {do: (*server).stat, dir: absent, path: 0, flags: absent, more: 1, fixed: unix.AT_SYMLINK_NOFOLLOW, above: true},
	unix.SYS_ACCESS:   {do: (*server).access, dir: absent, path: 0, flags: absent, more: 1, above: true},
	unix.SYS_READLINK: {do: (*server).readlink, dir: absent, path: 0, flags: absent, more: 1, fixed: unix.AT_SYMLINK_NOFOLLOW},
}
