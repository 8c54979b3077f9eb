package mubuf

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// op is a decoded instruction.
type op struct {
	mem     *gcn.Mem
	form    Form
	vdata   int
	vaddr   int
	regs    int // address VGPRs
	srsrc   int
	soffset uint32
	data    uint8 // data VGPRs, without that of TFE
	tfe     bool
}

// Bind returns how in executes. Format instructions are not executed here.
func Bind(in *gcn.Inst) state.Impl {
	r := in.Row()
	o := &op{
		mem: &r.Mem,
		form: Form{
			Offset: in.Get(gcn.OFFSET), IdxEn: in.Bool(gcn.IDXEN), OffEn: in.Bool(gcn.OFFEN), Addr64: in.Bool(gcn.ADDR64),
			Elem: r.Mem.Elem, Count: r.Mem.Count, Format: r.Mem.Format,
		},
		vdata: int(in.Get(gcn.VDATA)), vaddr: int(in.Get(gcn.ADDR)), regs: in.AddrDwords(),
		srsrc: int(in.Get(gcn.SRSRC)) * 4, soffset: in.Get(gcn.SOFFSET),
		data: uint8(r.Mem.DataDwords()), tfe: in.Bool(gcn.TFE),
	}
	switch m := r.Mem; {
	case r.Enc != gcn.MUBUF:
		return state.Impl{Why: "not a MUBUF instruction"}
	case o.form.Addr64 && (o.form.IdxEn || o.form.OffEn):
		return state.Impl{Why: "ADDR64 does not go with OFFEN or IDXEN (seed: GcnMemHandling)"}
	case m.Format:
		return state.Impl{Why: "format conversion is not modelled yet"}
	case in.Bool(gcn.LDS):
		return state.Impl{Why: "loads to LDS are not modelled yet"}
	case m.Op == gcn.Load:
		return state.Impl{Exec: o.load, Level: state.Exact}
	case m.Op == gcn.Store:
		return state.Impl{Exec: o.store, Level: state.Exact}
	}
	return state.Impl{Why: "not modelled yet"}
}

// resolve prepares a and computes addresses; it reports false if the instruction is
// ignored because the resource is no buffer (spec/memory.md R7).
func (o *op) resolve(w *state.Wave, p *state.Ports, a *state.Access) bool {
	a.Begin(o.mem, state.Global, w.Exec())
	a.Reg, a.Regs = uint16(o.vdata), o.data
	var args Operands
	copy(args.V[:], w.S[o.srsrc:o.srsrc+4])
	if args.V.Type() != 0 {
		a.Op, a.Exec = gcn.NoMem, 0
		return false
	}
	args.SOffset = w.Source(o.soffset, 0)
	for i := range o.regs {
		args.VAddr[i] = &w.V[o.vaddr+i]
	}
	clear, must := w.AlignMask(p, int(o.form.Elem)*int(o.form.Count))
	args.Clear = clear
	Addresses(w.Gen.BufferRules(p.Rules == state.DriverRules), &o.form, &args, a)
	w.CheckAlign(must, a.Exec, a)
	return true
}

func (o *op) load(w *state.Wave, p *state.Ports, _ *gcn.Inst, a *state.Access) *state.Fault {
	w.Issue(1, 0, 0)
	if !o.resolve(w, p, a) {
		return nil
	}
	if f := w.Load(p.Mem, o.mem, o.vdata, a.Exec, a); f != nil {
		return f
	}
	if o.tfe { // every page is resident (spec/memory.md 5.6)
		w.Zero(o.vdata+int(o.data), a.Exec)
	}
	return nil
}

func (o *op) store(w *state.Wave, p *state.Ports, _ *gcn.Inst, a *state.Access) *state.Fault {
	w.Issue(1, 1, 0)
	if !o.resolve(w, p, a) {
		return nil
	}
	return w.Store(p.Mem, o.mem, o.vdata, a.Exec, a)
}
