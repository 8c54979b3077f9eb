//go:build linux

package guest

import "golang.org/x/sys/unix"

const (
	auditArch  = unix.AUDIT_ARCH_AARCH64
	sysFstatat = unix.SYS_FSTATAT
)

// olderCalls is empty: arm64 has none of the older system calls.
var olderCalls = map[int]*pathCall{}
