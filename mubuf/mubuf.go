package mubuf

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// op is a decoded MUBUF or MTBUF instruction.
type op struct {
	mem     *isa.Mem
	note    *isa.Note // why the fidelity of the row's plain form is not exact
	form    Form
	vdata   int
	vaddr   int
	regs    int // number of address VGPRs
	srsrc   int
	soffset uint32
	data    uint8 // number of data VGPRs without the one of TFE
	tfe     bool
	ret     int // VGPR that receives the value an atomic returns
	second  int // VGPR of the atomic's second operand
	direct  executor.Direct
	// constant is the value of SOFFSET if it is an inline constant.
	constant uint32
}

// operation returns the executor of an instruction.
type operation func(*op, *isa.Inst) executor.Impl

// operations maps each row to its operation.
var operations = executor.NewTable(executor.OneOf(isa.MUBUF), byFacts, executor.Bindings[operation]{
	"buffer_wbinvl1 buffer_wbinvl1_sc buffer_wbinvl1_vol": (*op).bindCache,
	"buffer_store_lds_dword":                              (*op).bindStoreLDS,
})

// byFacts returns the operation of loads, stores and atomics, which follows from their row.
func byFacts(r *isa.Row) (operation, bool) {
	switch {
	case r.Mem.Format:
		return (*op).bindFormat, true
	case r.Mem.Op == gcn.Load:
		return (*op).bindLoad, true
	case r.Mem.Op == gcn.Store:
		return (*op).bindStore, true
	case r.Mem.Op == gcn.Atomic:
		return (*op).bindAtomic, true
	}
	return nil, false
}

// decode decodes a MUBUF or MTBUF instruction. why is the reason if it is illegal.
func decode(in *isa.Inst) (o *op, why string) {
	r := in.Row()
	m := &r.Mem
	tfe := in.Bool(isa.TFE)
	o = &op{
		mem: m, note: r.Note,
		form: Form{
			Offset: in.Get(isa.OFFSET), IdxEn: in.Bool(isa.IDXEN), OffEn: in.Bool(isa.OFFEN), Addr64: in.Bool(isa.ADDR64),
			Elem: m.Elem, Count: m.Count, Format: m.Format,
			bytes: (m.Op == gcn.Load || m.Op == gcn.Store) && !m.Format && !in.Bool(isa.LDS),
		},
		vdata: int(in.Get(isa.VDATA)), vaddr: int(in.Get(isa.ADDR)), regs: in.AddrDwords(),
		srsrc: int(in.Get(isa.SRSRC)) * 4, soffset: in.Get(isa.SOFFSET),
		data: uint8(in.DataDwords()), tfe: tfe, ret: executor.NoReg, second: executor.NoReg,
	}
	if tfe {
		o.data--
	}
	o.direct = executor.NewDirect(in.Target, m, uint32(m.Elem), o.vdata, o.vdata+1, o.alignment)
	if constant, ok := isa.InlineConstant(o.soffset, isa.B32); ok {
		o.constant = uint32(constant)
	} else if o.soffset >= isa.NumScalarCodes {
		o.direct = executor.Direct{} // SOFFSET is VCCZ, EXECZ, SCC or a float, which are no offsets
	}
	switch {
	case m.Op == gcn.Special && m.Elem == 0: // the cache instructions have no operands
	case o.form.Addr64 && (o.form.IdxEn || o.form.OffEn):
		return nil, "ADDR64 does not go with OFFEN or IDXEN (" + rule.A8 + ")"
	case o.soffset == isa.Literal:
		return nil, "SOFFSET cannot be a literal (" + rule.A9 + ")"
	}
	return o, ""
}

func init() {
	executor.Executes(bind, isa.MUBUF)
	executor.Executes(bindMTBUF, isa.MTBUF)
}

// bind returns the executor of an instruction. Exec is nil, with the reason in Why, if the instruction or this form
// of it does not execute here.
func bind(in *isa.Inst) executor.Impl {
	of, why := operations.Of(in)
	if why != "" {
		return executor.Impl{Why: why}
	}
	o, why := decode(in)
	if why != "" {
		return executor.Forbidden(why)
	}
	return o.resident(of(o, in))
}

// resident adds to impl the note on TFE, which assumes that every page is resident, if the instruction has TFE.
func (o *op) resident(impl executor.Impl) executor.Impl {
	if o.tfe && o.mem.Op == gcn.Load {
		return impl.And(executor.Resident)
	}
	return impl
}

func (o *op) bindCache(*isa.Inst) executor.Impl { return executor.Noted(o.note, invalidate) }

// bindStoreLDS returns the executor of BUFFER_STORE_LDS_DWORD. It ignores the LDS bit, which assemblers set.
func (o *op) bindStoreLDS(*isa.Inst) executor.Impl { return executor.Noted(o.note, o.storeLDS) }

func (o *op) bindLoad(in *isa.Inst) executor.Impl {
	if in.Bool(isa.LDS) {
		return o.bindLDS()
	}
	return o.inBlocks(in, executor.Noted(o.note, o.load))
}

func (o *op) bindStore(in *isa.Inst) executor.Impl {
	if in.Bool(isa.LDS) {
		return o.bindLDS()
	}
	return o.inBlocks(in, executor.Noted(o.note, o.store))
}

// inBlocks adds to impl the functions that package block needs to compile the instruction.
func (o *op) inBlocks(in *isa.Inst, impl executor.Impl) executor.Impl {
	impl.Block, impl.Site = func() *block.Instr { return o.block(in) }, o.site
	return impl
}

func (o *op) bindAtomic(in *isa.Inst) executor.Impl {
	switch {
	case in.Bool(isa.LDS):
		return o.bindLDS()
	case o.tfe:
		return executor.Impl{Why: "TFE of an atomic instruction is not modelled"}
	}
	if in.Bool(isa.GLC) {
		o.ret = o.vdata
	}
	words := int(o.mem.Elem) / 4
	if int(o.data) > words {
		o.second = o.vdata + words
	}
	return executor.Noted(o.note, o.atomic)
}

// resolve resets a and computes addresses. It returns false if the instruction is ignored because the resource is not
// a buffer (rule R7).
func (o *op) resolve(w *state.Wave, p *executor.Ports, a *state.Access) bool {
	executor.Begin(a, o.mem, state.Global, w.Exec())
	a.Reg, a.Regs = uint16(o.vdata), o.data
	if isa.VType.In((*gcn.VSharp)(w.S[o.srsrc:o.srsrc+4])) != 0 {
		a.Op, a.Exec = gcn.NoMem, 0
		return false
	}
	clear, must := o.alignment(w.Target, p.Align)
	o.place(w, p, &o.form, clear, a)
	executor.CheckAlign(w, must, a.Exec, a)
	return true
}

// place computes the addresses of form and clears the bits of clear in each; see [Addresses].
func (o *op) place(w *state.Wave, p *executor.Ports, form *Form, clear uint64, a *state.Access) {
	args := o.operands(w)
	args.Clear = clear
	addresses(executor.BufferRulesOf(p.Rules, w.Target.Gen()), form, &args, a)
	if p.Compare == nil {
		return
	}
	compare(w.Target.Gen(), p, form, &args, a)
	if clear != 0 {
		args.Clear = 0
		p.Compare.Exec, p.Compare.Elem, p.Compare.Count = a.Exec, a.Elem, a.Count
		addresses(executor.BufferRulesOf(p.Rules, w.Target.Gen()), form, &args, p.Compare)
		executor.NoteCut(&p.Compare.Addr, clear, a)
	}
}

// operands returns the register values that determine the addresses.
func (o *op) operands(w *state.Wave) Operands {
	args := Operands{V: (*gcn.VSharp)(w.S[o.srsrc : o.srsrc+4]), SOffset: executor.Source(w, o.soffset, 0)}
	for i := range o.regs {
		args.VAddr[i] = &w.V[o.vaddr+i]
	}
	return args
}

func (o *op) alignment(t gcn.Target, mode state.Alignment) (clear, must uint64) {
	if o.mem.Op == gcn.Atomic {
		return executor.AtomicAlignMask(t, mode, int(o.mem.Elem))
	}
	return executor.AlignMask(t, mode, int(o.mem.Elem)*int(o.mem.Count))
}

func (o *op) load(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	if !o.directly(w, p) {
		if !o.resolve(w, p, a) {
			return nil
		}
		var f *state.Fault
		if o.crosses(w, p, a) {
			f = o.loadBytes(w, p, a)
		} else {
			f = executor.Load(w, p.Mem, o.mem, o.vdata, a.Exec, a)
		}
		if f != nil {
			return f
		}
	}
	if o.tfe { // every page is resident (rules DP6 and K21)
		executor.Zero(w, o.vdata+int(o.data), w.Exec())
	}
	return nil
}

func (o *op) store(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	if o.directly(w, p) || !o.resolve(w, p, a) {
		return nil
	}
	if o.crosses(w, p, a) {
		return o.storeBytes(w, p, a)
	}
	return executor.Store(w, p.Mem, o.mem, o.vdata, a.Exec, a)
}

func (o *op) atomic(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	if !o.resolve(w, p, a) {
		return nil
	}
	return executor.Atomic(w, p, p.Mem, o.mem, o.vdata, o.second, o.ret, a.Exec, a)
}

// invalidate executes BUFFER_WBINVL1. The simulator has no caches (rule DP7), so only VMCNT changes.
func invalidate(w *state.Wave, _ *executor.Ports, in *isa.Inst, a *state.Access) *state.Fault {
	executor.Begin(a, &in.Row().Mem, state.Global, 0)
	a.Op = gcn.NoMem
	return nil
}
