package alu

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// msgInterrupt is the message that compute code sends to interrupt the host. Source: AMD GCN ISA manuals, S_SENDMSG.
const msgInterrupt = 1

// msgGetDoorbell requests the number of the queue's doorbell, in a trap handler of GCN 1.4 (rule ST21).
const msgGetDoorbell = 10

// sendmsg records an interrupt for inspection and counts it (rule W2). Other messages belong to the graphics pipeline
// or require an answer; they fault.
func sendmsg(w *state.Wave, in *isa.Inst) *state.Fault {
	imm := in.Get(isa.SIMM16)
	if id := imm & 15; id == msgGetDoorbell && w.Privileged() && w.Target.Gen() >= gcn.GCN14 {
		w.S[gcn.EXEC] = 0 // the doorbell number is 0, because there is one queue
		return nil
	} else if id != msgInterrupt {
		return executor.NewFault(state.FaultUnsupported,
			"message %d belongs to the graphics pipeline or wants an answer: not modelled", id)
	}
	return executor.Send(w, state.Message{PC: w.PC, ID: msgInterrupt, Imm: uint16(imm), M0: w.S[gcn.M0]})
}

// returnFromTrap executes S_RFE: it continues at the address in SSRC0 and clears STATUS.PRIV (rule ST22).
func returnFromTrap(w *state.Wave, in *isa.Inst) *state.Fault {
	if !w.Privileged() {
		return executor.NewFault(state.FaultIllegal, "only a trap handler may return from a trap: STATUS.PRIV is 0")
	}
	const pc = 1<<48 - 4
	w.PC = executor.Source64(w, in.Get(isa.SSRC0), 0, isa.B64) & pc
	w.SetStatus(w.Status() &^ state.StatusPriv)
	return halted(w)
}

// restoreFromTrap does what returnFromTrap does, and sets STATUS.INST_ATC to bit 0 of S1 (rule ST22).
func restoreFromTrap(w *state.Wave, in *isa.Inst) *state.Fault {
	atc := executor.Source(w, in.Get(isa.SSRC1), in.Get(isa.LITERAL)) & 1
	if w.Privileged() {
		w.SetStatus(w.Status()&^state.StatusInstAtc | state.StatusInstAtc*state.Status(atc))
	}
	return returnFromTrap(w, in)
}

// setHalt sets or clears STATUS.HALT. It has no effect inside a trap handler until the handler returns (rule ST22).
func setHalt(w *state.Wave, in *isa.Inst) *state.Fault {
	s := w.Status() &^ state.StatusHalt
	if in.Get(isa.SIMM16)&1 != 0 {
		s |= state.StatusHalt
	}
	w.SetStatus(s)
	return halted(w)
}

// halted returns the fault of a halted wave, since no host resumes it.
func halted(w *state.Wave) *state.Fault {
	if w.Status()&(state.StatusHalt|state.StatusPriv) != state.StatusHalt {
		return nil
	}
	return executor.NewFault(state.FaultTrap, "the wave is halted, and there is no host to resume it")
}

// trap executes S_TRAP when there is no trap handler; with a handler the run loop enters it. Compilers emit s_trap 2
// to abort a program and s_trap 3 for a breakpoint (LLVM AMDGPUUsage, "Trap Handler ABI").
func trap(_ *state.Wave, in *isa.Inst) *state.Fault {
	id := in.Get(isa.SIMM16) & 0xff
	what := ""
	switch id {
	case 2:
		what = " (llvm.trap: the program aborts itself)"
	case 3:
		what = " (llvm.debugtrap: a breakpoint)"
	}
	return executor.NewFault(state.FaultTrap, "trap %d%s, and there is no trap handler", id, what)
}

// exportOp is the operation of EXP.
type exportOp struct{}

func (exportOp) bind(_ *isa.Inst, r *isa.Row) executor.Impl {
	impl := executor.Noted(r.Note, export)
	impl.Flow = true // the export record contains the PC
	return impl
}

// export records the data of an EXP instruction for inspection. Source: AMD GCN ISA manuals, EXP.
func export(w *state.Wave, _ *executor.Ports, in *isa.Inst, _ *state.Access) *state.Fault {
	e := state.Export{
		PC: w.PC, Target: uint8(in.Get(isa.TGT)), Enable: uint8(in.Get(isa.EN)),
		Compressed: in.Bool(isa.COMPR), Done: in.Bool(isa.DONE), ValidMask: in.Bool(isa.VM), Exec: w.Exec(),
	}
	for i := range e.Data {
		reg, used := in.Exported(i)
		if !used {
			continue
		}
		if reg >= w.NumVGPRs {
			return executor.NewFault(state.FaultRegister, "VSRC%d is v%d, but the wave has only %d VGPRs", i, reg, w.NumVGPRs)
		}
		e.Data[i] = w.VGPR(reg)
	}
	return executor.Export(w, &e)
}
