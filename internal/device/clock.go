package device

import "sync/atomic"

// clock is the timestamp counter, with the frequency gpu_counter_freq. Without a time model it is virtual: it
// advances by one tick for each packet and for every instructionsPerTick instructions. Its values are therefore the
// same each time that a program is executed.
type clock struct {
	ticks  atomic.Uint64
	stamps atomic.Uint64 // number of timestamps that the program has requested
}

// instructionsPerTick is chosen so that dispatches take about as long as on a card with a few tens of CUs.
const instructionsPerTick = 64

func (c *clock) add(n uint64) { c.ticks.Add(n) }

// reach advances the clock to n, unless it is already past n.
func (c *clock) reach(n uint64) {
	for old := c.ticks.Load(); old < n && !c.ticks.CompareAndSwap(old, n); old = c.ticks.Load() {
	}
}

// now returns the time. Each call advances the clock by a tick, so that loops that wait for it end.
func (c *clock) now() uint64 { return c.ticks.Add(1) }

// stamp returns a timestamp for the program and counts it.
func (c *clock) stamp() uint64 {
	c.stamps.Add(1)
	return c.now()
}
