package device

import (
	"context"
	"math"
	"sync"
	"syscall"
	"time"
)

// errTime is ETIME of Linux, the system of the clients. Not all hosts have a number of that name.
const errTime = syscall.Errno(62)

// monitor is a mutex whose state others wait for.
type monitor struct {
	sync.Mutex
	changed chan struct{} // closed at the next change; nil if no goroutine waits
}

// broadcast wakes all who wait. The caller holds the lock.
func (m *monitor) broadcast() {
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
}

// next returns a channel that is closed at the next change. The caller holds the lock.
func (m *monitor) next() <-chan struct{} {
	if m.changed == nil {
		m.changed = make(chan struct{})
	}
	return m.changed
}

// wait waits until ready, for as long as the deadline, in nanoseconds of CLOCK_MONOTONIC,
// is not reached: then it is errTime; EINTR if ctx ends. The caller holds the lock, which is
// free meanwhile.
func (m *monitor) wait(ctx context.Context, deadline int64, ready func() bool) syscall.Errno {
	for !ready() {
		if errno := m.change(ctx, deadline); errno != 0 && (errno != errTime || !ready()) {
			return errno
		}
	}
	return 0
}

// change waits for the next change. What it returns is as for wait.
func (m *monitor) change(ctx context.Context, deadline int64) syscall.Errno {
	left := deadline - monotonic()
	if left <= 0 {
		return errTime
	}
	timer := time.NewTimer(time.Duration(left))
	defer timer.Stop()
	next := m.next()
	m.Unlock()
	defer m.Lock()
	select {
	case <-next:
		return 0
	case <-timer.C:
		return errTime
	case <-ctx.Done():
		return syscall.EINTR
	}
}

// forever is a deadline that is not reached.
const forever = math.MaxInt64

// deadlineOf returns an unsigned timeout of amdgpu as a deadline: the largest values are
// for ever.
func deadlineOf(timeout uint64) int64 { return int64(min(timeout, forever)) }
