package gpu

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// signals are those that end or steer a program, to be passed on.
type signals chan os.Signal

// catch begins to catch signals. They wait until there is a program.
func catch() signals {
	s := make(signals, 8)
	signal.Notify(s, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP, unix.SIGUSR1, unix.SIGUSR2)
	return s
}

// pass passes them on to a program, until they are released. Those that a terminal sends go
// to the program without help.
func (s signals) pass(p *os.Process) {
	go func() {
		for sig := range s {
			if (sig == unix.SIGINT || sig == unix.SIGQUIT) && inForeground() {
				continue
			}
			_ = p.Signal(sig) // that it has ended already is no error
		}
	}()
}

// release ends catching.
func (s signals) release() {
	signal.Stop(s)
	close(s)
}

// inForeground reports whether what is typed on the terminal reaches this process and what
// it started.
func inForeground() bool {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false // there is none
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// exitStatus is what a shell says of how a process ended.
func exitStatus(p *os.ProcessState) int {
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return p.ExitCode()
}
