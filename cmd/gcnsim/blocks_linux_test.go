//go:build linux && amd64

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gcnsim/gcnsim/internal/base/block"
)

// refuseExecutable makes the system refuse executable memory to this process and its children, like a security
// module. It sets a seccomp filter that makes mprotect with PROT_EXEC fail.
func refuseExecutable() error {
	const (
		load, jumpIf, jumpIfSet, ret = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K,
			unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, unix.BPF_RET | unix.BPF_K
		numberAt, protectionAt = 0, 16 + 2*8 // in struct seccomp_data
	)
	filter := []unix.SockFilter{
		{Code: load, K: numberAt},
		{Code: jumpIf, K: unix.SYS_MPROTECT, Jf: 3},
		{Code: load, K: protectionAt},
		{Code: jumpIfSet, K: unix.PROT_EXEC, Jf: 1},
		{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)},
		{Code: ret, K: unix.SECCOMP_RET_ALLOW},
	}
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER,
		uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	return nil
}

// TestNoExecutableMemory: if the system refuses executable memory, the command interprets programs, and says so.
func TestNoExecutableMemory(t *testing.T) {
	const child = "GCNSIM_TEST_REFUSED"
	gcnsim, err := exec.LookPath("gcnsim")
	require.NoError(t, err)
	if os.Getenv(child) != "" {
		require.NoError(t, refuseExecutable())
		args := []string{"gcnsim", "--version", "-v"}
		if spec := os.Getenv(child); spec != "version" {
			args = []string{"gcnsim", "run", spec}
		}
		require.NoError(t, syscall.Exec(gcnsim, args, os.Environ()))
	}
	if why := block.Unavailable(); why != "" {
		t.Skip(why)
	}
	output := func(what string) string {
		self, err := os.Executable()
		require.NoError(t, err)
		cmd := exec.Command(self, "-test.run=^TestNoExecutableMemory$")
		cmd.Env = append(os.Environ(), child+"="+what, "GCNSIM_BLOCKS=hot")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	assert.Contains(t, output("version"), "no compiled blocks: the system gives no executable memory: permission denied\n")
	spec, err := filepath.Abs("../../testdata/kernels/mandelbrot.fiji.json")
	require.NoError(t, err)
	want, err := exec.Command("gcnsim", "run", spec).CombinedOutput()
	require.NoError(t, err, "%s", want)
	assert.Equal(t, string(want), output(spec))
}
