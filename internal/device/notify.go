package device

import (
	"context"
	"math"
	"sync"
	"syscall"
	"time"
)

// errTime is Linux's error ETIME, which clients expect. The syscall package of other hosts does not define it.
const errTime = syscall.Errno(62)

// monitor is a mutex with a condition: goroutines can wait for changes of the state that it guards.
type monitor struct {
	sync.Mutex
	changed chan struct{} // closed at the next change; nil if no goroutine waits
}

// broadcast wakes all goroutines that wait. The caller holds the lock.
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

// wait blocks until ready returns true. It returns ETIME when the deadline, in nanoseconds of CLOCK_MONOTONIC,
// passes, and EINTR when ctx ends. The caller holds the lock; wait releases it while it blocks.
func (m *monitor) wait(ctx context.Context, deadline int64, ready func() bool) syscall.Errno {
	for !ready() {
		if errno := m.change(ctx, deadline); errno != 0 && (errno != errTime || !ready()) {
			return errno
		}
	}
	return 0
}

// change waits for the next change. It returns the same errors as wait.
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

// forever is a deadline that never passes.
const forever = math.MaxInt64

// deadlineOf converts an unsigned timeout of amdgpu to a deadline. The largest values mean for ever.
func deadlineOf(timeout uint64) int64 { return int64(min(timeout, forever)) }
