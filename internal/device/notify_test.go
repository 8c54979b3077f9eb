package device

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestChange: a wait for a change distinguishes a change from the deadline, also if the deadline passes during the
// wait.
func TestChange(t *testing.T) {
	var m monitor
	m.Lock()
	defer m.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	for _, after := range []time.Duration{-1, 0, time.Millisecond} {
		assert.Equal(t, errTime, m.change(ctx, monotonic()+int64(after)), after)
	}
	go func() {
		m.Lock()
		defer m.Unlock()
		m.broadcast()
	}()
	assert.Zero(t, m.change(ctx, forever))
	cancel()
	assert.Equal(t, syscall.EINTR, m.change(ctx, forever))

	// At the deadline the condition is checked again, because it may have become true without a change.
	asked := 0
	assert.Zero(t, m.wait(t.Context(), monotonic()+int64(time.Millisecond), func() bool { asked++; return asked > 1 }))
	assert.Equal(t, errTime, m.wait(t.Context(), monotonic()+int64(time.Millisecond), func() bool { return false }))
}
