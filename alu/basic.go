package alu

import (
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// basic is a scalar operation that package block can compile. Most scalar instructions of programs are of this kind.
type basic block.ScalarOp

// basicOps maps scalar instructions to basic operations. Comparisons are in basicCompares.
var basicOps = executor.Bindings[basic]{
	"s_mov_b32": basic(block.Move), "s_mov_b64": basic(block.Move), "s_movk_i32": basic(block.Move),
	"s_mov_fed_b32": basic(block.Move), "s_mov_regrd_b32": basic(block.Move),
	"s_not_b32": basic(block.Not), "s_not_b64": basic(block.Not),
	"s_and_b32": basic(block.And), "s_and_b64": basic(block.And),
	"s_or_b32": basic(block.Or), "s_or_b64": basic(block.Or),
	"s_xor_b32": basic(block.Xor), "s_xor_b64": basic(block.Xor),
	"s_andn2_b32": basic(block.AndNot), "s_andn2_b64": basic(block.AndNot),
	"s_orn2_b32": basic(block.OrNot), "s_orn2_b64": basic(block.OrNot),
	"s_nand_b32": basic(block.Nand), "s_nand_b64": basic(block.Nand),
	"s_nor_b32": basic(block.Nor), "s_nor_b64": basic(block.Nor),
	"s_xnor_b32": basic(block.Xnor), "s_xnor_b64": basic(block.Xnor),
	"s_lshl_b32": basic(block.ShiftLeft), "s_lshl_b64": basic(block.ShiftLeft),
	"s_lshr_b32": basic(block.ShiftRight), "s_lshr_b64": basic(block.ShiftRight),
	"s_ashr_i32": basic(block.ShiftSigned), "s_ashr_i64": basic(block.ShiftSigned),
	"s_add_u32": basic(block.AddUnsigned), "s_sub_u32": basic(block.SubUnsigned),
	"s_addc_u32": basic(block.AddCarry), "s_subb_u32": basic(block.SubBorrow),
	"s_add_i32": basic(block.AddSigned), "s_addk_i32": basic(block.AddSigned), "s_sub_i32": basic(block.SubSigned),
	"s_mul_i32": basic(block.Multiply), "s_mulk_i32": basic(block.Multiply),
	"s_cselect_b32": basic(block.Select), "s_cselect_b64": basic(block.Select),
}

// basicCompares maps a condition to the comparisons of unsigned and of signed integers.
var basicCompares = map[isa.Cond][2]block.ScalarOp{
	isa.CondEqual:        {block.Equal, block.Equal},
	isa.CondUnequal:      {block.NotEqual, block.NotEqual},
	isa.CondLess:         {block.LessUnsigned, block.LessSigned},
	isa.CondLessEqual:    {block.LessEqualUnsigned, block.LessEqualSigned},
	isa.CondGreater:      {block.GreaterUnsigned, block.GreaterSigned},
	isa.CondGreaterEqual: {block.GreaterEqualUnsigned, block.GreaterEqualSigned},
}

// basicCompare returns the operation that compares integers of type t.
func basicCompare(want isa.Cond, t isa.Type) basic {
	if t == isa.I32 {
		return basic(basicCompares[want][1])
	}
	return basic(basicCompares[want][0])
}

func (b basic) bind(in *isa.Inst, r *isa.Row) executor.Impl {
	op := block.ScalarOp(b)
	s := bindScalar(in, r)
	if op == block.Move && r.Enc == isa.SOPK {
		s.a = s.b
	}
	impl := executor.Noted(r.Note, s.basic(op))
	impl.Block = func() *block.Instr { return s.blockInstr(op) }
	return impl
}

// basic returns the executor of s. It reads registers and constants directly; other operands are read by the general
// code.
//
//go:noinline
func (s *scalar) basic(op block.ScalarOp) executor.Exec {
	wide := s.wide
	ka, kb, ca, cb, dst := s.a.value, s.b.value, s.a.code, s.b.code, s.dst
	ra, rb := s.a.kind != sregConst, s.b.kind != sregConst
	hasDst, scc := s.dwords != 0, s.scc
	switch {
	case s.a.kind == sregLive || s.b.kind == sregLive || wide && s.b.kind == sreg32:
		return func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
			a, b := s.a.read(w), s.b.read(w)
			if wide {
				d, cond := compute(op, a, b, w.SCC)
				s.write(w, d, cond)
				return nil
			}
			d, cond := compute(op, uint32(a), uint32(b), w.SCC)
			s.write(w, uint64(d), cond)
			return nil
		}
	case wide:
		return func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
			a, b := ka, kb
			if ra {
				a = w.Scalar64(ca)
			}
			if rb {
				b = w.Scalar64(cb)
			}
			d, cond := compute(op, a, b, w.SCC)
			if hasDst {
				w.SetScalar64(dst, d)
			}
			if scc {
				w.SCC = b2u(cond)
			}
			return nil
		}
	}
	return func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
		a, b := uint32(ka), uint32(kb)
		if ra {
			a = w.S[ca&(isa.NumScalarCodes-1)]
		}
		if rb {
			b = w.S[cb&(isa.NumScalarCodes-1)]
		}
		d, cond := compute(op, a, b, w.SCC)
		if hasDst {
			w.S[dst&(isa.NumScalarCodes-1)] = d
		}
		if scc {
			w.SCC = b2u(cond)
		}
		return nil
	}
}

// compute returns the result of op on a and b, and the new SCC.
func compute[T uint32 | uint64](op block.ScalarOp, a, b T, scc uint32) (d T, cond bool) {
	sign := ^(^T(0) >> 1)
	count := T(31) + T(uint64(^T(0))>>63)*32 // number of bits in a shift count: 5 or 6
	switch op {
	case block.And:
		d = a & b
	case block.Or:
		d = a | b
	case block.Xor:
		d = a ^ b
	case block.AndNot:
		d = a &^ b
	case block.OrNot:
		d = a | ^b
	case block.Nand:
		d = ^(a & b)
	case block.Nor:
		d = ^(a | b)
	case block.Xnor:
		d = ^(a ^ b)
	case block.Not:
		d = ^a
	case block.ShiftLeft:
		d = a << (b & count)
	case block.ShiftRight:
		d = a >> (b & count)
	case block.ShiftSigned:
		n := b & count
		d = a >> n
		if a&sign != 0 {
			d |= ^(^T(0) >> n)
		}
	case block.Move:
		d = a
	case block.Multiply:
		d = a * b
	case block.Select:
		if d = b; scc != 0 {
			d = a
		}
	case block.AddUnsigned:
		d = a + b
		return d, d < a
	case block.SubUnsigned:
		return a - b, a < b
	case block.AddCarry:
		d = a + b + T(scc)
		return d, d < a || d == a && scc != 0
	case block.SubBorrow:
		return a - b - T(scc), a < b || a == b && scc != 0
	case block.AddSigned:
		d = a + b
		return d, (a^d)&(b^d)&sign != 0
	case block.SubSigned:
		d = a - b
		return d, (a^b)&(a^d)&sign != 0
	case block.Equal:
		return 0, a == b
	case block.NotEqual:
		return 0, a != b
	case block.LessUnsigned:
		return 0, a < b
	case block.LessEqualUnsigned:
		return 0, a <= b
	case block.GreaterUnsigned:
		return 0, a > b
	case block.GreaterEqualUnsigned:
		return 0, a >= b
	case block.LessSigned:
		return 0, a^sign < b^sign
	case block.LessEqualSigned:
		return 0, a^sign <= b^sign
	case block.GreaterSigned:
		return 0, a^sign > b^sign
	case block.GreaterEqualSigned:
		return 0, a^sign >= b^sign
	}
	return d, d != 0
}
