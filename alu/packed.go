package alu

import (
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// packedVOP is a bound VOP3P instruction on two halves.
type packedVOP struct {
	op     vectorOp // operation on one half; its lanes or masked is set
	src    [3]vsrc
	n      int
	dst    uint32
	float  bool
	out    result    // result of one half
	halves [2]uint32 // OP_SEL for the low result, OP_SEL_HI for the high one: bit n selects the half of source n
	neg    [2]uint32 // NEG and NEG_HI
}

// selects returns the fields OP_SEL, OP_SEL_HI, NEG and NEG_HI. Bit n of each field applies to source n.
func selects(in *isa.Inst) (halves, neg [2]uint32) {
	halves[0], halves[1] = in.Halves()
	return halves, [2]uint32{in.Get(isa.NEG), in.Get(isa.NEGHI)}
}

// packedOp is the operation of a packed row: it applies the operation of another row to each half.
type packedOp struct {
	unfused bool // multiply-adds round twice; see unfusedOps
}

func (x packedOp) bind(in *isa.Inst, r *isa.Row) executor.Impl {
	half, row := *in, isa.RowOf(r.Half)
	half.Op = r.Half
	table := operations
	if x.unfused {
		table = unfused
	}
	does, _ := table.Row(r.Half)
	op, why := does.(vectorRow).op(&half, row)
	if why != "" {
		return executor.Impl{Why: why}
	}
	p := &packedVOP{op: op, n: r.Sig.NumSrc, dst: in.Get(isa.VDST), float: row.Sig.Dst.Info().Float}
	p.out = result{t: row.Sig.Dst, clamp: p.float && in.Bool(isa.CLAMP)}
	p.halves, p.neg = selects(in)
	for i := range p.n {
		p.src[i] = vectorSource(in, r, i)
	}
	return executor.Noted(r.Note, p.exec)
}

func (p *packedVOP) exec(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
	t := w.Temp()
	var src [3]*lanes
	for i := range p.n {
		src[i] = p.src[i].fetch(w, i).lo
	}
	// The sources are in temporaries 0, 2, 4 or in registers; their halves are copied to 1, 3, 5.
	for h := range p.halves {
		var s [3]*lanes
		for i := range p.n {
			s[i] = &t[2*i+1]
			takeHalf(s[i], src[i], p.halves[h]>>i&1, p.float && p.neg[h]>>i&1 != 0)
		}
		d := pair{lo: &t[tempResult+h]}
		if p.op.masked != nil {
			p.op.masked(d, pair{lo: s[0]}, pair{lo: s[1]}, pair{lo: s[2]}, w.Mode, w.Exec())
		} else {
			p.op.lanes(d.lo, s[0], s[1], s[2])
		}
		if p.out.clamp {
			scaleAndClamp(&p.out, d, w.Mode, w.Exec())
		}
	}
	lo, hi := &t[tempResult], &t[tempResult+1]
	simd.Insert(lo, hi, lo, 16, 0xffff0000, 0xffff)
	if at, ok := destination(w, p.dst, 1); ok {
		simd.Merge(&w.V[at], lo, w.Exec())
	}
	return nil
}

// takeHalf sets d to the low or high half of s. If neg is set, it is negated as a float16.
func takeHalf(d, s *lanes, high uint32, neg bool) {
	shift := 16 * high & 31
	var sign uint32
	if neg {
		sign = 0x8000
	}
	simd.Field(d, s, shift, 0xffff, sign)
}

// Mixed operations. A source is a float32 or, if its OP_SEL_HI is set, the float16 in the half of a register that
// OP_SEL selects. NEG_HI means ABS. Source: CLRX GcnInstrsVop3p, V_MAD_MIX_F32.
var mixOps = executor.Bindings[mixOp]{
	"v_mad_mix_f32":   {signalsF32.f32(madF32), halfZero, true},
	"v_mad_mixlo_f16": {signalsF32.f32(madF32), halfLow, true},
	"v_mad_mixhi_f16": {signalsF32.f32(madF32), halfHigh, true},
	"v_fma_mix_f32":   {signalsF32.f32(fmaF32), halfZero, false},
	"v_fma_mixlo_f16": {signalsF32.f32(fmaF32), halfLow, false},
	"v_fma_mixhi_f16": {signalsF32.f32(fmaF32), halfHigh, false},
}

// mix is a bound mixed operation. It computes in float32 and then rounds to float16.
type mix struct {
	op     f32Op
	src    [3]vsrc
	dst    uint32
	out    result
	halves [2]uint32
	neg    [2]uint32
	// flushes: a denormal float16 result becomes 0, whatever MODE selects (rule FP3).
	flushes bool
}

// mixOp is the operation of a mixed row, with the destination of its result and mix.flushes.
type mixOp struct {
	op      f32Op
	into    halfWrite
	flushes bool
}

func (op mixOp) bind(in *isa.Inst, r *isa.Row) executor.Impl {
	x := &mix{op: op.op, dst: in.Get(isa.VDST), flushes: op.flushes}
	x.out = result{t: r.Sig.Dst, clamp: in.Bool(isa.CLAMP), sel: isa.SelectDword, half: op.into}
	x.halves, x.neg = selects(in)
	for i := range x.src {
		x.src[i] = vectorSource(in, r, i)
	}
	return executor.Noted(r.Note, x.exec)
}

func (x *mix) exec(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
	t := w.Temp()
	var s [3]*lanes
	e, exec := envOf(isa.F16, w.Mode), w.Exec()
	for i := range x.src {
		src := x.src[i].fetch(w, i).lo
		s[i] = &t[2*i+1]
		if x.halves[1]>>i&1 != 0 {
			takeHalf(s[i], src, x.halves[0]>>i&1, false)
			f32OfHalf(s[i], s[i], nil, nil, e, exec)
			src = s[i]
		}
		simd.Field(s[i], src, 0, ^(x.neg[1] >> i & 1 << 31), x.neg[0]>>i&1<<31)
	}
	d := pair{lo: &t[tempResult]}
	x.op(d.lo, s[0], s[1], s[2], w.Mode, exec)
	if x.out.t.Info().Bits16 {
		e.flushIn, e.flushOut = false, e.flushOut || x.flushes
		halfOfF32(d.lo, d.lo, nil, nil, e, exec)
	}
	at, ok := destination(w, x.dst, 1)
	if !ok {
		return nil
	}
	dst := pair{lo: &w.V[at]}
	x.out.finish(dst, d, w.Mode, exec)
	simd.Merge(dst.lo, d.lo, exec)
	return nil
}
