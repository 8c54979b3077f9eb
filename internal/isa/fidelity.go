package isa

import (
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
)

// Fidelity grades the certainty that an instruction executes as on hardware.
type Fidelity uint8

// The levels. The zero value means that the instruction does not execute.
const (
	NotExecuted   Fidelity = iota
	Exact                  // a document states the behaviour, and test vectors confirm it
	Approximate            // correct up to a stated error
	Assumed                // no source states the behaviour; the reason says what was assumed
	NumFidelities = iota
)

var fidelityNames = [NumFidelities]string{NotExecuted: "not executed", Exact: "exact", Approximate: "approximate",
	Assumed: "assumed"}

var _ = enum.Full[Fidelity](fidelityNames[:])

// String returns the name in the fidelity report.
func (f Fidelity) String() string { return enum.Name(fidelityNames[:], f) }

// Note is the reason why an instruction is not executed exactly, or not at all.
type Note struct {
	Level Fidelity
	Why   string
}

// doubt returns the note of the row: its own if it has one, else that of its kind.
func (r *Row) doubt() *Note {
	switch {
	case r.Note != nil:
		return r.Note
	case r.Mem.InLDS:
		return secondInLDS
	case r.Mem.Format && r.Mem.Op == Store && r.Enc != MIMG:
		return narrowed
	case r.Enc == SMEM && (r.Mem.Op == Store || r.Mem.Op == Atomic):
		return writtenThrough
	case r.Enc == SMEM && r.Mem.Op == Load && r.Has(BufferBase):
		return scalarRange
	}
	return atomics[r.Mem.Atomic].note
}

// The notes on instructions that execute.
var (
	approximated = &Note{Approximate, "within 1 ulp of the exact result; hardware has its own approximation"}
	divScaled    = &Note{Assumed, "manuals of several generations differ; the one of RDNA3 and measurements on it " +
		"are followed"}
	preop       = &Note{Assumed, "follows the manual of RDNA3"}
	packedNorm  = &Note{Assumed, "the rounding is not documented: to nearest even"}
	norm        = &Note{Assumed, "the rounding is not documented: that of MODE"}
	litSpecials = &Note{Assumed, "infinities and NaN are not documented"}
	mixed       = &Note{Assumed, "rounding and denormals of the mixed forms are not documented: as in float32, then " +
		"to float16"}
	dotRounded   = &Note{Assumed, "the rounding is not documented: after each product"}
	overflowFlag = &Note{Assumed, "the flag is not documented: signed overflow of the sum"}
	messageKept  = &Note{Assumed, "an interrupt is kept for inspection; nobody receives it"}
	exportKept   = &Note{Assumed, "the data are kept for inspection; no render target receives them"}

	// LDSOffset is the note on MUBUF instructions that move data to or from LDS.
	LDSOffset = &Note{Approximate, "whether OFFSET is part of the LDS address is not the same in all sources (" +
		rule.DP5 + ")"}
	narrowed = &Note{Approximate, "how stores narrow integers and round small floats is not the same in all " +
		"sources (" + rule.IF4 + ")"}
	floatSum   = &Note{Assumed, "denormals are flushed and sums rounded to nearest even"}
	floatOrder = &Note{Assumed, "values are compared: NaN equals nothing, -0 equals 0"}

	onlyCounts  = &Note{Assumed, "counts in LGKMCNT"}
	secondInLDS = &Note{Assumed, "the distance of the second operand is taken as signed dwords (" + rule.DS5 + ")"}
	appendBase  = &Note{Assumed, "the part of M0 in the address follows compilers (" + rule.DS9 + ")"}
	gwsMachine  = &Note{Assumed, "the state machine is that of the Vega manual, the resource M0[21:16] + OFFSET (" +
		rule.DS12 + ")"}
	orderedTurns = &Note{Assumed, "the counter lies at M0[31:16] + OFFSET0; waves of a work-group take turns by " +
		"their number (" + rule.DS11 + ")"}

	writtenThrough = &Note{Approximate, "stores reach memory at once, not with S_DCACHE_WB"}
	scalarRange    = &Note{Assumed, "dwords out of range are 0; whether GCN clamps the address instead is not " +
		"established (" + rule.SM4 + ")"}
	noCounters    = &Note{Approximate, "does nothing: performance counters are not modelled"}
	noThreadTrace = &Note{Approximate, "does nothing: thread traces are not modelled"}
	noLines       = &Note{Approximate, "neither drops nor fetches cache lines"}
	modelTime     = &Note{Approximate, "time is that of the timing model if there is one, else four cycles an " +
		"instruction; the reference clock has an eighth of the core clock"}
)

// The notes on instructions that do not execute.
var (
	noOrdered    = &Note{NotExecuted, "ordered pixel shaders are not modelled"}
	noHalt       = &Note{NotExecuted, "halting a wave is not modelled"}
	noKill       = &Note{NotExecuted, "killing a wave is not modelled"}
	noSkip       = &Note{NotExecuted, "VSKIP mode is not modelled"}
	noPixels     = &Note{NotExecuted, "attribute interpolation belongs to pixel shaders, which are not modelled"}
	noScreen     = &Note{NotExecuted, "screen partitioning belongs to graphics"}
	noDebugWrite = &Note{NotExecuted, "register debug accesses are not documented"}
	onlyNamed    = &Note{NotExecuted, "the operation is not documented beyond its name"}
)
