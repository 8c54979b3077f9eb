package alu

import (
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// kernel computes a vector instruction for all lanes at once. It is one of the function types in [vectorOp], or a
// type from which one of them is made.
type kernel interface {
	vector(in *isa.Inst, r *isa.Row) vectorOp
}

func (f lanesOp) vector(*isa.Inst, *isa.Row) vectorOp   { return vectorOp{lanes: f} }
func (f pairsOp) vector(*isa.Inst, *isa.Row) vectorOp   { return vectorOp{pairs: f} }
func (f maskedOp) vector(*isa.Inst, *isa.Row) vectorOp  { return vectorOp{masked: f} }
func (f f32Op) vector(*isa.Inst, *isa.Row) vectorOp     { return vectorOp{f32: f} }
func (f chainOp) vector(*isa.Inst, *isa.Row) vectorOp   { return vectorOp{chain: sumOp{all: f}} }
func (s sumOp) vector(*isa.Inst, *isa.Row) vectorOp     { return vectorOp{chain: s, block: s.block} }
func (f carryOp) vector(*isa.Inst, *isa.Row) vectorOp   { return vectorOp{carry: f} }
func (f compareOp) vector(*isa.Inst, *isa.Row) vectorOp { return vectorOp{compare: f} }

// saturating is an integer operation in two versions: without CLAMP, and with CLAMP, which saturates.
type saturating[K kernel] struct{ plain, clamped K }

func (s saturating[K]) vector(in *isa.Inst, r *isa.Row) vectorOp {
	if clamps(in, r) {
		return s.clamped.vector(in, r)
	}
	return s.plain.vector(in, r)
}

func (saturating[K]) saturates() {}

// clamps reports whether the instruction has CLAMP on an integer result, which then saturates. Results of type bits
// have no CLAMP.
func clamps(in *isa.Inst, r *isa.Row) bool {
	switch r.Sig.Dst {
	case isa.I16, isa.U16, isa.I32, isa.U32, isa.I64, isa.U64:
		return in.Bool(isa.CLAMP)
	}
	return false
}

// vectorRow is the operation of a row of vector instructions.
type vectorRow struct{ kernel }

// op returns the operation of an instruction, or the reason why it has none.
func (v vectorRow) op(in *isa.Inst, r *isa.Row) (op vectorOp, why string) {
	if _, ok := v.kernel.(interface{ saturates() }); !ok && clamps(in, r) {
		return op, "CLAMP of " + r.Name + " is not modelled"
	}
	return signalsOf(r).wrap(v.vector(in, r)), ""
}

func (v vectorRow) bind(in *isa.Inst, r *isa.Row) executor.Impl {
	if (in.Has(isa.SRC0SEL) || in.Has(isa.DPPCTRL)) && hasPair(r) {
		return executor.Forbidden("64-bit operands have no SDWA or DPP form")
	}
	op, why := v.op(in, r)
	if why != "" {
		return executor.Impl{Why: why}
	}
	return bindVector(in, r, op)
}

// hasPair reports whether r has a 64-bit operand.
func hasPair(r *isa.Row) bool {
	wide := func(t isa.Type) bool { return t.Info().Dwords == 2 && t != isa.Mask }
	return wide(r.Sig.Dst) || wide(r.Sig.Src[0]) || wide(r.Sig.Src[1]) || wide(r.Sig.Src[2])
}

// mayCarry is an operation whose mnemonic means an add with carry in some rows and without carry in others.
type mayCarry struct{ plain, carry kernel }

func (s mayCarry) bind(in *isa.Inst, r *isa.Row) executor.Impl {
	if r.Has(isa.CarryOut) {
		return vectorRow{s.carry}.bind(in, r)
	}
	return vectorRow{s.plain}.bind(in, r)
}
