package codeobj

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa/asm"
)

// Error says what is wrong with a code object, where, and what to do about it.
type Error struct {
	Where string // the part of the file, as in "ELF header" or "kernel vadd"
	What  string
	Do    string // advice; may be empty
	Err   error  // the cause, if another package found it
}

// Error returns "code object: where: what; advice".
func (e *Error) Error() string {
	s := "code object: " + short(e.Where) + ": " + short(e.What)
	if e.Do != "" {
		s += "; " + short(e.Do)
	}
	return s
}

// Unwrap returns the cause, nil if there is none.
func (e *Error) Unwrap() error { return e.Err }

// Advice that several errors share.
const (
	adviseRebuild = "the file is damaged or truncated: build or copy it again"
	adviseLink    = "link it: ld.lld -shared -o k.co k.o"
	adviseSymbol  = "link the object that defines it: ld.lld -shared -o k.co k.o other.o"
	adviseTarget  = "compile for amdgcn-amd-amdhsa with -mcpu of a GCN processor, gfx600 to gfx909"
)

// undefinedError says that a symbol is not defined.
type undefinedError struct{ name string }

func (e *undefinedError) Error() string { return fmt.Sprintf("symbol %q is not defined", e.name) }

// adviseDefining returns what to do about a relocation that refers to no symbol with a value.
func adviseDefining(err error) string {
	if e := (*undefinedError)(nil); errors.As(err, &e) {
		return asm.AdviseDefining(e.name, adviseSymbol)
	}
	return adviseSymbol
}

func errorf(where, do, format string, args ...any) *Error {
	return &Error{Where: where, What: fmt.Sprintf(format, args...), Do: do}
}

// short cuts a text that holds something of the file which is too long to read.
func short(s string) string {
	const most = 400
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
