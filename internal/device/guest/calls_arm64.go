//go:build linux

package guest

import "golang.org/x/sys/unix"

const (
	auditArch  = unix.AUDIT_ARCH_AARCH64
	sysFstatat = unix.SYS_FSTATAT
)

// olderCalls are those that newer architectures have not.
var olderCalls = map[int]*pathCall{}
