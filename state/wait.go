package state

import "fmt"

// Wait is what a wave waits for while its instruction waits for other waves.
type Wait struct {
	On    WaitOn
	Index uint8  // of the resource or counter
	Phase uint32 // of the barrier when the wave came to it
}

// WaitOn is a kind of thing to wait for.
type WaitOn uint8

// The kinds.
const (
	NoWait WaitOn = iota
	GWSBarrier
	GWSSemaphore
	OrderedTurn
	ClockTurn
)

var waitNames = [...]string{NoWait: "nothing", GWSBarrier: "the barrier of GWS resource", GWSSemaphore: "the semaphore of GWS resource", OrderedTurn: "its turn at ordered counter", ClockTurn: "others to reach its time on clock"}

// String says what is waited for.
func (w Wait) String() string { return fmt.Sprintf("%s %d", waitNames[w.On], w.Index) }
