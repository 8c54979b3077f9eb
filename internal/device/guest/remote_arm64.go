//go:build linux

package guest

import "errors"

// remoteCall makes a system call in another process.
type remoteCall func(number int, args ...uint64) (result int, err error)

// remoteCalls answers the system call in which a thread waits. On arm64 it cannot make the thread do other calls.
func remoteCalls(_ process, answer func() error, _ func(do remoteCall) error) (answered, err error) {
	return answer(), errors.ErrUnsupported
}
