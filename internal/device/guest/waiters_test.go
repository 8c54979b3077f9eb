//go:build linux && (amd64 || arm64)

package guest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// TestManyCallersAreLookedAtByTurns: checking waiting callers takes little time of each round, however many there
// are, and each caller is checked eventually.
func TestManyCallersAreLookedAtByTurns(t *testing.T) {
	effort.Long(t)
	const many = 1000
	const noListener = -1 // no call is valid
	var c callers
	ended := make([]context.Context, many)
	for i := range ended {
		ctx, done := c.begin(t.Context(), uint64(i), process(unix.Getpid()))
		defer done()
		ended[i] = ctx
	}
	count := func() (n int) {
		for _, ctx := range ended {
			if ctx.Err() != nil {
				n++
			}
		}
		return n
	}
	begun := func(at time.Time) {
		for e := c.running.Front(); e != nil; e = e.Next() {
			e.Value.(*runningCall).since = at
		}
	}
	begun(time.Now().Add(time.Hour)) // in the future, however long this test takes
	c.cancelGone(noListener)
	assert.Zero(t, count(), "calls that have just begun")
	begun(time.Time{})
	c.cancelGone(noListener)
	assert.Less(t, count(), many, "reading as many files of /proc takes longer than a round")
	for range many {
		c.cancelGone(noListener)
	}
	assert.Equal(t, many, count())
}

// TestCallsEndWithTheirFile: when no process has a file open, its calls end, and then the file is
// closed.
func TestCallsEndWithTheirFile(t *testing.T) {
	var open files
	s := &stub{}
	theirs, err := open.add(node, s.Open)
	require.NoError(t, err)
	f := open.of(process(unix.Getpid()), theirs)
	require.NotNil(t, f)
	require.Empty(t, open.unused())
	require.NoError(t, f.ctx.Err())
	require.NoError(t, unix.Close(theirs))
	require.Empty(t, open.unused(), "a call runs")
	require.Error(t, f.ctx.Err())
	open.done(f)
	require.Equal(t, []*openFile{f}, open.unused())
	f.end(t.Logf)
	assert.Equal(t, int64(1), s.closed.Load())
}
