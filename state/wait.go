package state

// Wait is the event that a wave waits for while its instruction depends on other waves.
type Wait uint8

// The events that waves wait for.
const (
	NoWait Wait = iota
	GWSBarrier
	GWSSemaphore
	OrderedTurn
	ClockTurn
	NumWaits = iota
)
