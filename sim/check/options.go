package check

import (
	"cmp"
	"fmt"
)

// Options are how strictly a checker judges. The zero value is what both hardware and
// compilers ask for.
type Options struct {
	// FlatBoth asks for VMCNT and LGKMCNT after a FLAT instruction, whatever memory its
	// lanes reached (rule W10).
	FlatBoth bool
	// BarrierDrain notes S_BARRIER where vector memory accesses of the wave are outstanding,
	// as LLVM does not leave them (rule RC3).
	BarrierDrain bool
	// XNACK says that accesses which fault are replayed, as code for such processors must
	// expect (rule WS20).
	XNACK bool
	// SRAMECC says that memories have error correction: then a load into half a register
	// of GCN 1.4.1 writes all of it (rule W3).
	SRAMECC bool
	// MaxBytes bounds the memory that looking for races takes, and that which the shadow of
	// memory takes, see [Uninit]; 0 is [DefaultMaxBytes]. Beyond it no more is looked for, which
	// a finding says. Registers are beside it: at most 2 MiB for a work-group.
	MaxBytes uint64
	// Inputs are what bare waves are given a value in; nil takes all their registers and
	// memories as defined. So are those of a wave that has run before.
	Inputs *Inputs
}

// DefaultMaxBytes is the [Options.MaxBytes] of 0.
const DefaultMaxBytes = 1 << 30

func (o *Options) maxBytes() uint64 { return cmp.Or(o.MaxBytes, DefaultMaxBytes) }

// OptionError says that an option of checks has no such value.
type OptionError struct{ Name, Value, Known string }

// Error names the value that there is.
func (e *OptionError) Error() string {
	return fmt.Sprintf("%s: %q is not known; known is %q", e.Name, e.Value, e.Known)
}

// NamedOptions returns the options of which the command line names the values: flat is
// "both" or "", barrier "drain" or "". The error is an *[OptionError].
func NamedOptions(flat, barrier string) (o Options, err error) {
	for _, x := range []struct {
		name, value, known string
		set                *bool
	}{{"flat", flat, "both", &o.FlatBoth}, {"barrier", barrier, "drain", &o.BarrierDrain}} {
		if x.value != "" && x.value != x.known {
			return Options{}, &OptionError{x.name, x.value, x.known}
		}
		*x.set = x.value != ""
	}
	return o, nil
}
