// Package crash makes errors of panics.
package crash

import (
	"fmt"
	"runtime/debug"
)

// Error is a panic: what a report of the defect should hold.
type Error struct {
	Value any    // what was panicked with
	State string // operands of the instruction and the registers every instruction can depend on
	Stack string // of the goroutine, as runtime/debug prints it
}

// Error gives all of it, on several lines.
func (e *Error) Error() string {
	return fmt.Sprintf("panic: %v\n%s\n%s", e.Value, e.State, e.Stack)
}

// Unwrap returns the panic's value if it is an error.
func (e *Error) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Guard makes an [Error] of a panic. A function defers it, with the error that it returns.
func Guard(err *error) {
	if v := recover(); v != nil {
		*err = &Error{Value: v, Stack: string(debug.Stack())}
	}
}
