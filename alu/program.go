package alu

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// controls are the instructions that change the PC or other state of the wave than registers. When one executes, PC
// is the address of the next instruction.
var controls = executor.Bindings[control]{
	"s_sendmsg":         sendmsg,
	"s_trap":            trap,
	"s_rfe_b64":         returnFromTrap,
	"s_rfe_restore_b64": restoreFromTrap,
	"s_sethalt":         setHalt,

	"s_getpc_b64": func(w *state.Wave, in *isa.Inst) *state.Fault {
		w.SetScalar64(in.Get(isa.SDST), w.PC)
		return nil
	},
	"s_setpc_b64": func(w *state.Wave, in *isa.Inst) *state.Fault {
		w.PC = jumpTarget(w, in)
		return nil
	},
	"s_swappc_b64": func(w *state.Wave, in *isa.Inst) *state.Fault {
		to := jumpTarget(w, in)
		w.SetScalar64(in.Get(isa.SDST), w.PC)
		w.PC = to
		return nil
	},
	"s_call_b64": func(w *state.Wave, in *isa.Inst) *state.Fault {
		w.SetScalar64(in.Get(isa.SDST), w.PC)
		w.PC += branchOffset(in)
		return nil
	},

	// These only affect time, caches, or counters that are not part of a wave.
	"s_sleep": nothing, "s_wakeup": nothing, "s_icache_inv": nothing,
	"s_incperflevel": nothing, "s_decperflevel": nothing, "s_ttracedata": nothing,
	"s_setprio": func(w *state.Wave, in *isa.Inst) *state.Fault {
		w.SetStatus(w.Status()&^state.StatusWavePrio | state.Status(in.Get(isa.SIMM16))<<3&state.StatusWavePrio)
		return nil
	},

	"s_set_gpr_idx_off": func(w *state.Wave, _ *isa.Inst) *state.Fault {
		w.Mode &^= gprIdxEn
		return nil
	},
	"s_set_gpr_idx_mode": func(w *state.Wave, in *isa.Inst) *state.Fault {
		w.S[gcn.M0] = w.S[gcn.M0]&0xffff0fff | in.Get(isa.SIMM16)&15<<12
		return nil
	},
	"s_set_gpr_idx_idx": func(w *state.Wave, in *isa.Inst) *state.Fault {
		w.S[gcn.M0] = w.S[gcn.M0]&0xffffff00 | executor.Source(w, in.Get(isa.SSRC0), in.Get(isa.LITERAL))&0xff
		return nil
	},
	"s_set_gpr_idx_on": func(w *state.Wave, in *isa.Inst) *state.Fault {
		idx := executor.Source(w, in.Get(isa.SSRC0), in.Get(isa.LITERAL)) & 0xff
		w.S[gcn.M0] = w.S[gcn.M0]&0xffff0f00 | idx | in.Get(isa.SSRC1)&15<<12 // here SSRC1 is an immediate
		w.Mode |= gprIdxEn
		return nil
	},

	"s_getreg_b32": getreg, "s_getreg_regrd_b32": getreg,
	"s_setreg_b32": func(w *state.Wave, in *isa.Inst) *state.Fault { return setreg(w, in, w.S[in.Get(isa.SDST)]) },
	"s_setreg_imm32_b32": func(w *state.Wave, in *isa.Inst) *state.Fault {
		return setreg(w, in, in.Get(isa.LITERAL))
	},

	"s_movrels_b32": func(w *state.Wave, in *isa.Inst) *state.Fault { return movrel(w, in, in.Get(isa.SSRC0), true, 1) },
	"s_movrels_b64": func(w *state.Wave, in *isa.Inst) *state.Fault { return movrel(w, in, in.Get(isa.SSRC0), true, 2) },
	"s_movreld_b32": func(w *state.Wave, in *isa.Inst) *state.Fault { return movrel(w, in, in.Get(isa.SDST), false, 1) },
	"s_movreld_b64": func(w *state.Wave, in *isa.Inst) *state.Fault { return movrel(w, in, in.Get(isa.SDST), false, 2) },

	"s_cbranch_g_fork": func(w *state.Wave, in *isa.Inst) *state.Fault {
		return fork(w, executor.Source64(w, in.Get(isa.SSRC0), 0, isa.B64),
			executor.Source64(w, in.Get(isa.SSRC1), 0, isa.B64))
	},
	"s_cbranch_i_fork": func(w *state.Wave, in *isa.Inst) *state.Fault {
		return fork(w, w.Scalar64(in.Get(isa.SDST)), w.PC+branchOffset(in))
	},
	"s_cbranch_join": join,
}

// stops are the instructions that end a wave.
var stops = executor.Bindings[stop]{
	"s_endpgm s_endpgm_saved": stop(block.Ends),
	"s_barrier":               stop(block.AtBarrier),
}

type stop block.Stop

func (s stop) bind(_ *isa.Inst, r *isa.Row) executor.Impl {
	impl := executor.Noted(r.Note, func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
		if block.Stop(s) == block.Ends {
			w.Ended = true
		} else {
			w.AtBarrier = true
		}
		return nil
	})
	impl.Flow = true
	impl.Block = func() *block.Instr { return &block.Instr{Stop: block.Stop(s)} }
	return impl
}

// branches maps the mnemonic of a branch with an immediate target to the condition on which it is taken.
var branches = executor.Bindings[branch]{
	"s_branch":                   {taken: func(*state.Wave) bool { return true }, cond: block.Always, inBlocks: true},
	"s_cbranch_scc0":             {taken: func(w *state.Wave) bool { return w.SCC == 0 }, cond: block.SCC0, inBlocks: true},
	"s_cbranch_scc1":             {taken: func(w *state.Wave) bool { return w.SCC != 0 }, cond: block.SCC1, inBlocks: true},
	"s_cbranch_vccz":             {taken: func(w *state.Wave) bool { return w.Scalar64(gcn.VCC) == 0 }, cond: block.VCCZero, inBlocks: true},
	"s_cbranch_vccnz":            {taken: func(w *state.Wave) bool { return w.Scalar64(gcn.VCC) != 0 }, cond: block.VCCNotZero, inBlocks: true},
	"s_cbranch_execz":            {taken: func(w *state.Wave) bool { return w.Exec() == 0 }, cond: block.ExecZero, inBlocks: true},
	"s_cbranch_execnz":           {taken: func(w *state.Wave) bool { return w.Exec() != 0 }, cond: block.ExecNotZero, inBlocks: true},
	"s_cbranch_cdbgsys":          {taken: debugging(state.StatusCondDbgSys, true)},
	"s_cbranch_cdbguser":         {taken: debugging(state.StatusCondDbgUser, true)},
	"s_cbranch_cdbgsys_or_user":  {taken: debugging(state.StatusCondDbgSys|state.StatusCondDbgUser, false)},
	"s_cbranch_cdbgsys_and_user": {taken: debugging(state.StatusCondDbgSys|state.StatusCondDbgUser, true)},
}

// branch jumps if taken returns true. Package block compiles it as a branch on condition cond, if cond is set.
type branch struct {
	taken    func(w *state.Wave) bool
	cond     block.Cond
	inBlocks bool
}

func (b branch) bind(in *isa.Inst, r *isa.Row) executor.Impl {
	taken := b.taken
	far := branchOffset(in)
	impl := executor.Noted(r.Note, func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
		if taken(w) {
			w.PC += far
		}
		return nil
	})
	impl.Flow = true
	if b.inBlocks {
		impl.Block = func() *block.Instr { return &block.Instr{Branch: &block.Branch{Cond: b.cond, Far: int64(far)}} }
	}
	return impl
}

// gprIdxEn is MODE.GPR_IDX_EN (rule ST5).
const gprIdxEn state.Mode = 1 << 27

func nothing(*state.Wave, *isa.Inst) *state.Fault { return nil }

// branchOffset returns the distance in bytes from the next instruction to the target of a branch.
func branchOffset(in *isa.Inst) uint64 { return uint64(int64(int16(in.Get(isa.SIMM16))) * 4) }

// debugging returns a condition on bits of STATUS: that all of them are set, or any.
//
//go:noinline
func debugging(bits state.Status, all bool) func(w *state.Wave) bool {
	return func(w *state.Wave) bool {
		set := w.Status() & bits
		return set == bits || !all && set != 0
	}
}

// jumpTarget returns the address in SSRC0. Bits 1:0 are ignored, because instructions are dwords.
func jumpTarget(w *state.Wave, in *isa.Inst) uint64 {
	return executor.Source64(w, in.Get(isa.SSRC0), in.Get(isa.LITERAL), isa.B64) &^ 3
}

// nop is the operation of S_NOP.
type nop struct{}

func (nop) bind(_ *isa.Inst, r *isa.Row) executor.Impl {
	impl := executor.Noted(r.Note, func(*state.Wave, *executor.Ports, *isa.Inst, *state.Access) *state.Fault {
		return nil
	})
	impl.Block = func() *block.Instr { return &block.Instr{Nop: true} }
	return impl
}

// waits is the operation of S_WAITCNT.
type waits struct{}

// bind returns the executor that lowers each counter to its limit in SIMM16 (rules W1 and K7).
func (waits) bind(in *isa.Inst, r *isa.Row) executor.Impl {
	c := in.Waits()
	impl := executor.Noted(r.Note, func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
		w.VMCnt, w.EXPCnt, w.LGKMCnt = min(w.VMCnt, c.VM), min(w.EXPCnt, c.EXP), min(w.LGKMCnt, c.LGKM)
		return nil
	})
	impl.Block = func() *block.Instr { return &block.Instr{Wait: &block.Wait{VM: c.VM, EXP: c.EXP, LGKM: c.LGKM}} }
	return impl
}

// movrel moves dwords registers from SSRC0 to SDST. M0 is added to the number of the source (rel is SSRC0) or of the
// destination (rel is SDST). S0 replaces a source that the wave does not have; a destination that it does not have is
// not written (rule ST23).
func movrel(w *state.Wave, in *isa.Inst, rel uint32, source bool, dwords uint32) *state.Fault {
	if n := isa.TraitsOf(w.Target).SGPRs; int(rel) >= n {
		return executor.NewFault(state.FaultRegister, "operand %d is not one of the %d SGPRs, from which M0 counts", rel, n)
	}
	at, ok := executor.Relative(w, rel, dwords, executor.RelativeSGPRs(w))
	if dwords == 2 && at%2 != 0 {
		return executor.NewFault(state.FaultRegister,
			"s[%d + M0] with M0 = 0x%x is odd, a pair must begin at an even SGPR", rel, w.S[gcn.M0])
	}
	t := [...]isa.Type{1: isa.B32, 2: isa.B64}[dwords]
	if source {
		src := scalarReg(at, t)
		writeScalar(w, in.Get(isa.SDST), dwords, src.read(w))
		return nil
	}
	src := scalarSource(in, isa.SSRC0, t)
	if ok {
		writeScalar(w, at, dwords, src.read(w))
	}
	return nil
}

func writeScalar(w *state.Wave, code, dwords uint32, v uint64) {
	if dwords == 2 {
		w.SetScalar64(code, v)
		return
	}
	w.S[code] = uint32(v)
}
