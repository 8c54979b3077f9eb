// Package crash converts panics to errors.
package crash

import (
	"fmt"
	"runtime/debug"
)

// Error is a panic, with the data for a bug report.
type Error struct {
	Value any    // argument of panic
	State string // operands of the instruction, and the registers on which every instruction can depend
	Stack string // stack of the goroutine, as printed by runtime/debug
}

// Error returns all of it, on several lines.
func (e *Error) Error() string {
	return fmt.Sprintf("panic: %v\n%s\n%s", e.Value, e.State, e.Stack)
}

// Unwrap returns the panic's value if it is an error.
func (e *Error) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Guard sets err to an [Error] if the function panics. It must be deferred.
func Guard(err *error) {
	if v := recover(); v != nil {
		*err = &Error{Value: v, Stack: string(debug.Stack())}
	}
}
