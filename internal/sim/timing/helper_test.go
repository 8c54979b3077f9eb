package timing

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/tool/crash"
)

// TestHelper: wait returns when all tasks are complete, on any number of cores, and the goroutine of an idle helper
// ends, which synctest.Test waits for.
func TestHelper(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, cores := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(cores)
		synctest.Test(t, func(t *testing.T) {
			h := newHelper()
			for i := range 1000 {
				var done atomic.Int32
				tasks := i % (maxPending + 1)
				for range tasks {
					h.start(func() { done.Add(1) })
				}
				require.NoError(t, h.wait())
				require.EqualValues(t, tasks, done.Load())
			}
		})
	}
}

// TestHelperPanics: a panic in a task is the error of wait, whoever executes the task, and is not repeated for later
// tasks.
func TestHelperPanics(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, cores := range []int{1, 4} {
		runtime.GOMAXPROCS(cores)
		h := newHelper()
		for range 100 {
			h.start(func() { panic("wrong") })
			h.start(func() {})
			var err *crash.Error
			require.ErrorAs(t, h.wait(), &err)
			assert.Equal(t, "wrong", err.Value)
			h.start(func() {})
			require.NoError(t, h.wait())
		}
	}
}

// TestHelperBegun: wait does not execute a task that the helper has started.
func TestHelperBegun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	h := newHelper()
	for range 100 {
		begun, end, times := make(chan struct{}), make(chan struct{}), 0
		h.start(func() {
			times++
			close(begun)
			<-end
		})
		<-begun
		go close(end)
		require.NoError(t, h.wait())
		require.Equal(t, 1, times)
	}
}
