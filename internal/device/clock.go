package device

import "sync/atomic"

// clock is the counter of gpu_counter_freq that timestamps read. Without a time model it
// is virtual: a tick for each packet, and for every so many instructions, so that it is the
// same each time a program runs.
type clock struct {
	ticks  atomic.Uint64
	stamps atomic.Uint64 // how often the program has asked what time it is
}

// instructionsPerTick makes dispatches about as long as on a card with a few tens of CUs.
const instructionsPerTick = 64

func (c *clock) add(n uint64) { c.ticks.Add(n) }

// reach lets the time be at least n.
func (c *clock) reach(n uint64) {
	for old := c.ticks.Load(); old < n && !c.ticks.CompareAndSwap(old, n); old = c.ticks.Load() {
	}
}

// now returns the time. Each look takes a tick: it never stands still for who waits for it.
func (c *clock) now() uint64 { return c.ticks.Add(1) }

// stamp returns the time for the program.
func (c *clock) stamp() uint64 {
	c.stamps.Add(1)
	return c.now()
}
