package sim

import "fmt"

// ErrorKind classifies an [Error].
type ErrorKind uint8

// The kinds of errors.
const (
	BadAccess  ErrorKind = iota // the host accesses an address at which nothing is mapped
	BadRange                    // a range cannot be mapped
	BadLaunch                   // a dispatch cannot start
	BadTarget                   // a code object, a program or a wave is for another processor than the machine's
	BadTiling                   // the tiling registers belong to another generation
	BadConfig                   // a setting of a machine or a run has an invalid value
	BadWave                     // a wave is nil, or its program is for another target
	BadWatcher                  // a watcher is nil, or incompatible with the others
)

// Error is returned when a machine refuses a request before a wave executes. If a wave cannot continue, the error is
// a [state.Fault].
type Error struct {
	Kind       ErrorKind
	Addr, Size uint64 // the range that was accessed or mapped; 0 for other kinds
	Kernel     string // the kernel of a launch, or the label of a [Compute]; "" for other kinds
	What       string // the problem and, if it is not obvious, how to solve it
}

// Error returns What with the range or the kernel.
func (e *Error) Error() string {
	switch e.Kind { //exhaustive:enforce
	case BadAccess:
		return fmt.Sprintf("cannot access %d bytes at 0x%x: %s", e.Size, e.Addr, e.What)
	case BadRange:
		return fmt.Sprintf("cannot map %d bytes at 0x%x: %s", e.Size, e.Addr, e.What)
	case BadLaunch:
		if e.Kernel == "" {
			return "dispatch: " + e.What
		}
		return fmt.Sprintf("kernel %s: %s", e.Kernel, e.What)
	case BadTarget, BadTiling, BadConfig, BadWave, BadWatcher:
	}
	return e.What
}

// badRange returns the error for a range that cannot be mapped.
func badRange(addr, size uint64, format string, args ...any) error {
	return &Error{Kind: BadRange, Addr: addr, Size: size, What: fmt.Sprintf(format, args...)}
}

// badLaunch returns the error for a dispatch that cannot start.
func badLaunch(kernel, format string, args ...any) error {
	return &Error{Kind: BadLaunch, Kernel: kernel, What: fmt.Sprintf(format, args...)}
}
