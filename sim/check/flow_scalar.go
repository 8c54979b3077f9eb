package check

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// effectOf returns the effect of x for the operand in field f, or nil if the operand is a constant.
func (x *step) effectOf(f isa.Field, write bool) *isa.Effect {
	for i := range x.effects {
		if e := &x.effects[i]; e.Named && e.Field == f && e.Write == write {
			return e
		}
	}
	return nil
}

// pair returns up to 64 bits of scalar registers, with their origin.
func (h *regShadow) pair(x *step, code, dwords int) (v value, from tag) {
	v.bits = uint64(x.Wave.S[code&(isa.NumScalarCodes-1)])
	v.undef, from = uint64(h.s[code&(isa.NumScalarCodes-1)]), h.sFrom[code&(isa.NumScalarCodes-1)]
	if dwords == 2 {
		next := (code + 1) & (isa.NumScalarCodes - 1)
		if v.undef == 0 {
			from = h.sFrom[next]
		}
		v.bits |= uint64(x.Wave.S[next]) << 32
		v.undef |= uint64(h.s[next]) << 32
	}
	return v, from
}

// scalarOperand returns the value of the scalar operand in field f, which has type t.
func (h *regShadow) scalarOperand(x *step, f isa.Field, t isa.Type) (v value, from tag) {
	if e := x.effectOf(f, false); e != nil {
		return h.pair(x, int(e.Code), int(e.Dwords))
	}
	code := (*isa.Inst)(x.Inst).Get(f)
	switch code {
	case isa.SCC:
		return value{uint64(x.Wave.SCC), uint64(h.scc)}, h.cFrom
	case isa.VCCZ:
		vcc, from := h.pair(x, gcn.VCC, 2)
		return value{executor.Source64(x.Wave, code, 0, t), min(vcc.undef, 1)}, from
	}
	literal := (*isa.Inst)(x.Inst).Get(isa.LITERAL)
	if t.Info().Dwords == 2 {
		return value{bits: executor.Source64(x.Wave, code, literal, t)}, 0
	}
	if bits, ok := isa.InlineConstant(code, t); ok {
		return value{bits: uint64(uint32(bits))}, 0
	}
	return value{bits: uint64(executor.Source(x.Wave, code, literal))}, 0
}

// scalarFlow sets the shadow of the results of scalar ALU instruction x.
func (c *Checker) scalarFlow(x *step, h *regShadow) {
	r := (*isa.Inst)(x.Inst).Row()
	if r.Has(isa.WritesM0) {
		c.indexFlow(x, h)
		return
	}
	if r.Flow[0] == isa.FlowAny {
		c.scalarAny(x, h)
		return
	}
	o := operation{
		flows: r.Flow, width: uint(32 * r.Sig.Dst.Info().Dwords), signed: signed(r.Sig.Dst),
		amount0: r.Sig.Src[0] != r.Sig.Dst && r.Sig.Src[1] == r.Sig.Dst,
	}
	var src [2]value
	var from [3]tag
	switch x.Inst.Enc {
	case isa.SOPK:
		src[0], from[0] = h.scalarOperand(x, isa.SDST, r.Sig.Dst)
		src[1] = value{bits: uint64((*isa.Inst)(x.Inst).Int(isa.SIMM16))}
	default:
		src[0], from[0] = h.scalarOperand(x, isa.SSRC0, r.Sig.Src[0])
		if r.Sig.NumSrc > 1 {
			src[1], from[1] = h.scalarOperand(x, isa.SSRC1, r.Sig.Src[1])
			o.sameRegs = (*isa.Inst)(x.Inst).Get(isa.SSRC0) == (*isa.Inst)(x.Inst).Get(isa.SSRC1) &&
				x.effectOf(isa.SSRC0, false) != nil
		}
	}
	in := value{uint64(x.Wave.SCC), uint64(h.scc)}
	switch {
	case !r.Has(isa.ReadsSCC):
		in = value{}
	default:
		from[2] = h.cFrom
	}
	dst := x.effectOf(isa.SDST, true)
	switch {
	case r.Has(isa.WritesEXEC): // s_*_saveexec_b64, s_*_wrexec_b64
		src[1] = value{bits: x.exec}
	case r.Flow[0] == isa.FlowSelect && r.Sig.NumSrc == 1: // s_cmov: the destination stays
		if x.Inst.Enc == isa.SOPK {
			src[0], src[1] = src[1], src[0]
		} else {
			src[1], from[1] = h.pair(x, int(dst.Code), int(dst.Dwords))
		}
	}
	c.scalarResult(x, h, dst, &o, o.apply(src[0], src[1], value{}, in),
		firstOrigin(src[0].undef != 0, from[0], src[1].undef != 0, from[1], from[2]))
}

// firstOrigin returns the origin of the first source that has undefined bits.
func firstOrigin(a bool, fromA tag, b bool, fromB, rest tag) tag {
	switch {
	case a:
		return fromA
	case b:
		return fromB
	}
	return rest
}

func signed(t isa.Type) bool { return t == isa.I16 || t == isa.I32 || t == isa.I64 }

// scalarResult writes the shadow of a result, and of SCC.
func (c *Checker) scalarResult(x *step, h *regShadow, dst *isa.Effect, o *operation, result value, from tag) {
	r := (*isa.Inst)(x.Inst).Row()
	if result.undef != 0 {
		from = c.undef.origins.through(from, x)
	}
	first, dwords := int(dst.Code), int(dst.Dwords)
	if r.Has(isa.WritesEXEC) {
		// The destination receives the old EXEC, or the new one, whose undefined bits were already reported.
		h.setScalar(first, 0, 0)
		h.setScalar(first+1, 0, 0)
		first = gcn.EXEC
	}
	h.setScalar(first, uint32(result.undef), from)
	if dwords == 2 {
		h.setScalar(first+1, uint32(result.undef>>32), from)
	}
	switch {
	case !r.Has(isa.WritesSCC):
	case o.flows[0] >= isa.FlowAdd && o.flows[0] <= isa.FlowMul: // a carry, or an overflow
		h.setSCC(result.undef != 0, from)
	default:
		h.setSCC(result.undef != 0, from)
		if result.undef != 0 {
			h.nonzero, h.test = first, dwords
		}
	}
}

// settleSCC decides whether SCC is defined, after an instruction for which SCC tells whether the result is not 0. A
// defined bit that is 1 proves that.
func (h *regShadow) settleSCC(x *step) {
	if h.test == 0 {
		return
	}
	v, _ := h.pair(x, h.nonzero, h.test)
	h.test = 0
	if v.ones() != 0 || v.undef == 0 {
		h.scc = 0
	}
}

// scalarAny makes all results undefined.
func (c *Checker) scalarAny(x *step, h *regShadow) {
	from := c.undef.origins.through(c.firstRead(x, h), x)
	for i := range x.effects {
		f := &x.effects[i]
		switch {
		case !f.Write:
		case f.File == isa.SReg:
			for n := range int(f.Dwords) {
				h.setScalar(int(f.Code)+n, ^uint32(0), from)
			}
		case isa.Flag(f.Code) == isa.FlagSCC:
			h.setSCC(true, from)
		}
	}
}

// firstRead returns the origin of the first undefined register that x reads.
func (c *Checker) firstRead(x *step, h *regShadow) tag {
	for i := range x.effects {
		if f := &x.effects[i]; !f.Write && h.holds(f, allLanes) {
			if u, ok := h.first(f, allLanes, nil); ok {
				return u.from
			}
		}
	}
	return 0
}

// Bits of M0 that GPR indexing uses (rule ST9).
const (
	indexBits   = 0xff
	enableBits  = 0xf000
	gprIdxInUse = indexBits | enableBits
)

// indexFlow sets the shadow of M0 after s_set_gpr_idx_*.
func (c *Checker) indexFlow(x *step, h *regShadow) {
	r := (*isa.Inst)(x.Inst).Row()
	undef, from := h.s[gcn.M0], h.sFrom[gcn.M0]
	if r.Imm == isa.IndexImm {
		undef &^= enableBits
	}
	if r.Sig.Src[0] == isa.B32 && r.Enc != isa.SOPP {
		src, by := h.scalarOperand(x, isa.SSRC0, isa.B32)
		if undef &^= indexBits; src.undef&indexBits != 0 {
			undef, from = undef|uint32(src.undef)&indexBits, by
		}
	}
	h.setScalar(gcn.M0, undef, from)
}
