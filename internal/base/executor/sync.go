package executor

import "github.com/gcnsim/gcnsim/state"

// GWSResources is the number of resources of global wave sync.
const GWSResources = 64

// Resource is a barrier or a semaphore of global wave sync. Source: AMD Vega ISA manual,
// DS_GWS_*.
type Resource struct {
	Counter uint32 // number of waves that a barrier still waits for, or credits of a semaphore
	Phase   uint32 // number of times that a barrier has opened
	Queued  uint32 // number of waves that wait for a credit
}

// Sync holds the resources at which waves wait for one another, except S_BARRIER. The resources outlive a work-group;
// DS_ORDERED_COUNT follows the order of the waves in a work-group.
type Sync struct {
	GWS [GWSResources]Resource
	// Passed has, for each ordered counter, the mask of the waves, by ID, that have executed their access; Done has
	// those that will make no more.
	Passed [64]uint64
	Done   uint64
}

// Begin resets the state of the previous work-group.
func (s *Sync) Begin() { s.Passed, s.Done = [64]uint64{}, 0 }

// Blocked is the result of an executor when the wave must wait for another one; the executor has set Wave.Wait. The
// instruction is executed again after other waves have had their turn.
var Blocked = &state.Fault{Kind: state.FaultDeadlock, What: "the wave waits", Lane: state.NoLane}
