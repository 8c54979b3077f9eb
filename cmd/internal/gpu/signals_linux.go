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
	// grace is the time that a program gets to end after a signal.
	grace = 600 * time.Millisecond
	// insist is the time in which a second interrupt ends everything, and in which the end of a program is attributed
	// to the first interrupt. A second interrupt within repeated is the first one, forwarded by another process.
	insist   = 2 * time.Second
	repeated = 50 * time.Millisecond
)

// signals forwards signals that end or control a program.
type signals struct {
	in   chan os.Signal
	stop context.CancelCauseFunc // ends the supervision

	mu          sync.Mutex
	interrupted time.Time // time of the last interrupt
	last        unix.Signal
	orphaned    bool // the program has ended
	faulted     bool // a context was lost
}

// stopped is the error that a signal ended the supervision before the program ended.
type stopped struct{ by unix.Signal }

// Error names the signal.
func (s stopped) Error() string { return fmt.Sprintf("stopped by %v", s.by) }

// catch starts to catch signals. They are kept until the program has started. The returned context ends when a signal
// asks to end everything.
func catch(ctx context.Context) (context.Context, *signals) {
	s := &signals{in: make(chan os.Signal, 8)}
	signal.Notify(s.in, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP, unix.SIGUSR1, unix.SIGUSR2)
	// An interrupt ends the caller's context. Here it must first reach the program.
	ctx, s.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	return ctx, s
}

// pass forwards signals to the program until release. Signals from a terminal reach the program without it.
func (s *signals) pass(p *os.Process) {
	go func() {
		for sig := range s.in {
			sig := sig.(unix.Signal)
			if sig != unix.SIGINT && sig != unix.SIGQUIT || !inForeground() {
				_ = p.Signal(sig) // the program may have ended
			}
			s.judge(sig)
		}
	}()
}

// lose records that a context of the program was lost. The program may wait for it for ever and ignore interrupts.
func (s *signals) lose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faulted = true
}

// judge ends the supervision if a signal asks for it: soon after SIGTERM, SIGHUP, or an interrupt when a context was
// lost; at the second of two interrupts; or at the first one if only orphans still execute.
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

// orphans records that the program has ended while processes that it started still execute. It reports whether to
// wait for them. It does not wait if an interrupt ended the program.
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

// release stops to catch signals.
func (s *signals) release() {
	signal.Stop(s.in)
	close(s.in)
	s.stop(nil)
}

// inForeground reports whether interrupts typed on the terminal reach this process and its children.
func inForeground() bool {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false // no terminal
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// exitStatus returns the exit status that a shell would report. If a signal asked for the end and the program was
// killed, the status is that of the signal.
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
