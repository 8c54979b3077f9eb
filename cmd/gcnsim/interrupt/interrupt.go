// Package interrupt takes the interrupts of the process from its first milliseconds on: Ctrl-C, and SIGTERM, as pkill,
// timeout and Slurm send it. It imports nothing but what signals need, so that Go initializes it before the packages
// that build tables.
package interrupt

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// interrupts are the signals that end a command, after it has removed its temporary files.
var interrupts = []os.Signal{os.Interrupt, syscall.SIGTERM}

// signals receives interrupts from the moment on that this package is initialized.
var signals = listen()

func listen() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, interrupts...)
	return c
}

// insist is how long after an interrupt another one ends the program at once. Those who pass
// signals on may send the first one twice.
const insist = time.Second

// Context returns a context that ends with the first interrupt, also if that came before the call.
// It is called once.
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

// Ignore lets the process continue whatever interrupts come, for one that another process of the command ends: a
// terminal and Slurm send an interrupt to both. The context may have ended before.
func Ignore() {
	ignored.Store(true)
	signal.Ignore(interrupts...)
}

var ignored atomic.Bool

// Release leaves interrupts to the operating system again: they end the program at once.
func Release() { signal.Reset(interrupts...) }
