package mimg

import (
	"math/bits"
	"sync/atomic"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// op is a decoded image instruction.
type op struct {
	row *isa.Row
	mem isa.Mem // traits of the row; for atomics Elem is the size according to DMASK

	dmask         uint32
	unrm, da, glc bool
	r128, a16     bool
	d16, packed   bool // packed means two components in a register
	tfe, lwe      bool
	vdata, vaddr  int
	srsrc, ssamp  int
	regs          uint8 // number of data VGPRs, without that of TFE and LWE
	count         int   // number of components in registers, 0 if DMASK is 0
	channel       [format.MaxComponents]int
	addr          [16]isa.ImageAddr // by image type
	interlaced    isa.ImageAddr
	last          atomic.Pointer[view]
	lastLookup    atomic.Pointer[lookup]
}

// decode decodes an image instruction.
func decode(in *isa.Inst) *op {
	r := in.Row()
	o := &op{
		row: r, mem: r.Mem, dmask: in.Get(isa.DMASK), unrm: in.Bool(isa.UNRM), da: in.Bool(isa.DA), glc: in.Bool(isa.GLC),
		r128: in.Bool(isa.R128), a16: in.Bool(isa.A16), d16: in.Bool(isa.D16), packed: isa.TraitsOf(in.Target).PackedD16,
		tfe: in.Bool(isa.TFE), lwe: in.Bool(isa.LWE), vdata: int(in.Get(isa.VDATA)), vaddr: int(in.Get(isa.ADDR)),
		srsrc: int(in.Get(isa.SRSRC)) * 4, ssamp: int(in.Get(isa.SSAMP)) * 4,
		regs: uint8(in.DataDwords() - int(in.Get(isa.TFE))),
	}
	for c := range o.channel {
		if o.dmask>>c&1 != 0 {
			o.channel[o.count] = c
			o.count++
		}
	}
	if r.Has(isa.Gathers) { // the lowest bit selects the component (rule IM5)
		c := bits.TrailingZeros32(o.dmask|1<<format.MaxComponents) % format.MaxComponents
		o.count, o.channel = format.MaxComponents, [...]int{c, c, c, c}
	}
	for t := range gcn.ImageType(len(o.addr)) {
		if isa.ShapeOf(t).Valid {
			o.addr[t] = in.ImageAddr(t, false)
		}
	}
	o.interlaced = in.ImageAddr(gcn.Image2D, true)
	return o
}

// statusNote is the note of instructions that write the register of TFE or LWE.
var statusNote = &isa.Note{Level: gcn.Approximate,
	Why: "what hardware writes to the register of TFE and LWE is not known, 1 here (" + rule.IM7 + ")"}

func init() { executor.Executes(bind, isa.MIMG) }

// bind returns the executor of an instruction. Exec is nil, with the reason in Why, if the instruction or this form
// of it does not execute here.
func bind(in *isa.Inst) executor.Impl {
	o := decode(in)
	impl := o.bind()
	if (o.tfe || o.lwe) && o.mem.Op != gcn.Special { // queries have no status register
		impl = impl.And(statusNote)
	}
	return impl
}

// bind returns the executor of o, without the notes on the status register of TFE and LWE.
func (o *op) bind() executor.Impl {
	switch {
	case o.d16 && !o.mem.Format:
		return executor.Forbidden("D16 does not go with " + o.row.Name + " (" + rule.IM6 + ")")
	case o.row.Has(isa.Sampler):
		return o.bindSampler()
	}
	switch o.mem.Op {
	case gcn.Load:
		return o.bindLoad()
	case gcn.Store:
		return o.bindStore()
	case gcn.Atomic:
		return o.bindAtomic()
	}
	return executor.Impl{Exec: o.query, Level: gcn.Exact}
}

// status returns the variable that collects lanes whose texels are in unmapped memory. It is nil without TFE and LWE,
// because such lanes then fault instead of being reported in a register (rule IM7).
func (o *op) status(lost *uint64) *uint64 {
	if o.tfe || o.lwe {
		return lost
	}
	return nil
}

// report writes the status register in the lanes of failed: lanes with a texel that is not mapped, or with a level of
// which MIN_LOD_WARN warns. In other lanes it is unchanged; compiled code sets it to 0 before. The value that
// hardware writes is not known (rule IM7).
func (o *op) report(w *state.Wave, failed uint64) {
	if failed == 0 || !o.tfe && !o.lwe {
		return
	}
	dst := &w.V[o.vdata+int(o.regs)]
	for ; failed != 0; failed &= failed - 1 {
		dst[bits.TrailingZeros64(failed)&63] = 1
	}
}

// begin resets a and returns the resource, ready for accesses. ok is false if the instruction ends here: with a
// fault, or because the resource is not an image or its data format is invalid. Then result registers are 0 and
// nothing is stored (rules IM10 and IF1).
func (o *op) begin(w *state.Wave, p *executor.Ports, a *state.Access) (v *view, ok bool, fault *state.Fault) {
	executor.Begin(a, &o.mem, state.Global, w.Exec())
	a.Reg, a.Regs = uint16(o.vdata), o.regs
	v = o.find(w, p)
	raw := !o.mem.Format
	switch {
	case !isa.ShapeOf(v.Type).Valid, v.null:
		a.Op = gcn.NoMem
		if !isa.ShapeOf(v.Type).Valid {
			a.Exec = 0
		}
		o.zero(w, w.Exec())
		executor.Doubt(a, v.doubts)
		return v, false, nil
	case o.r128 && !isa.ShapeOf(v.Type).Short:
		return v, false, executor.NewFault(state.FaultIllegal,
			"R128 with a T# of a %v image, which needs 256 bits ("+rule.TD2+")", v.Type)
	case v.fault != nil:
		fault = v.fault
	case v.formatFault != nil && !raw:
		fault = v.formatFault
	default:
		if fault := o.checkAddress(w, v); fault != nil {
			return v, false, fault
		}
		size := v.layout.Surface.Bytes
		a.Elem, a.Count = uint8(min(size, 4)), uint8((size+3)/4)
		executor.Doubt(a, v.doubts)
		return v, true, nil
	}
	f := *fault // the run loop sets the other fields
	return v, false, &f
}

// returns returns the number of result registers.
func (o *op) returns() int {
	switch {
	case o.mem.Op == gcn.Store, o.mem.Op == gcn.Atomic && !o.glc:
		return 0
	case o.mem.Op == gcn.Atomic:
		return int(o.mem.Elem) / 4
	}
	return int(o.regs)
}

// find returns the view of the T# in the registers of the wave.
func (o *op) find(w *state.Wave, p *executor.Ports) *view {
	if o.r128 { // the upper dwords read as 0 (rule IM2)
		var t gcn.TSharp
		copy(t[:4], w.S[o.srsrc:])
		return find(&o.last, w, p, &t)
	}
	return find(&o.last, w, p, (*gcn.TSharp)(w.S[o.srsrc:o.srsrc+len(gcn.TSharp{})]))
}

// layoutOf returns the layout of the address.
func (o *op) layoutOf(v *view) *isa.ImageAddr {
	if v.Interlaced && v.Type == gcn.Image2D {
		return &o.interlaced
	}
	return &o.addr[v.Type]
}

// checkAddress returns a fault if the address is in registers that the wave does not have. Their number depends on
// the type of the image. It also allocates storage for existing registers.
func (o *op) checkAddress(w *state.Wave, v *view) *state.Fault {
	if n := o.layoutOf(v).VGPRs; o.vaddr+n > w.NumVGPRs {
		return executor.NewFault(state.FaultRegister,
			"VADDR is v%d of %d dwords for a %v image, but the wave has only %d VGPRs",
			o.vaddr, n, v.Type, w.NumVGPRs)
	} else {
		executor.Hold(w, o.vaddr+n)
	}
	return nil
}
