package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/state"
)

// vectorFlow sets the shadow of the results of x, a vector ALU instruction or one that moves values between lanes.
func (c *Checker) vectorFlow(x *step, h *regShadow) {
	r := (*isa.Inst)(x.Inst).Row()
	switch {
	case r.Enc == isa.DS:
		c.moveLanes(x, h)
	case r.Has(isa.ScalarDst): // v_readlane_b32, v_readfirstlane_b32
		c.readLane(x, h)
	case r.Has(isa.ScalarSrc1): // v_writelane_b32
		v, from := h.scalarOperand(x, isa.SRC0, isa.B32)
		if dst := x.effectOf(isa.VDST, true); dst != nil {
			h.setVGPR(int(dst.Code), x.selected, uint32(v.undef), ^uint32(0), c.undef.origins.through(from, x))
		}
	case r.Has(isa.Swaps):
		c.swap(x, h)
	case r.Enc == isa.VOP3P && r.Sig.Dst.Info().Halves:
		c.halves(x, h)
	case r.Flow[0] != isa.FlowAny && !((*isa.Inst)(x.Inst).Bool(isa.CLAMP) && saturates(r.Sig.Dst)):
		c.lanewise(x, h)
	default:
		c.vectorAny(x, h)
	}
}

// saturates reports whether CLAMP makes each bit of a result depend on all others.
func saturates(t isa.Type) bool {
	switch t {
	case isa.I16, isa.U16, isa.I32, isa.U32, isa.I64, isa.U64:
		return true
	}
	return false
}

// readLane gives an SGPR the shadow of a lane.
func (c *Checker) readLane(x *step, h *regShadow) {
	src, dst := x.effectOf(isa.SRC0, false), x.effectOf(isa.VDST, true)
	if dst == nil {
		return
	}
	if src == nil || src.File != isa.VReg {
		v, from := h.scalarOperand(x, isa.SRC0, isa.B32)
		h.setScalar(int(dst.Code), uint32(v.undef), c.undef.origins.through(from, x))
		return
	}
	lane := bits.TrailingZeros64(x.lanes(src)) & 63
	undef, from := h.vgpr(int(src.Code), lane)
	if undef != 0 {
		from = c.undef.origins.through(from, x)
	}
	h.setScalar(int(dst.Code), undef, from)
}

// swap exchanges the shadows of two VGPRs.
func (c *Checker) swap(x *step, h *regShadow) {
	a, b := x.effectOf(isa.VDST, true), x.effectOf(isa.SRC0, true)
	if a == nil || b == nil {
		return
	}
	for m := x.exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		ua, fa := h.vgpr(int(a.Code), lane)
		ub, fb := h.vgpr(int(b.Code), lane)
		h.setVGPR(int(a.Code), lane, ub, ^uint32(0), fb)
		h.setVGPR(int(b.Code), lane, ua, ^uint32(0), fa)
	}
}

// moveLanes sets the shadow of ds_swizzle_b32, ds_permute_b32 and ds_bpermute_b32.
func (c *Checker) moveLanes(x *step, h *regShadow) {
	in, r := (*isa.Inst)(x.Inst), (*isa.Inst)(x.Inst).Row()
	data, dst := in.Get(isa.DATA0), int(in.Get(isa.VDST))
	if r.Has(isa.NoData) {
		data = in.Get(isa.ADDR)
	}
	var undef [state.NumLanes]uint32
	var from [state.NumLanes]tag
	others := registers.MovedLanes(x.Wave, in)
	for m := x.exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		to, by := lane, int(others[lane])
		if r.Mem.Move == isa.PushesLanes {
			to, by = by, to
		}
		if undef[to] = 0; x.exec>>by&1 != 0 {
			undef[to], from[to] = h.vgpr(int(data), by)
		}
	}
	for m := x.exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		by := from[lane]
		if undef[lane] != 0 {
			by = c.undef.origins.through(by, x)
		}
		h.setVGPR(dst, lane, undef[lane], ^uint32(0), by)
	}
}

// dppLanes returns the lane from which each lane of x reads SRC0, and the lanes that write. For lanes without a
// source, which read a defined 0, from is [state.NoLane].
func (x *step) dppLanes() (from [state.NumLanes]int8, writes uint64) {
	d, _ := executor.DPPOf((*isa.Inst)(x.Inst))
	read, writes := d.Lanes(x.exec)
	for lane := range from {
		if from[lane] = state.NoLane; read>>lane&1 != 0 {
			from[lane] = int8(d.From[lane])
		}
	}
	return from, writes
}

// writers returns the lanes in which x writes the VGPRs of f.
func (x *step) writers(f *isa.Effect) uint64 {
	if (*isa.Inst)(x.Inst).Has(isa.DPPCTRL) {
		_, writes := x.dppLanes()
		return writes
	}
	return x.lanes(f)
}

// source is an operand of a vector instruction.
type source struct {
	reg     int // VGPR, or -1 if all lanes have the same value
	wide    bool
	moved   *[state.NumLanes]int8 // the lane from which each lane reads; nil means its own
	uniform value
	from    tag // origin of uniform
	// The instruction uses width bits from bit shift on, sign-extended if sext. ABS clears the bit sign and NEG
	// inverts it.
	shift, width uint
	sign         uint64
	sext         bool
	abs, neg     bool
}

// sourceOf returns source n, which has type t.
func (x *step) sourceOf(h *regShadow, n int, t isa.Type) source {
	in := (*isa.Inst)(x.Inst)
	f := isa.SRC0 + isa.Field(n)
	if n == 1 && !in.Has(f) {
		f = isa.VSRC1
	}
	s := source{reg: -1, wide: t.Info().Dwords == 2, width: uint(32 * t.Info().Dwords)}
	if s.sign = 1 << (s.width - 1); t.Info().Bits16 {
		s.sign = 1 << 15
	}
	if e := x.effectOf(f, false); e != nil && e.File == isa.VReg {
		s.reg = int(e.Code)
	} else {
		s.uniform, s.from = h.scalarOperand(x, f, t)
	}
	s.modify(x, n, t)
	return s
}

// modify sets the bits of s that the instruction uses.
func (s *source) modify(x *step, n int, t isa.Type) {
	m := (*isa.Inst)(x.Inst).Modifiers(n)
	s.abs, s.neg, s.sext = m.Abs, m.Neg, m.Sext
	if m.High {
		s.shift = 16
	}
	if (*isa.Inst)(x.Inst).Has(isa.SRC0SEL) {
		s.shift, s.width = m.Select.Bits()
	}
	if t.Info().Bits16 && !s.sext {
		s.width = min(s.width, 16)
	}
}

// at returns the value in a lane.
func (s *source) at(x *step, h *regShadow, lane int) (v value, from tag) {
	v, from = s.uniform, s.from
	if s.reg >= 0 {
		if s.moved != nil {
			if lane = int(s.moved[lane]); lane == state.NoLane {
				return value{}, 0
			}
		}
		var undef uint32
		undef, from = h.vgpr(s.reg, lane)
		v = value{uint64(x.Wave.V[s.reg][lane]), uint64(undef)}
		if s.wide {
			undef, by := h.vgpr(s.reg+1, lane)
			if v.undef == 0 {
				from = by
			}
			v.bits |= uint64(x.Wave.V[s.reg+1][lane]) << 32
			v.undef |= uint64(undef) << 32
		}
	}
	if s.width < 64 {
		up := 64 - s.width - s.shift
		if v = (value{v.bits << up, v.undef << up}); s.sext {
			v = value{uint64(int64(v.bits) >> (64 - s.width)), uint64(int64(v.undef) >> (64 - s.width))}
		} else {
			v = value{v.bits >> (64 - s.width), v.undef >> (64 - s.width)}
		}
	}
	if s.abs || s.neg {
		if s.abs {
			v = value{v.bits &^ s.sign, v.undef &^ s.sign}
		}
		if s.neg {
			v.bits ^= s.sign
		}
	}
	return v, from
}

// result is the destination of a vector instruction.
type result struct {
	reg, dwords  int
	shift, width uint
	sext         bool
	mask         uint32 // bits of a register that are written
}

func (x *step) resultOf(dst *isa.Effect) result {
	r := result{reg: int(dst.Code), dwords: int(dst.Dwords), width: 32, mask: spread(dst.Bytes)}
	in := (*isa.Inst)(x.Inst)
	switch t := in.Row().Sig.Dst; {
	case in.Has(isa.DSTSEL):
		r.shift, r.width = isa.Selection(in.Get(isa.DSTSEL)).Bits()
		r.sext = in.Get(isa.DSTUNUSED) == isa.UnusedSext
	case t.Info().Bits16:
		if r.width = 16; dst.Bytes == 0xc {
			r.shift = 16
		}
	}
	return r
}

// put writes the shadow of one lane.
func (r *result) put(h *regShadow, lane int, undef uint64, from tag) {
	if r.width < 32 {
		if undef &= 1<<r.width - 1; r.sext {
			undef = extend(undef, r.width)
		}
		undef <<= r.shift
	}
	for i := range r.dwords {
		h.setVGPR(r.reg+i, lane, uint32(undef>>(32*i)), r.mask, from)
	}
}

// lanewise sets the shadow of the results of an instruction that does the same in each lane, and whose row says how
// bits flow.
func (c *Checker) lanewise(x *step, h *regShadow) {
	in, r := (*isa.Inst)(x.Inst), (*isa.Inst)(x.Inst).Row()
	o := operation{flows: r.Flow, width: uint(32 * r.Sig.Dst.Info().Dwords), signed: signed(r.Sig.Dst)}
	if r.Sig.Dst.Info().Bits16 {
		o.width = 16
	}
	o.amount0 = r.Sig.Src[0] != r.Sig.Dst && r.Sig.Src[1] == r.Sig.Dst
	var src [3]source
	for n := range r.Sig.NumSrc {
		src[n] = x.sourceOf(h, n, r.Sig.Src[n])
	}
	o.sameRegs = src[0].reg >= 0 && src[0].reg == src[1].reg && r.Sig.NumSrc > 1 && src[0] == src[1]
	writes := x.exec
	var moved [state.NumLanes]int8
	if in.Has(isa.DPPCTRL) {
		moved, writes = x.dppLanes()
		src[0].moved, o.sameRegs = &moved, false
	}
	var mask, maskUndef uint64
	var maskFrom tag
	if r.Has(isa.CarryIn) {
		mask, maskUndef, maskFrom = x.carryIn(h)
	}
	dst := x.effectOf(isa.VDST, true)
	if dst == nil {
		return
	}
	out := x.resultOf(dst)
	if r.Flow[0] == isa.FlowSelect { // v_cndmask_b32 selects S1 where the mask is 1
		src[0], src[1] = src[1], src[0]
	}
	var carry uint64
	var carryFrom tag
	var results [state.NumLanes]uint64 // a buffer, because sources may be other lanes of the destination
	var origins [state.NumLanes]tag
	for m := writes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		a, fromA := src[0].at(x, h, lane)
		b, fromB := src[1].at(x, h, lane)
		d, fromD := src[2].at(x, h, lane)
		cond := value{mask >> lane & 1, maskUndef >> lane & 1}
		if cond.undef != 0 {
			fromD = maskFrom
		}
		v := o.apply(a, b, d, cond)
		from := firstOrigin(a.undef != 0, fromA, b.undef != 0, fromB, fromD)
		if v.undef != 0 {
			from = c.undef.origins.through(from, x)
		}
		results[lane], origins[lane] = v.undef, from
		if a.undef|b.undef|d.undef|cond.undef != 0 && r.Has(isa.CarryOut) {
			carry |= 1 << lane
			carryFrom = from
		}
	}
	for m := writes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		out.put(h, lane, results[lane], origins[lane])
	}
	c.masks(x, h, carry, carryFrom)
}

// carryIn returns the lane mask that x reads, its undefined bits and their origin.
func (x *step) carryIn(h *regShadow) (mask, undef uint64, from tag) {
	for i := range x.effects {
		if f := &x.effects[i]; !f.Write && f.Role == isa.RoleMask && f.File == isa.SReg {
			v, from := h.pair(x, int(f.Code), 2)
			return v.bits, v.undef, from
		}
	}
	v, from := h.scalarOperand(x, isa.SRC2, isa.Mask) // a constant, or a flag as bit 0
	return v.bits, v.undef, from
}

// masks writes the shadow of the lane masks that x writes: VCC, SDST and EXEC.
func (c *Checker) masks(x *step, h *regShadow, undef uint64, from tag) {
	if undef != 0 {
		from = c.undef.origins.through(from, x)
	}
	for i := range x.effects {
		if f := &x.effects[i]; f.Write && f.File == isa.SReg {
			h.setScalar(int(f.Code), uint32(undef), from)
			h.setScalar(int(f.Code)+1, uint32(undef>>32), from)
		}
	}
}

// vectorAny makes the results undefined in lanes that read an undefined bit.
func (c *Checker) vectorAny(x *step, h *regShadow) {
	var from [state.NumLanes]tag
	undef, writes := x.undefinedLanes(h, &from)
	var some tag
	for m := undef; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		from[lane] = c.undef.origins.through(from[lane], x)
		some = from[lane]
	}
	for i := range x.effects {
		f := &x.effects[i]
		if !f.Write || f.File != isa.VReg {
			continue
		}
		out := x.resultOf(f)
		for m := writes; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m) & 63
			bad := -(undef >> lane & 1)
			for n := range out.dwords {
				one := out
				one.reg, one.dwords = out.reg+n, 1
				one.put(h, lane, bad&0xffffffff, from[lane])
			}
		}
	}
	c.masks(x, h, undef, some)
}

// undefinedLanes returns the lanes of x that read an undefined bit, with its origin in from, and the lanes that
// write.
func (x *step) undefinedLanes(h *regShadow, from *[state.NumLanes]tag) (undef, writes uint64) {
	writes = x.exec
	var moved [state.NumLanes]int8
	dpp := (*isa.Inst)(x.Inst).Has(isa.DPPCTRL)
	if dpp {
		moved, writes = x.dppLanes()
	}
	for i := range x.effects {
		f := &x.effects[i]
		if f.Write || f.Role == isa.RoleExec || !h.holds(f, x.exec) {
			continue
		}
		switch {
		case f.File != isa.VReg && f.Role == isa.RoleMask:
			v, by := h.pair(x, int(f.Code), 2)
			mark(from, v.undef&writes&^undef, by)
			undef |= v.undef & writes
		case f.File != isa.VReg:
			if u, ok := h.first(f, allLanes, nil); ok {
				mark(from, writes&^undef, u.from)
				undef = writes
			}
		case dpp && f.Lanes == isa.MovedLanes:
			undef |= h.undefinedIn(f, writes&^undef, &moved, from)
		default:
			undef |= h.undefinedIn(f, writes&^undef, nil, from)
		}
	}
	return undef, writes
}

// undefinedIn returns the lanes of mask that read an undefined bit of vector registers, with its origin in from.
// moved are the lanes from which they read; nil means their own.
func (h *regShadow) undefinedIn(
	f *isa.Effect, mask uint64, moved *[state.NumLanes]int8, from *[state.NumLanes]tag,
) (undef uint64) {
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		by := lane
		if moved != nil {
			by = int(moved[lane])
		}
		if by == state.NoLane {
			continue
		}
		if u, ok := h.first(f, 1<<by, nil); ok {
			undef |= 1 << lane
			from[lane] = u.from
		}
	}
	return undef
}

// mark sets the origin of the lanes of mask.
func mark(from *[state.NumLanes]tag, mask uint64, to tag) {
	for ; mask != 0; mask &= mask - 1 {
		from[bits.TrailingZeros64(mask)&63] = to
	}
}

// halves sets the shadow of a packed instruction's results. It does the same in both halves; OP_SEL and OP_SEL_HI
// select the sources' halves.
func (c *Checker) halves(x *step, h *regShadow) {
	in, r := (*isa.Inst)(x.Inst), (*isa.Inst)(x.Inst).Row()
	half := isa.RowOf(r.Half)
	o := operation{flows: half.Flow, width: 16, signed: signed(half.Sig.Dst),
		amount0: half.Sig.Src[0] != half.Sig.Dst && half.Sig.Src[1] == half.Sig.Dst}
	if in.Bool(isa.CLAMP) {
		o.flows = [2]isa.Flow{}
	}
	dst := x.effectOf(isa.VDST, true)
	if dst == nil {
		return
	}
	var src [3]source
	for n := range r.Sig.NumSrc {
		src[n] = x.sourceOf(h, n, r.Sig.Src[n])
	}
	low, high := in.Halves()
	for m := x.exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		var undef uint64
		var from tag
		for i, high := range [2]uint32{low, high} {
			var v [3]value
			for n := range r.Sig.NumSrc {
				one, by := src[n].at(x, h, lane)
				shift := 16 * (high >> n & 1)
				if v[n] = (value{one.bits >> shift & 0xffff, one.undef >> shift & 0xffff}); v[n].undef != 0 {
					from = by
				}
			}
			undef |= o.apply(v[0], v[1], v[2], value{}).undef << (16 * i)
		}
		if undef != 0 {
			from = c.undef.origins.through(from, x)
		}
		h.setVGPR(int(dst.Code), lane, uint32(undef), ^uint32(0), from)
	}
}
