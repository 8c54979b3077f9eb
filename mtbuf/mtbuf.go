// Package mtbuf executes the typed buffer instructions, whose data and number format are
// in the instruction. Addressing and conversion are those of the FORMAT instructions in
// package mubuf. Sources: the handbook's chapters on buffers and their data.
package mtbuf

import (
	"errors"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/format"
	"github.com/gcnsim/gcnsim/mubuf"
	"github.com/gcnsim/gcnsim/state"
)

// Bind returns how a MTBUF instruction executes.
func Bind(in *gcn.Inst) state.Impl {
	if in.Row().Enc != gcn.MTBUF {
		return state.Impl{Why: "not a MTBUF instruction"}
	}
	f, err := format.Lookup(uint8(in.Get(gcn.DFMT)), uint8(in.Get(gcn.NFMT)))
	if err != nil {
		var e *format.Error
		if known := errors.As(err, &e); !known || !e.Null {
			return state.Impl{Why: err.Error(), Illegal: known && e.Mismatch}
		}
	}
	return mubuf.BindTyped(in, f)
}
