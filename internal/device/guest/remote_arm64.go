//go:build linux

package guest

import "errors"

// remoteCall makes a system call in another process.
type remoteCall func(number int, args ...uint64) (result int, err error)

// remoteCalls answers the system call that a thread waits in. That the thread does others is not there on arm64.
func remoteCalls(_ process, answer func() error, _ func(do remoteCall) error) (answered, err error) {
	return answer(), errors.ErrUnsupported
}
