package executor

import (
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Span is a mapped range of memory. Bytes and Words view the same storage, which
// begins at Base, a multiple of 16; only Lo <= offset < Hi is mapped. The storage is
// aligned to 8 bytes and holds whole quadwords.
type Span struct {
	Base   uint64
	Lo, Hi uint64
	Bytes  []byte
	Words  []uint32
	// Seal says why a store there is a fault, if it is one.
	Seal Seal
	Name string // what faults call the range, "" if it has no name
	Lent bool   // the storage is not the memory's own
	// Private is set if one goroutine alone uses the range while waves execute: atomic operations
	// need not be so there.
	Private bool
}

// Cut returns the part of s from address lo up to hi, on the same storage.
func (s *Span) Cut(lo, hi uint64) *Span {
	part := *s
	part.Lo, part.Hi = lo-s.Base, hi-s.Base
	return &part
}

// Seal is why a range cannot be stored to.
type Seal uint8

// The seals.
const (
	Open     Seal = iota // stores are allowed
	Code                 // a program lies there that waves execute: it is decoded once
	ReadOnly             // mapped without permission to store
	Unbound              // there is nothing to store to: reads give 0, and a store is no fault but is dropped
)

// faultsStores reports whether a store to s is a fault.
func (s *Span) faultsStores() bool { return s.Seal != Open && s.Seal != Unbound }

// Offset returns where size bytes at addr begin in Bytes, and whether all of them are
// mapped.
func (s *Span) Offset(addr uint64, size uint64) (off uint64, ok bool) {
	off = addr - s.Base
	return off, off-s.Lo < s.Hi-s.Lo && s.Hi-off >= size
}

// Memory finds mapped ranges. Executors ask once for many lanes.
type Memory interface {
	// Find returns the range that holds addr, nil if there is none. Ranges do not overlap.
	Find(addr uint64) *Span
}

// Ports holds what a wave can reach besides its registers. Waves of a work-group share
// LDS; all waves share memory and GDS.
type Ports struct {
	Mem   Memory
	LDS   Span // of the work-group: Base is 0
	GDS   Span
	Rules state.Rules
	Align state.Alignment
	// Compare, if not nil, makes executors fill Access.Differs and Access.Cut; they use it
	// for the addresses under the other rules and for those before alignment.
	Compare *state.Access

	// Unseen is set if no watcher reads the access record, except for doubts. Executors may then leave it
	// as it is, with Op NoMem and without doubts. Results are the same.
	Unseen bool

	// Descending lets the lanes of an atomic instruction have their turns from the last one to the first.
	Descending bool

	// Sync and Images are nil where no instruction needs them.
	Sync    *Sync
	Images  *Images
	Borders Borders

	// Clock, if not nil, returns the core clock at which w issues in, the instruction
	// before w.PC. If ok is false other waves must continue first, and in is [Blocked].
	Clock func(w *state.Wave, in *isa.Inst) (cycles uint64, ok bool)

	// ScratchBase is SH_HIDDEN_PRIVATE_BASE: where FLAT_SCRATCH offsets of GCN 1.1 and 1.2
	// begin (rule F4).
	ScratchBase uint64
}

// Exec executes one instruction on a wave: it changes registers and memory and fills
// a. It must not keep its arguments. If [Impl.Flow] is set, w.PC points behind the
// instruction. If it is not, w.PC and w.Executed are out of date and must not be read.
type Exec func(w *state.Wave, p *Ports, in *isa.Inst, a *state.Access) *state.Fault
