package state

// Wait says for which event a wave waits while its instruction waits for other waves.
type Wait uint8

// What waves wait for.
const (
	NoWait Wait = iota
	GWSBarrier
	GWSSemaphore
	OrderedTurn
	ClockTurn
	NumWaits = iota
)
