package executor

import "github.com/gcnsim/gcnsim/state"

// GWSResources is the number of resources of global wave sync.
const GWSResources = 64

// Resource is a barrier or a semaphore of global wave sync. Source: AMD Vega ISA manual,
// DS_GWS_*.
type Resource struct {
	Counter uint32 // waves that a barrier still waits for, or credits of a semaphore
	Phase   uint32 // how many times a barrier has opened
	Queued  uint32 // waves that wait for a credit
}

// Sync holds the resources at which waves wait for one another, besides S_BARRIER. They outlive a
// work-group; the order of DS_ORDERED_COUNT is the order of the waves of one.
type Sync struct {
	GWS [GWSResources]Resource
	// Passed holds for each ordered counter the waves, by ID, that have passed their
	// turn on; Done those that will not take part any more.
	Passed [64]uint64
	Done   uint64
}

// Begin forgets the waves of the work-group before.
func (s *Sync) Begin() { s.Passed, s.Done = [64]uint64{}, 0 }

// Blocked is returned by an executor instead of a fault when the wave must wait for
// another one; it has set Wave.Wait. The instruction is executed again when other waves
// have had their turn.
var Blocked = &state.Fault{Kind: state.FaultDeadlock, What: "the wave waits", Lane: state.NoLane}
