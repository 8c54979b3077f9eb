package executor

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// binders has, for each encoding, the function that binds an instruction to its executor. An executor package sets it
// by [Executes] at program start.
var binders [isa.NumEncodings]func(in *isa.Inst) Impl

// Binders returns the functions that bind instructions to executors, by encoding.
func Binders() [isa.NumEncodings]func(in *isa.Inst) Impl { return binders }

// Executes sets the binder of encodings. Executor packages call it at program start. It panics if an encoding has a
// binder already.
func Executes(bind func(in *isa.Inst) Impl, encodings ...gcn.Encoding) {
	for _, e := range encodings {
		if binders[e] != nil {
			panic("executor: two packages execute " + e.String())
		}
		binders[e] = bind
	}
}

// unfused binds a fused multiply-add to a product and a sum that are rounded separately; ok is false for other
// instructions.
var unfused func(in *isa.Inst) (impl Impl, ok bool)

// Unfuses sets the function that [FindUnfused] calls first. Package alu calls it at program start.
func Unfuses(bind func(in *isa.Inst) (impl Impl, ok bool)) {
	if unfused != nil {
		panic("executor: two packages unfuse")
	}
	unfused = bind
}

// Impl is the implementation of an instruction.
type Impl struct {
	Exec  Exec // nil if the instruction, or this form of it, does not execute
	Level gcn.Fidelity
	Why   string     // reason of a level other than Exact, or why it does not execute
	More  []isa.Note // further reasons
	// Flow is set if an instruction other than the following one may execute next, or none for now, because it changes
	// PC, ends the wave or stops it at a barrier. It is also set if the instruction reads w.PC or w.Executed, which are
	// out of date for others.
	Flow bool
	// Block returns the instruction in the form that package block compiles. It may be nil, and may return nil, if
	// package block cannot compile it.
	Block func() *block.Instr
	// Site returns the addresses of the lanes of w if Block returns an access. ok is false if compiled code cannot make
	// the access.
	Site func(w *state.Wave, p *Ports) (site block.Site, ok bool)
	// Illegal means that it does not execute because the program is wrong, rather than because it is not modelled.
	Illegal bool
}

// Forbidden returns the Impl of a form that the hardware forbids.
func Forbidden(why string) Impl { return Impl{Why: why, Illegal: true} }

// Exact returns the Impl of an instruction that exec executes exactly.
func Exact(exec Exec) Impl { return Impl{Exec: exec, Level: gcn.Exact} }

// Noted returns the Impl of an instruction that exec executes with the fidelity in n; nil means exactly.
func Noted(n *isa.Note, exec Exec) Impl {
	if n == nil {
		return Exact(exec)
	}
	return Impl{Exec: exec, Level: n.Level, Why: n.Why}
}

// And returns i with another reason why it is not exact, if it executes.
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

// Resident is the note on loads that write the register of TFE.
var Resident = &isa.Note{Level: gcn.Assumed,
	Why: "every page is resident: the TFE register becomes 0 (" + rule.DP6 + ")"}

// Find returns the implementation of an instruction. The run loop and the support table use the same table. If Exec
// is nil, Why has the reason.
func Find(in *isa.Inst) Impl {
	if in.Op == 0 {
		return Impl{Why: "it is no instruction"}
	}
	return binders[in.Row().Enc](in)
}

// FindUnfused does what [Find] does, with each fused multiply-add replaced by a product and a sum that are rounded
// separately.
func FindUnfused(in *isa.Inst) Impl {
	if in.Op != 0 {
		if impl, ok := unfused(in); ok {
			return impl
		}
	}
	return Find(in)
}
