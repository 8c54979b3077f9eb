package sim

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/crash"
	"github.com/gcnsim/gcnsim/state"
)

// internal returns the fault for a panic. v is the recovered value.
func (r *runner) internal(v any) *state.Fault {
	cause := &crash.Error{Value: v, Stack: string(debug.Stack())}
	f := executor.NewFault(state.FaultInternal,
		"the simulator panicked: %v; this is a defect of it: please report it with the cause of this error", v)
	if w := r.inCall; w != nil {
		f.What = fmt.Sprintf("%s panicked: %v", nameOf(w), v)
	}
	f.Err, f.PC, f.Dispatch = cause, r.pc(), r.label
	if r.wave == nil {
		return f
	}
	r.interrupted()
	f.Wave, f.Group = r.wave.ID, r.wave.Group
	for _, p := range r.code {
		if in, ok := p.Inst(r.pc()); ok {
			f.Text = guarded(func() string { return p.text(r.pc()) })
			cause.State = guarded(func() string { return operandState(r.wave, (*isa.Inst)(&in)) })
		}
	}
	return f
}

// guarded returns the result of describe, or a replacement if describe panics on an inconsistent state.
func guarded(describe func() string) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprintf("(no description: %v)", v)
		}
	}()
	return describe()
}

// operandState returns as text the words of in, its registers in w (of VGPRs the first active lane), and the
// registers on which every instruction can depend.
func operandState(w *state.Wave, in *isa.Inst) string {
	var b strings.Builder
	words, n := in.Encode()
	fmt.Fprintf(&b, "%v, words %08x, %d VGPRs, EXEC 0x%016x, M0 0x%08x, MODE 0x%08x", w.Target, words[:n], w.NumVGPRs,
		w.Exec(), w.S[gcn.M0], uint32(w.Mode))
	lane := simd.FirstLane(w.Exec())
	for _, o := range in.Operands(nil) {
		if o.File == isa.NotReg {
			continue
		}
		file := "s"
		if o.File == isa.VReg {
			file = "v"
		}
		fmt.Fprintf(&b, "\n%v:", o.Field)
		for reg := int(o.Code); reg < int(o.Code)+int(o.Dwords); reg++ {
			switch {
			case o.File == isa.SReg && reg < len(w.S):
				fmt.Fprintf(&b, " %s%d=0x%08x", file, reg, w.S[reg])
			case o.File == isa.VReg && reg < len(w.V):
				fmt.Fprintf(&b, " %s%d[%d]=0x%08x", file, reg, lane, w.V[reg][lane])
			default:
				fmt.Fprintf(&b, " %s%d (the wave has none)", file, reg)
			}
		}
	}
	return b.String()
}
