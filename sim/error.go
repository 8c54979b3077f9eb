package sim

import "fmt"

// ErrorKind says what a machine refuses.
type ErrorKind uint8

// The kinds of errors.
const (
	BadAccess  ErrorKind = iota // the host reads or writes where nothing is mapped
	BadRange                    // a range cannot be mapped
	BadLaunch                   // a dispatch cannot start
	BadTarget                   // a code object, a program or a wave is for another processor than the machine
	BadTiling                   // tiling registers are the registers of another generation
	BadConfig                   // a setting of a machine or a run has a value that means nothing
	BadWave                     // a bare wave is nil, or its program is for another target
	BadWatcher                  // a watcher is nil, or cannot look at a run together with the others
)

// Error says why a machine does not do what it is asked for before a wave runs; what a wave
// cannot do is a [state.Fault].
type Error struct {
	Kind       ErrorKind
	Addr, Size uint64 // of the access or range, 0 of other kinds
	Kernel     string // the kernel of a launch, or the label of a [Compute]; "" of other kinds
	What       string // what is wrong and, where it is not plain, what to do
}

// Error names the range or the kernel.
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

// badRange says why a range cannot be mapped.
func badRange(addr, size uint64, format string, args ...any) error {
	return &Error{Kind: BadRange, Addr: addr, Size: size, What: fmt.Sprintf(format, args...)}
}

// badLaunch says why a dispatch cannot start.
func badLaunch(kernel, format string, args ...any) error {
	return &Error{Kind: BadLaunch, Kernel: kernel, What: fmt.Sprintf(format, args...)}
}
