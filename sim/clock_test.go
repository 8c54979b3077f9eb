package sim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// timekeeper is a watcher with a clock.
type timekeeper struct {
	NoWatcher
	Clock
}

func (k timekeeper) Needs() Needs { return Needs{Clock: k.Clock} }

// turns is a clock that lets one more wave read the time each time all waves have had their turn.
type turns struct {
	settled uint64
	ready   bool
	stopped bool
}

func (c *turns) Now(*state.Wave, *gcn.Inst) (uint64, bool) {
	if !c.ready {
		return 0, false
	}
	c.ready = false
	return 100 * c.settled, true
}

func (c *turns) Settle([]*state.Wave) bool {
	c.settled++
	c.ready = !c.stopped
	return c.ready
}

func TestWavesWaitForTheClock(t *testing.T) {
	c := &turns{}
	m := New(gcn.GFX803)
	require.NoError(t, m.Watch(timekeeper{Clock: c}))
	w := m.NewWave()
	_, err := m.RunAsm(context.Background(), w, "s_memtime s[0:1]\ns_nop 0\ns_memtime s[2:3]\ns_memrealtime s[4:5]")
	require.NoError(t, err)
	require.Equal(t, [3]uint64{100, 200, 300 / 8}, [3]uint64{w.Scalar64(0), w.Scalar64(2), w.Scalar64(4)})
	require.EqualValues(t, 4, w.Executed)
	require.EqualValues(t, 3, c.settled, "only where a wave waits")

	c.stopped = true
	_, err = m.RunAsm(context.Background(), m.NewWave(), "s_nop 0\ns_memtime s[0:1]")
	require.ErrorContains(t, err, "wave 0 for others to reach its time on clock 0")
}
