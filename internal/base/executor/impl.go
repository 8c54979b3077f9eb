package executor

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// binders holds, by encoding, the function that says how an instruction executes: that of the
// executor package which has called [Executes] for the encoding as the program started.
var binders [isa.NumEncodings]func(in *isa.Inst) Impl

// Binders returns the functions that say how instructions execute, by encoding.
func Binders() [isa.NumEncodings]func(in *isa.Inst) Impl { return binders }

// Executes makes bind the binder of encodings. Executor packages call it as the program starts; it
// panics if an encoding has a binder already.
func Executes(bind func(in *isa.Inst) Impl, encodings ...gcn.Encoding) {
	for _, e := range encodings {
		if binders[e] != nil {
			panic("executor: two packages execute " + e.String())
		}
		binders[e] = bind
	}
}

// unfused binds a fused multiply-add to a product and a sum, each rounded; ok is false for other instructions.
var unfused func(in *isa.Inst) (impl Impl, ok bool)

// Unfuses makes bind what [FindUnfused] asks first. Package alu calls it as the program starts.
func Unfuses(bind func(in *isa.Inst) (impl Impl, ok bool)) {
	if unfused != nil {
		panic("executor: two packages unfuse")
	}
	unfused = bind
}

// Impl is how an instruction executes.
type Impl struct {
	Exec  Exec // nil: the instruction, or this form of it, does not execute
	Level gcn.Fidelity
	Why   string     // reason of a level other than Exact, or why it does not execute
	More  []isa.Note // further reasons
	// Flow: another instruction than the one that follows may be next, or none for now: it
	// changes PC, ends the wave or stops it at a barrier. Or it reads PC or Executed of the wave,
	// which are not those of now for what has no Flow.
	Flow bool
	// Block returns what it does, for the compiler of blocks. It may be nil, and may return nil: a block cannot have
	// the instruction then.
	Block func() *block.Instr
	// Site says where the lanes of w are if Block returns an access; ok is false if it is to be executed.
	Site func(w *state.Wave, p *Ports) (site block.Site, ok bool)
	// Illegal: it does not execute because the program is wrong, not because it is not modelled.
	Illegal bool
}

// Forbidden is the Impl of a form that the machine forbids.
func Forbidden(why string) Impl { return Impl{Why: why, Illegal: true} }

// Exact is the Impl of an instruction that exec executes exactly.
func Exact(exec Exec) Impl { return Impl{Exec: exec, Level: gcn.Exact} }

// Noted is the Impl of an instruction that exec executes as surely as n says; nil is
// exactly.
func Noted(n *isa.Note, exec Exec) Impl {
	if n == nil {
		return Exact(exec)
	}
	return Impl{Exec: exec, Level: n.Level, Why: n.Why}
}

// And is i with another reason not to be exact, if it executes.
func (i Impl) And(n *isa.Note) Impl {
	switch {
	case i.Exec == nil:
	case i.Level == gcn.Exact:
		i.Level, i.Why = n.Level, n.Why
	default:
		i.More = append(slices.Clip(i.More), *n)
	}
	return i
}

// Resident is the note of loads that write a register of TFE.
var Resident = &isa.Note{Level: gcn.Assumed,
	Why: "every page is resident: the TFE register becomes 0 (" + rule.DP6 + ")"}

// Find returns how an instruction executes: the one table that the run loop and the
// support table read. Exec is nil if it does not execute; then Why says so.
func Find(in *isa.Inst) Impl {
	if in.Op == 0 {
		return Impl{Why: "it is no instruction"}
	}
	return binders[in.Row().Enc](in)
}

// FindUnfused is [Find], with a product and a sum, each rounded, in place of fused multiply-adds.
func FindUnfused(in *isa.Inst) Impl {
	if in.Op != 0 {
		if impl, ok := unfused(in); ok {
			return impl
		}
	}
	return Find(in)
}
