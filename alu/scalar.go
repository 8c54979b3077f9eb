package alu

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// scalarOp computes the result of a scalar instruction and the new SCC. 32-bit operands are zero-extended; scc is 0
// or 1. If there is one source, b is the old value of the destination.
type scalarOp func(a, b uint64, scc uint32) (d uint64, cond bool)

// control executes an instruction that changes more than a register.
type control func(w *state.Wave, in *isa.Inst) *state.Fault

func (f control) bind(in *isa.Inst, r *isa.Row) executor.Impl {
	note := r.Note
	if r.Imm == isa.HwregImm {
		note = hwregNote(in)
	}
	impl := executor.Noted(note, func(w *state.Wave, _ *executor.Ports, in *isa.Inst,
		_ *state.Access) *state.Fault {
		return f(w, in)
	})
	impl.Flow = true
	return impl
}

func (m maskOp) bind(in *isa.Inst, r *isa.Row) executor.Impl {
	s := execMask{maskOp: m, src: scalarSource(in, isa.SSRC0, isa.B64), dst: in.Get(isa.SDST)}
	impl := executor.Noted(r.Note, s.exec)
	if m.block != block.NoScalar {
		impl.Block = func() *block.Instr {
			bound := scalar{a: s.src, dst: s.dst, dwords: 2, scc: true, wide: true}
			return bound.blockInstr(m.block)
		}
	}
	return impl
}

func (f scalarOp) bind(in *isa.Inst, r *isa.Row) executor.Impl {
	s := bindScalar(in, r)
	s.op = f
	return executor.Noted(r.Note, s.exec())
}

// bindScalar binds the operands of a scalar instruction.
func bindScalar(in *isa.Inst, r *isa.Row) *scalar {
	s := &scalar{dst: in.Get(isa.SDST), scc: r.Has(isa.WritesSCC), dwords: r.Sig.Dst.Info().Dwords}
	s.wide = s.dwords == 2 || r.Sig.Src[0].Info().Dwords == 2
	old := scalarReg(s.dst, r.Sig.Dst)
	switch r.Enc {
	case isa.SOP1:
		s.a, s.b = scalarSource(in, isa.SSRC0, r.Sig.Src[0]), old
	case isa.SOPK:
		// The last source is the constant; a comparison reads SDST as the first source.
		t := r.Sig.Src[0]
		s.a = old
		if r.Sig.Dst == isa.None {
			s.a, t = scalarReg(s.dst, r.Sig.Src[0]), r.Sig.Src[1]
		}
		s.b = constantSource(simm(in, t))
	default:
		s.a, s.b = scalarSource(in, isa.SSRC0, r.Sig.Src[0]), scalarSource(in, isa.SSRC1, r.Sig.Src[1])
	}
	return s
}

// simm extends SIMM16 to 32 bits, with or without sign depending on the type.
func simm(in *isa.Inst, t isa.Type) uint64 {
	v := in.Get(isa.SIMM16)
	if t == isa.U16 {
		return uint64(v)
	}
	return uint64(uint32(int32(int16(v))))
}

// scalar is a bound scalar instruction that writes a register, SCC or both.
type scalar struct {
	op     scalarOp
	a, b   sreg
	dst    uint32
	dwords int // size of the destination, 0 without one
	scc    bool
	wide   bool // the first source or the destination has 64 bits
}

//go:noinline
func (s *scalar) exec() executor.Exec {
	return func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
		d, cond := s.op(s.a.read(w), s.b.read(w), w.SCC)
		s.write(w, d, cond)
		return nil
	}
}

// write writes the result and the condition.
func (s *scalar) write(w *state.Wave, d uint64, cond bool) {
	switch s.dwords {
	case 1:
		w.S[s.dst] = uint32(d)
	case 2:
		w.SetScalar64(s.dst, d)
	}
	if s.scc {
		w.SCC = b2u(cond)
	}
}

// sreg is a bound scalar source.
type sreg struct {
	kind  sregKind
	code  uint32
	value uint64
	t     isa.Type
}

type sregKind uint8

const (
	sregConst sregKind = iota // the constant value
	sreg32                    // S[code]
	sreg64                    // S[code+1:code]
	sregLive                  // a condition or an aperture, which depends on the wave
)

func (s *sreg) read(w *state.Wave) uint64 {
	switch s.kind {
	case sreg32:
		return uint64(w.S[s.code])
	case sregConst:
		return s.value
	}
	return s.readOther(w)
}

func (s *sreg) readOther(w *state.Wave) uint64 {
	switch {
	case s.kind == sreg64:
		return w.Scalar64(s.code)
	case s.t.Info().Dwords == 2:
		return executor.Source64(w, s.code, 0, s.t)
	}
	return uint64(executor.Source(w, s.code, 0))
}

func constantSource(v uint64) sreg { return sreg{value: v} }

// scalarReg returns the register or register pair of an operand of type t.
func scalarReg(code uint32, t isa.Type) sreg {
	if t.Info().Dwords == 2 {
		return sreg{kind: sreg64, code: code, t: t}
	}
	return sreg{kind: sreg32, code: code, t: t}
}

// scalarSource binds source field f, an operand code, as an operand of type t.
func scalarSource(in *isa.Inst, f isa.Field, t isa.Type) sreg {
	return sourceCode(in.Get(f), in.Get(isa.LITERAL), t)
}

// sourceCode binds operand code 0 to 255 as an operand of type t.
func sourceCode(code, literal uint32, t isa.Type) sreg {
	switch {
	case code < isa.NumScalarCodes:
		return scalarReg(code, t)
	case code >= isa.SharedBase && code <= isa.POPSExiting, code == isa.VCCZ, code == isa.EXECZ, code == isa.SCC:
		return sreg{kind: sregLive, code: code, t: t}
	}
	if t.Info().Dwords == 2 {
		return constantSource(executor.Source64(&anyWave, code, literal, t))
	}
	if v, ok := isa.InlineConstant(code, t); ok {
		return constantSource(uint64(uint32(v)))
	}
	return constantSource(uint64(executor.Source(&anyWave, code, literal)))
}

// anyWave is passed to read constants, which do not depend on the wave.
var anyWave = state.Wave{Target: gcn.GFX600}

// maskOp computes the new EXEC of an s_*_saveexec or s_*_wrexec instruction.
type maskOp struct {
	op    func(src, exec uint64) uint64
	wr    bool           // SDST receives the new mask instead of the old one
	block block.ScalarOp // the operation for package block
}

// execMask is a bound s_*_saveexec or s_*_wrexec instruction.
type execMask struct {
	maskOp
	src sreg
	dst uint32
}

func (m *execMask) exec(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
	old := w.Exec()
	mask := m.op(m.src.read(w), old)
	if m.wr {
		old = mask
	}
	w.SetScalar64(m.dst, old)
	w.SetExec(mask)
	w.SCC = b2u(mask != 0)
	return nil
}

func b2u(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
