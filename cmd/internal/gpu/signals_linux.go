package gpu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// grace is how long a program may take to end after a signal that asks it to.
	grace = 600 * time.Millisecond
	// insist is within which time a second interrupt ends everything, and a program that ends
	// has ended because of the first one. repeated is how soon a second one is the first one,
	// passed on by somebody else.
	insist   = 2 * time.Second
	repeated = 50 * time.Millisecond
)

// signals are the signals that are passed on: they end or steer a program.
type signals struct {
	in   chan os.Signal
	stop context.CancelCauseFunc // ends the run

	mu          sync.Mutex
	interrupted time.Time // when the last interrupt came
	last        unix.Signal
	orphaned    bool // the program has ended
	faulted     bool // a context was lost
}

// stopped is why a run is ended before the program has.
type stopped struct{ by unix.Signal }

// Error says which signal has ended the run.
func (s stopped) Error() string { return fmt.Sprintf("stopped by %v", s.by) }

// catch begins to catch signals. They wait until there is a program. The context ends when
// they ask for the end of everything.
func catch(ctx context.Context) (context.Context, *signals) {
	s := &signals{in: make(chan os.Signal, 8)}
	signal.Notify(s.in, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP, unix.SIGUSR1, unix.SIGUSR2)
	// An interrupt ends the caller's context; here it is first of all the program's.
	ctx, s.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	return ctx, s
}

// pass passes them on to a program, until they are released. Those that a terminal sends go
// to the program without help.
func (s *signals) pass(p *os.Process) {
	go func() {
		for sig := range s.in {
			sig := sig.(unix.Signal)
			if sig != unix.SIGINT && sig != unix.SIGQUIT || !inForeground() {
				_ = p.Signal(sig) // that it has ended already is no error
			}
			s.judge(sig)
		}
	}()
}

// lose says that a context of the program was lost: it may wait for ever for what that was to do, and deal with no
// interrupt.
func (s *signals) lose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faulted = true
}

// judge ends the run if a signal asks for it: soon after SIGTERM, SIGHUP, and an interrupt when a context was lost, at
// the second of two interrupts and at the first one if only orphans are waited for.
func (s *signals) judge(sig unix.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cause := stopped{sig}
	switch sig {
	case unix.SIGTERM, unix.SIGHUP:
		time.AfterFunc(grace, func() { s.stop(cause) })
	case unix.SIGINT, unix.SIGQUIT:
		since := time.Since(s.interrupted)
		if since < repeated {
			return
		}
		switch {
		case s.orphaned || since < insist:
			s.stop(cause)
		case s.faulted:
			time.AfterFunc(grace, func() { s.stop(cause) })
		}
		s.interrupted, s.last = time.Now(), sig
	}
}

// orphans says that the program has ended and processes that it started have not. It reports
// whether they are waited for: they are not if the program has ended by an interrupt.
func (s *signals) orphans() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.orphaned = true
	if time.Since(s.interrupted) >= insist {
		return true
	}
	s.stop(stopped{s.last})
	return false
}

// release ends catching.
func (s *signals) release() {
	signal.Stop(s.in)
	close(s.in)
	s.stop(nil)
}

// inForeground reports whether what is typed on the terminal reaches this process and what
// it started.
func inForeground() bool {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false // there is no terminal
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// exitStatus returns the status that a shell reports for a process. A program that was killed because
// a signal asked for the end has ended by that signal.
func exitStatus(ctx context.Context, p *os.ProcessState) int {
	w, ok := p.Sys().(syscall.WaitStatus)
	if !ok || !w.Signaled() {
		return p.ExitCode()
	}
	if by := (stopped{}); w.Signal() == unix.SIGKILL && errors.As(context.Cause(ctx), &by) {
		return 128 + int(by.by)
	}
	return 128 + int(w.Signal())
}
