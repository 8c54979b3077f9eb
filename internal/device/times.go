package device

import "github.com/gcnsim/gcnsim/internal/sim/timing"

// times adds up the times of all dispatches of a file. They share one time model, so its caches stay warm.
type times struct {
	model *timing.Model // nil without a time model, or after it failed
	now   uint64        // cycles
}

// newTimes returns a time model as the options ask.
func (d *Device) newTimes() (t times, err error) {
	if d.options.Timing != nil {
		t.model, err = timing.New(d.chip.Target, *d.options.Timing)
	}
	return t, err
}

// end returns the cycles of the dispatch that ended, and lets the GPU's clock continue.
func (t *times) end(f *File) (cycles uint64) {
	if t.model == nil {
		return 0
	}
	now, err := t.model.Next()
	if err != nil {
		t.fail(f, err)
		return 0
	}
	cycles, t.now = now-t.now, now
	f.engine.clock.reach(f.dev.ticks(now))
	return cycles
}

// fail logs an error of the time model and continues without it.
func (t *times) fail(f *File, err error) {
	if f.ctx.Err() == nil {
		f.logf("no times from here on: %v", err)
	}
	t.model = nil
}

// finish returns the times of the whole file, nil without a time model.
func (t *times) finish(f *File) *timing.Result {
	if t.model == nil {
		return nil
	}
	res, err := t.model.Finish()
	if err != nil {
		t.fail(f, err)
		return nil
	}
	return res
}

// ticks converts cycles of the engine clock to ticks of the time counter.
func (d *Device) ticks(cycles uint64) uint64 {
	const perMicrosecond = counterKHz / 1000
	mhz := uint64(d.options.Timing.ClockMHz)
	return cycles/mhz*perMicrosecond + cycles%mhz*perMicrosecond/mhz
}
