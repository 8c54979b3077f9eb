package executor

import (
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Span is a mapped range of memory. Bytes and Words are views of the same storage, which starts at address Base, a
// multiple of 16; only offsets from Lo up to Hi are mapped. The storage is aligned to 8 bytes and consists of whole
// quadwords.
type Span struct {
	Base   uint64
	Lo, Hi uint64
	Bytes  []byte
	Words  []uint32
	// Seal is the reason why stores to the range fault, if they do.
	Seal Seal
	Name string // name of the range in faults, or ""
	Lent bool   // the storage does not belong to the memory
	// Private is set if only one goroutine uses the range while waves execute, so that atomic operations need no
	// synchronization.
	Private bool
}

// Cut returns the part of s from address lo up to hi, with the same storage.
func (s *Span) Cut(lo, hi uint64) *Span {
	part := *s
	part.Lo, part.Hi = lo-s.Base, hi-s.Base
	return &part
}

// Seal is the reason why a range cannot be stored to.
type Seal uint8

// The seals.
const (
	Open     Seal = iota // stores are allowed
	Code                 // contains code that waves execute, which is decoded only once
	ReadOnly             // mapped without write permission
	Unbound              // has no storage: reads return 0, and stores are ignored
)

// faultsStores reports whether stores to s fault.
func (s *Span) faultsStores() bool { return s.Seal != Open && s.Seal != Unbound }

// Offset returns the offset in Bytes of the size bytes at addr, and whether all of them are mapped.
func (s *Span) Offset(addr uint64, size uint64) (off uint64, ok bool) {
	off = addr - s.Base
	return off, off-s.Lo < s.Hi-s.Lo && s.Hi-off >= size
}

// Memory finds mapped ranges. Executors look up a range once for many lanes.
type Memory interface {
	// Find returns the range that contains addr, nil if there is none. Ranges do not overlap.
	Find(addr uint64) *Span
}

// Ports holds the state that a wave can access in addition to its registers. Waves of a work-group share LDS; all
// waves share memory and GDS.
type Ports struct {
	Mem   Memory
	LDS   Span // LDS of the work-group; its Base is 0
	GDS   Span
	Rules state.Rules
	Align state.Alignment
	// Compare, if not nil, makes executors set Access.Differs and Access.Cut. They use it as storage for the addresses
	// under the other rule set and for those before alignment.
	Compare *state.Access

	// Unseen is set if no watcher reads the access record, except for doubts. Executors may then leave the record
	// unchanged, with Op NoMem and without doubts. Results are the same.
	Unseen bool

	// Descending makes the lanes of an atomic instruction execute from the last to the first.
	Descending bool

	// Sync and Images are nil if no instruction needs them.
	Sync    *Sync
	Images  *Images
	Borders Borders

	// Clock, if not nil, returns the core clock at which w issues in, the instruction before w.PC. If ok is false, other
	// waves must execute first, and the executor returns [Blocked].
	Clock func(w *state.Wave, in *isa.Inst) (cycles uint64, ok bool)

	// ScratchBase is SH_HIDDEN_PRIVATE_BASE, the address of FLAT_SCRATCH offset 0 on GCN 1.1 and 1.2 (rule F4).
	ScratchBase uint64
}

// Exec executes one instruction on a wave: it changes registers and memory and writes the access record a. It must
// not keep its arguments. If [Impl.Flow] is set, w.PC points behind the instruction. If it is not, w.PC and
// w.Executed are out of date and must not be read.
type Exec func(w *state.Wave, p *Ports, in *isa.Inst, a *state.Access) *state.Fault
