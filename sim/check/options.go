package check

import (
	"cmp"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// Options are how strictly a checker judges. The zero value is what both hardware and
// compilers ask for.
type Options struct {
	// FlatBoth asks for VMCNT and LGKMCNT after a FLAT instruction, whatever memory its
	// lanes reached (rule W10).
	FlatBoth bool `json:"flat"` // "both"
	// BarrierDrain notes S_BARRIER where vector memory accesses of the wave are outstanding,
	// as LLVM does not leave them (rule RC3).
	BarrierDrain bool `json:"barrier"` // "drain"
	// XNACK says that accesses which fault are replayed, as code for such processors must
	// expect (rule WS20). It has an effect where the code object does not say, see
	// [codeobj.Features].
	XNACK bool `json:"xnack"`
	// SRAMECC says that memories have error correction: then a load into half a register
	// of GCN 1.4.1 writes all of it (rule W3). It has an effect where the code object does not say.
	SRAMECC bool `json:"sramecc"`
	// Whole says that a bare program is all that a wave executes, as a file is: to run past its last word is an error
	// (rule ST24). Snippet says that it is a part of a program, which may end so. Otherwise it is a note.
	Whole   bool `json:"-"`
	Snippet bool `json:"-"`
	// MaxBytes bounds the memory that looking for races takes, and that which the shadow of
	// memory takes, see [Uninit]; 0 is [DefaultMaxBytes]. Beyond it no more is looked for, which
	// a finding says. Registers are beside it: at most 2 MiB for a work-group. More than 8 GiB count as 8 GiB.
	MaxBytes uint64 `json:"max_bytes"`
	// Inputs are what bare waves are given a value in; nil takes all their registers and
	// memories as defined. So are the memories of a wave that has run before.
	Inputs *Inputs `json:"-"`
	// Suppressions are known findings, which [Checker.Findings] leaves out; but those about
	// settings, which are at no instruction, are never left out.
	Suppressions []Suppression `json:"-"`
}

// DefaultMaxBytes is the [Options.MaxBytes] of 0.
const DefaultMaxBytes = 1 << 30

// mostBytes is the largest MaxBytes: numbers of 32 bits tell the words of values that stores have written.
const mostBytes = 8 << 30

func (o *Options) maxBytes() uint64 { return min(cmp.Or(o.MaxBytes, DefaultMaxBytes), mostBytes) }

// setting returns whether a feature is on: as the code object says, or else as the option does.
func setting(object codeobj.Setting, option bool) bool {
	return object == codeobj.On || object == codeobj.Unstated && option
}
