package check

import (
	"cmp"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// Options set how strictly a checker judges. The zero value requires only what hardware and compilers both require.
type Options struct {
	// FlatBoth requires waits for both VMCNT and LGKMCNT after a FLAT instruction, whatever memory its lanes accessed
	// (rule W10).
	FlatBoth bool `json:"flat"` // "both"
	// BarrierDrain reports S_BARRIER with outstanding vector memory accesses, which code from LLVM does not have
	// (rule RC3).
	BarrierDrain bool `json:"barrier"` // "drain"
	// XNACK says that accesses are replayed after faults, which code for such processors must expect (rule WS20). It
	// has an effect if the code object does not say, see [codeobj.Features].
	XNACK bool `json:"xnack"`
	// SRAMECC says that memories have error correction: a load into half a register of GCN 1.4.1 then writes the
	// whole register (rule W3). It has an effect if the code object does not say.
	SRAMECC bool `json:"sramecc"`
	// Whole says that a bare program is complete, like a file: executing past its last word is an error (rule ST24).
	// Snippet says that it is a part of a program, which may end like this. Otherwise it is a note.
	Whole   bool `json:"-"`
	Snippet bool `json:"-"`
	// MaxBytes limits the memory for finding races, and separately the memory for the shadow of memory, see [Uninit].
	// 0 means [DefaultMaxBytes]. When the limit is reached, a finding says that the search has ended. Registers are
	// not included: at most 2 MiB for a work-group. More than 8 GiB counts as 8 GiB.
	MaxBytes uint64 `json:"max_bytes"`
	// Inputs are the initialized registers and memories of bare waves; nil means all. The memories of a wave that has
	// executed before count as initialized, too.
	Inputs *Inputs `json:"-"`
	// Suppressions are known findings, which [Checker.Findings] omits. Findings about settings, which are not at an
	// instruction, cannot be suppressed.
	Suppressions []Suppression `json:"-"`
}

// DefaultMaxBytes is the limit if [Options.MaxBytes] is 0.
const DefaultMaxBytes = 1 << 30

// mostBytes is the greatest MaxBytes, because the words of stored values have 32-bit indices.
const mostBytes = 8 << 30

func (o *Options) maxBytes() uint64 { return min(cmp.Or(o.MaxBytes, DefaultMaxBytes), mostBytes) }

// setting reports whether a feature is on. The code object decides, or else the option.
func setting(object codeobj.Setting, option bool) bool {
	return object == codeobj.On || object == codeobj.Unstated && option
}
