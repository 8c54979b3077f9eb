//go:build unix

// Package child runs commands that users name.
package child

import (
	"os/exec"
	"syscall"
)

// EndTogether makes the child processes of cmd end with it when its context ends. Call it before the command starts.
func EndTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
