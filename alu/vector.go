package alu

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

type lanes = state.Lanes

// pair is a vector operand: one register, or two of a 64-bit operand.
type pair struct{ lo, hi *state.Lanes }

// A kernel computes an operation for all 64 lanes. It reads the sources of a lane before it writes that lane's
// result, so that the destination may be one of the sources. Operands that an operation does not have are nil.
type (
	// lanesOp is an operation on operands of up to 32 bits. 16-bit operands are in bits 15:0. Bits 31:16 of such a
	// source are undefined, and those of a result are not used.
	lanesOp func(d, a, b, c *state.Lanes)
	// pairsOp is an operation with a 64-bit operand.
	pairsOp func(d, a, b, c pair, m state.Mode)
	// maskedOp is an expensive operation that computes only the lanes of active. Other lanes of the destination are
	// undefined.
	maskedOp func(d, a, b, c pair, m state.Mode, active uint64)
	// f32Op is a maskedOp on 32-bit operands. It may read inactive lanes.
	f32Op func(d, a, b, c *state.Lanes, m state.Mode, active uint64)
	// chainOp is an operation that reads and returns one bit per lane.
	chainOp func(d, a, b *state.Lanes, in uint64) (out uint64)
	// sumOp is a chainOp in two versions. The second uses lane 0 of a for all lanes; it may be nil.
	sumOp struct {
		all, one chainOp
		block    *block.Vector // the operation for package block, nil if it cannot be compiled
	}
	// carryOp is a chainOp on operands of any size that depends on MODE. It may skip inactive lanes.
	carryOp func(d, a, b, c pair, in uint64, m state.Mode, active uint64) (out uint64)
	// compareOp returns one bit per lane.
	compareOp func(a, b pair, m state.Mode) uint64
)

// vectorOp computes an instruction. Exactly one of its functions is set.
type vectorOp struct {
	lanes   lanesOp
	pairs   pairsOp
	masked  maskedOp
	f32     f32Op
	chain   sumOp
	carry   carryOp
	compare compareOp
	block   *block.Vector // its description for package block, nil if it cannot be compiled
}

// vop is a bound vector instruction.
type vop struct {
	vectorOp
	src  [3]vsrc
	n    int    // number of sources
	dst  uint32 // first VGPR of the destination
	wide bool   // the destination is a pair
	out  result
	dpp  *executor.DPP // nil if SRC0 is not permuted

	takes, gives bool   // whether it reads a lane mask, and whether it writes one
	maskIn       uint32 // operand code of the lane mask that is read
	maskOut      uint32 // operand code of the lane mask that is written
	cmpx         bool   // a comparison writes EXEC as well
}

// bindVector binds op to the operands of a vector instruction.
func bindVector(in *isa.Inst, r *isa.Row, op vectorOp) executor.Impl {
	v := &vop{vectorOp: op, dst: in.Get(isa.VDST), wide: r.Sig.Dst.Info().Dwords == 2 && r.Sig.Dst != isa.Mask,
		out: resultOf(in, r)}
	v.bindSources(in, r)
	v.bindMasks(in, r)
	if in.Has(isa.DPPCTRL) {
		d, undefined := dppOf(in)
		if d == nil {
			return executor.Forbidden(undefined)
		}
		v.dpp = d
	}
	impl := executor.Noted(r.Note, v.exec())
	impl.Block = v.blockInstr
	return impl
}

// exec returns the executor of v.
func (v *vop) exec() executor.Exec {
	if exec := v.whole(); exec != nil {
		return exec
	}
	switch {
	case v.lanes != nil:
		return v.execLanes
	case v.pairs != nil:
		return v.execPairs
	case v.masked != nil:
		return v.execMasked
	case v.f32 != nil:
		return v.execF32
	case v.chain.all != nil:
		return v.execChain
	case v.carry != nil:
		return v.execCarry
	}
	return v.execCompare
}

func (v *vop) bindSources(in *isa.Inst, r *isa.Row) {
	v.n = r.Sig.NumSrc
	for i := range v.n {
		v.src[i] = vectorSource(in, r, i)
	}
	switch {
	case r.Has(isa.LiteralK) && r.Has(isa.KBeforeSrc1): // v_madmk computes SRC0 * K + VSRC1
		v.src[1], v.src[2] = literalSource(in, r.Sig.Src[1]), v.src[1]
		v.n = 3
	case r.Has(isa.LiteralK): // v_madak computes SRC0 * VSRC1 + K
		v.src[2] = literalSource(in, r.Sig.Dst)
		v.n = 3
	case r.Has(isa.ReadsDst): // v_mac: the destination is the last source
		v.src[v.n] = vsrc{kind: fromVGPR, plain: true, code: v.dst, t: r.Sig.Dst, wide: v.wide, index: indexDst}
		v.n++
	}
}

// bindMasks binds the lane masks: VCC, unless the encoding names other registers.
func (v *vop) bindMasks(in *isa.Inst, r *isa.Row) {
	v.maskIn, v.maskOut = gcn.VCC, gcn.VCC
	v.takes, v.gives = r.Has(isa.CarryIn), r.Has(isa.CarryOut)
	v.cmpx = r.Sig.Dst == isa.Mask && r.Has(isa.WritesEXEC)
	vop3 := in.Enc == isa.VOP3A || in.Enc == isa.VOP3B
	if vop3 && r.Has(isa.CarryIn) {
		v.maskIn = in.Get(isa.SRC2)
	}
	switch {
	case vop3 && r.Sig.Dst == isa.Mask:
		v.maskOut = in.Get(isa.VDST)
	case vop3 || in.Bool(isa.SDSTEN):
		v.maskOut = in.Get(isa.SDST)
	}
}

// Temporaries of a wave: two for each source, two for the result, two for DPP.
const (
	tempResult = 6
	tempDPP    = 8
)

// operands fetches the sources. mask has the lanes to write: those of EXEC that DPP does not disable.
func (v *vop) operands(w *state.Wave) (s [3]pair, mask uint64) {
	mask = w.Exec()
	for i := range v.n {
		s[i] = v.src[i].fetch(w, i)
		if i == 0 && v.dpp != nil {
			s[0].lo, mask = permute(v.dpp, w, s[0].lo, mask)
		}
		if !v.src[i].plain {
			s[i] = v.src[i].modify(w, s[i], i)
		}
	}
	return s, mask
}

// target returns the destination register, the register to compute in, and the lanes of mask that are written. The
// register to compute in is a temporary if the result needs more work.
func (v *vop) target(w *state.Wave, mask uint64) (dst, d pair, written uint64) {
	n, ok := destination(w, v.dst, dwords(v.wide))
	if !ok {
		mask = 0
	}
	dst.lo = &w.V[n]
	if v.wide {
		dst.hi = &w.V[n+1]
	}
	if mask == state.FullExec && v.out.plain {
		return dst, dst, mask
	}
	t := w.Temp()
	d.lo = &t[tempResult]
	if v.wide {
		d.hi = &t[tempResult+1]
	}
	return dst, d, mask
}

// write finishes the result d and writes it to the lanes of mask.
func (v *vop) write(w *state.Wave, dst, d pair, mask uint64) {
	if dst.lo == d.lo {
		return
	}
	if !v.out.plain {
		v.out.finish(dst, d, w.Mode, mask)
	}
	simd.Merge(dst.lo, d.lo, mask)
	if v.wide {
		simd.Merge(dst.hi, d.hi, mask)
	}
}

func (v *vop) execLanes(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
	s, mask := v.operands(w)
	dst, d, mask := v.target(w, mask)
	v.lanes(d.lo, s[0].lo, s[1].lo, s[2].lo)
	v.write(w, dst, d, mask)
	return nil
}

func (v *vop) execPairs(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
	s, mask := v.operands(w)
	dst, d, mask := v.target(w, mask)
	v.pairs(d, s[0], s[1], s[2], w.Mode)
	v.write(w, dst, d, mask)
	return nil
}

func (v *vop) execMasked(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
	s, mask := v.operands(w)
	dst, d, mask := v.target(w, mask)
	v.masked(d, s[0], s[1], s[2], w.Mode, mask)
	v.write(w, dst, d, mask)
	return nil
}

func (v *vop) execF32(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
	s, mask := v.operands(w)
	dst, d, mask := v.target(w, mask)
	v.f32(d.lo, s[0].lo, s[1].lo, s[2].lo, w.Mode, mask)
	v.write(w, dst, d, mask)
	return nil
}

func (v *vop) execChain(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
	s, mask := v.operands(w)
	dst, d, mask := v.target(w, mask)
	out := v.chain.all(d.lo, s[0].lo, s[1].lo, v.laneMask(w))
	v.write(w, dst, d, mask)
	v.giveMask(w, out, mask)
	return nil
}

func (v *vop) execCarry(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
	s, mask := v.operands(w)
	dst, d, mask := v.target(w, mask)
	out := v.carry(d, s[0], s[1], s[2], executor.Source64(w, v.maskIn, 0, isa.Mask), w.Mode, mask)
	v.write(w, dst, d, mask)
	v.giveMask(w, out, mask)
	return nil
}

// laneMask returns the lane mask that v reads, 0 if it reads none.
func (v *vop) laneMask(w *state.Wave) uint64 {
	if !v.takes {
		return 0
	}
	return executor.Source64(w, v.maskIn, 0, isa.Mask)
}

// giveMask writes the lane mask of v, if v has one. The bits of inactive lanes become 0, as for comparisons. It
// writes nothing if GPR indexing selects a destination that the wave does not have (rule ST23).
func (v *vop) giveMask(w *state.Wave, out, mask uint64) {
	if !v.gives {
		return
	}
	if _, ok := destination(w, v.dst, dwords(v.wide)); ok {
		w.SetScalar64(v.maskOut, out&mask)
	}
}

// execCompare executes a comparison. The bits of inactive lanes become 0 (AMD GCN ISA manuals, VOPC).
func (v *vop) execCompare(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
	s, mask := v.operands(w)
	v.judge(w, v.compare(s[0], s[1], w.Mode)&mask)
	return nil
}

// judge writes the result of a comparison.
func (v *vop) judge(w *state.Wave, got uint64) {
	w.SetScalar64(v.maskOut, got)
	if v.cmpx {
		w.SetExec(got)
	}
}
