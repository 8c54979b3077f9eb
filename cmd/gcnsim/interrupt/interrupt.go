// Package interrupt handles interrupts from the first milliseconds of the process on: Ctrl-C, and the SIGTERM that
// pkill, timeout and Slurm send. It imports only what signals need, so that Go initializes it before packages that
// build tables.
package interrupt

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// interrupts are the signals that end a command after it has removed its temporary files.
var interrupts = []os.Signal{os.Interrupt, syscall.SIGTERM}

// signals receives interrupts as soon as this package is initialized.
var signals = listen()

func listen() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, interrupts...)
	return c
}

// insist is the time after an interrupt from which another one ends the program at once. Programs that forward
// signals may send the first one twice.
const insist = time.Second

// Context returns a context that ends with the first interrupt, even if that came before the call. Call it only once.
func Context() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-signals
		time.AfterFunc(insist, func() {
			if !ignored.Load() {
				Release()
			}
		})
		cancel()
	}()
	return ctx
}

// Ignore makes the process survive all interrupts, because another process of the same command will end it: a
// terminal and Slurm send an interrupt to both. The context may already have ended.
func Ignore() {
	ignored.Store(true)
	signal.Ignore(interrupts...)
}

var ignored atomic.Bool

// Release restores the operating system's handling, which ends the program at once.
func Release() { signal.Reset(interrupts...) }
