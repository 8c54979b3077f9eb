package asm

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// ParseInst returns the instruction of a line, which has neither a label nor a comment.
// The error is an *[Error].
func ParseInst(t gcn.Target, line string, s Syntax) (isa.Inst, error) {
	c := cursor{syntax: s, target: t, s: line}
	in, err := c.instruction()
	if err != nil {
		return isa.Inst{}, err.at1(1)
	}
	return in.Inst, nil
}

// at1 converts e to an error in line n.
func (e *syntaxError) at1(line int) *Error {
	return &Error{Line: line, Col: e.at + 1, What: e.what, Err: e.err}
}
