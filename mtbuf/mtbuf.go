// Package mtbuf executes the typed buffer instructions, whose data and number format are
// in the instruction. Addressing and conversion are the rules of the FORMAT instructions in
// package mubuf. Sources: the handbook's chapters on buffers and their data.
package mtbuf

import (
	"errors"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	_ "github.com/gcnsim/gcnsim/mubuf" // has executor.BindTyped
)

func init() { executor.Executes(bind, isa.MTBUF) }

// bind returns how in executes. Exec is nil, with the reason in Why, if the instruction or this
// form of it does not execute here.
func bind(in *isa.Inst) executor.Impl {
	f, err := format.Lookup(uint8(in.Get(isa.DFMT)), uint8(in.Get(isa.NFMT)))
	if err != nil {
		var e *format.Error
		if known := errors.As(err, &e); !known || !e.Null {
			return executor.Impl{Why: err.Error(), Illegal: known && e.Mismatch}
		}
	}
	return executor.BindTyped(in, f)
}
