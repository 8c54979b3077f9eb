package executor

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// Support describes how the simulator executes one instruction on one processor.
type Support struct {
	Exists bool // the processor has it, so that it can be decoded, encoded and printed
	Level  gcn.Fidelity
	Why    string     // reason of a level other than Exact
	More   []isa.Note // further reasons
}

// SupportOf returns the support of op on t, in its native encoding with all fields 0 except those that must not be:
// the format of MTBUF is 8_8_8_8 UINT, whose loads are exact and stores approximate, as for most formats; DMASK has
// one component, or the operands of a 32-bit atomic; GDS is set for instructions on GDS only.
func SupportOf(op gcn.Op, t gcn.Target) Support {
	in, err := isa.New(t, op, isa.Invalid)
	if err != nil {
		return Support{}
	}
	if in.Has(isa.DFMT) {
		in = withFormat(in)
	}
	if in.Row().Has(isa.GDSOnly) {
		in, _ = in.Set(isa.GDS, 1)
	}
	if in.Has(isa.DMASK) {
		in, _ = in.Set(isa.DMASK, 1<<max(1, in.Row().Mem.Dwords)-1)
	}
	impl := Find(&in)
	if impl.Exec == nil {
		return Support{Exists: true, Level: gcn.NotExecuted, Why: impl.Why}
	}
	return Support{Exists: true, Level: impl.Level, Why: impl.Why, More: impl.More}
}

// withFormat returns in with the format 8_8_8_8 UINT.
func withFormat(in isa.Inst) isa.Inst {
	in, _ = in.Set(isa.DFMT, gcn.Data8_8_8_8)
	in, _ = in.Set(isa.NFMT, gcn.NumUINT)
	return in
}
