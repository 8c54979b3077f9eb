//go:build linux

package guest

import "golang.org/x/sys/unix"

const (
	auditArch  = unix.AUDIT_ARCH_AARCH64
	sysFstatat = unix.SYS_FSTATAT
)

// olderCalls are system calls that newer architectures lack.
var olderCalls = map[int]*pathCall{}
