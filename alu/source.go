package alu

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// vsrc is a bound vector source.
type vsrc struct {
	kind  vsrcKind
	plain bool // there is no modifier
	wide  bool
	code  uint32 // number of the VGPR
	s     sreg   // the scalar source, if kind is fromScalar
	k     pair   // the constant in all lanes, if kind is fromConst
	t     isa.Type
	index uint32 // the bit of M0[15:12] that enables GPR indexing of this operand

	isa.Modifiers
}

type vsrcKind uint8

const (
	fromVGPR vsrcKind = iota
	fromConst
	fromScalar
)

// indexDst is the bit of M0[15:12] for the destination; the sources have bits 0 to 2 (rule ST9).
const (
	indexDst  = 3
	indexNone = 32 // value for operands without a field
)

// vectorSource binds source n of a vector instruction in any of its encodings.
func vectorSource(in *isa.Inst, r *isa.Row, n int) vsrc {
	t := r.Sig.Src[n]
	s := vsrc{t: t, wide: t.Info().Dwords == 2, index: uint32(n), Modifiers: in.Modifiers(n)}
	s.locate(in, n)
	s.plain = !s.Neg && !s.Abs && !s.High && s.Select == isa.SelectDword
	return s
}

// locate determines the kind of source n: a VGPR, a constant or a scalar.
func (s *vsrc) locate(in *isa.Inst, n int) {
	field, code := isa.SRC0, in.Get(isa.SRC0)
	vgpr := false
	switch in.Enc {
	case isa.VOP3A, isa.VOP3B, isa.VOP3P:
		field += isa.Field(n)
		code = in.Get(field)
	case isa.VOP1SDWA, isa.VOP2SDWA, isa.VOPCSDWA:
		vgpr = !in.Bool(isa.SRC0SGPR)
		if n == 1 {
			code, vgpr = in.Get(isa.VSRC1), !in.Bool(isa.SRC1SGPR)
		}
	case isa.VOP1DPP, isa.VOP2DPP, isa.VOPCDPP:
		vgpr = true
		if n == 1 {
			code = in.Get(isa.VSRC1)
		}
	default:
		if n == 1 {
			code, vgpr = in.Get(isa.VSRC1), true
		}
	}
	if !vgpr && code >= isa.VGPR0 {
		code, vgpr = code-isa.VGPR0, true
	}
	if vgpr {
		s.code = code
		return
	}
	literal := in.Get(isa.LITERAL)
	s.set(sourceCode(code, literal, s.t))
}

// set makes s a scalar source. A constant is copied to all lanes here, once.
func (s *vsrc) set(from sreg) {
	s.kind, s.s = fromScalar, from
	if from.kind == sregConst {
		s.kind, s.k = fromConst, pair{constantLanes(uint32(from.value)), constantLanes(uint32(from.value >> 32))}
	}
}

// inlineLanes maps each dword of an inline constant to registers with the constant in all lanes. Instructions share
// them.
var inlineLanes = func() map[uint32]*state.Lanes {
	all := map[uint32]*state.Lanes{}
	for code := uint32(isa.ConstZero); code <= isa.ConstInvTwoPi; code++ {
		for _, t := range [...]isa.Type{isa.F16, isa.F32, isa.F64} {
			bits, _ := isa.InlineConstant(code, t)
			for _, v := range [...]uint32{uint32(bits), uint32(bits >> 32)} {
				if all[v] == nil {
					all[v] = newLanes(v)
				}
			}
		}
	}
	return all
}()

// constantLanes returns a register with v in all lanes. Callers must not change it.
func constantLanes(v uint32) *state.Lanes {
	if l := inlineLanes[v]; l != nil {
		return l
	}
	return newLanes(v)
}

func newLanes(v uint32) *state.Lanes {
	l := new(state.Lanes)
	simd.Fill(l, v)
	return l
}

// literalSource returns the constant of a row with the LiteralK trait.
func literalSource(in *isa.Inst, t isa.Type) vsrc {
	s := vsrc{t: t, plain: true, index: indexNone}
	s.set(constantSource(uint64(in.Get(isa.LITERAL))))
	return s
}

// fetch returns the source without modifiers. slot selects the temporaries that it may use.
func (s *vsrc) fetch(w *state.Wave, slot int) pair {
	var r pair
	kind, n := s.kind, s.code
	if executor.GPRIndexing(w) {
		kind, n = s.indexed(w)
	}
	switch kind {
	case fromVGPR:
		r.lo = &w.V[n]
		if s.wide {
			r.hi = &w.V[n+1]
		}
	case fromConst:
		r = s.k
	default:
		t := w.Temp()
		v := s.s.read(w)
		r.lo = &t[2*slot]
		simd.Fill(r.lo, uint32(v))
		if s.wide {
			r.hi = &t[2*slot+1]
			simd.Fill(r.hi, uint32(v>>32))
		}
	}
	return r
}

// whole does what fetch does, for 32-bit sources without GPR indexing.
func (s *vsrc) whole(w *state.Wave, slot int) *state.Lanes {
	if s.kind == fromVGPR {
		return &w.V[s.code]
	}
	return s.spread(w, slot)
}

// pair does what fetch does, without GPR indexing.
func (s *vsrc) pair(w *state.Wave, slot int) pair {
	switch {
	case s.kind != fromVGPR:
		return s.fetch(w, slot)
	case s.wide:
		return pair{&w.V[s.code], &w.V[s.code+1]}
	}
	return pair{lo: &w.V[s.code]}
}

// spread returns a scalar or constant source in all lanes, as whole does.
func (s *vsrc) spread(w *state.Wave, slot int) *state.Lanes {
	if s.kind != fromScalar {
		return s.k.lo
	}
	r := &w.Temp()[2*slot]
	simd.Fill(r, uint32(s.s.read(w)))
	return r
}

// indexed returns the kind and register of the source in GPR indexing mode. V0 replaces a register that does not
// exist (rule ST9).
func (s *vsrc) indexed(w *state.Wave) (vsrcKind, uint32) {
	if s.kind == fromVGPR {
		n, _ := executor.Indexed(w, s.code, s.index, dwords(s.wide))
		return fromVGPR, n
	}
	if w.S[gcn.M0]>>(12+s.index)&1 != 0 && int(dwords(s.wide)) <= w.NumVGPRs {
		return fromVGPR, 0
	}
	return s.kind, s.code
}

// dwords returns the number of registers of an operand: 2 for a pair, else 1.
func dwords(pair bool) uint32 {
	if pair {
		return 2
	}
	return 1
}

// destination returns the first of count VGPRs that an instruction with VDST n writes. ok is false if GPR indexing
// selects registers that the wave does not have; then the instruction does nothing (rule ST23).
func destination(w *state.Wave, n, count uint32) (at uint32, ok bool) {
	if executor.GPRIndexing(w) {
		return executor.Indexed(w, n, indexDst, count)
	}
	return n, true
}

// modify applies SDWA selection, OP_SEL, ABS and NEG, in that order. The result is in the temporaries of slot.
func (s *vsrc) modify(w *state.Wave, r pair, slot int) pair {
	t := w.Temp()
	d := pair{&t[2*slot], r.hi}
	top, topSrc := d.lo, r.lo // the register that contains the sign
	if s.wide {
		d.hi = &t[2*slot+1]
		*d.lo = *r.lo
		top, topSrc = d.hi, r.hi
	}
	sign := uint32(1) << 31
	if s.t.Info().Bits16 {
		sign = 1 << 15
	}
	keep, flip := ^uint32(0), uint32(0)
	if s.Abs {
		keep = ^sign
	}
	if s.Neg {
		flip = sign
	}
	switch {
	case s.Select != isa.SelectDword:
		extract(top, topSrc, s.Select, s.Sext)
		simd.Field(top, top, 0, keep, flip)
	case s.High:
		simd.Field(top, topSrc, 16, keep&0xffff, flip)
	default:
		simd.Field(top, topSrc, 0, keep, flip)
	}
	return d
}
