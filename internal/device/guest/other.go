//go:build !linux || !(amd64 || arm64)

package guest

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
)

// running is unused on this host: start always returns an error.
type running struct{}

func start(*exec.Cmd, Device, *Options) (*running, error) {
	return nil, &UnsupportedError{
		Call: "answering system calls of another process", Err: errors.ErrUnsupported,
		Help: "it takes Linux on amd64 or arm64, and this is " + runtime.GOOS + " on " + runtime.GOARCH,
	}
}

func (*running) wait(context.Context) error { return errors.ErrUnsupported }
