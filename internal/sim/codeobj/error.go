package codeobj

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa/asm"
)

// Error is an error in a code object: what is wrong, where, and what to do about it.
type Error struct {
	Where string // location in the file, for example "ELF header" or "kernel vadd"
	What  string
	Do    string // advice; may be empty
	Err   error  // the cause, if another package detected it
}

// Error returns "code object: where: what; advice".
func (e *Error) Error() string {
	s := "code object: " + short(e.Where) + ": " + short(e.What)
	if e.Do != "" {
		s += "; " + short(e.Do)
	}
	return s
}

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error { return e.Err }

// Advice used in several errors.
const (
	adviseRebuild = "the file is damaged or truncated: build or copy it again"
	adviseLink    = "link it: ld.lld -shared -o k.co k.o"
	adviseSymbol  = "link the object that defines it: ld.lld -shared -o k.co k.o other.o"
	adviseTarget  = "compile for amdgcn-amd-amdhsa with -mcpu of a GCN processor, gfx600 to gfx909"
)

// undefinedError is the error for a symbol that is not defined.
type undefinedError struct{ name string }

func (e *undefinedError) Error() string { return fmt.Sprintf("symbol %q is not defined", e.name) }

// adviseDefining returns advice for a relocation whose symbol has no value.
func adviseDefining(err error) string {
	if e := (*undefinedError)(nil); errors.As(err, &e) {
		return asm.AdviseDefining(e.name, adviseSymbol)
	}
	return adviseSymbol
}

func errorf(where, do, format string, args ...any) *Error {
	return &Error{Where: where, What: fmt.Sprintf(format, args...), Do: do}
}

// short truncates a text from the file that is too long to read.
func short(s string) string {
	const most = 400
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
