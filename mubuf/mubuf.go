package mubuf

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// op is a decoded instruction.
type op struct {
	mem     *isa.Mem
	note    *isa.Note // why the plain form of the row is not exact
	form    Form
	vdata   int
	vaddr   int
	regs    int // address VGPRs
	srsrc   int
	soffset uint32
	data    uint8 // data VGPRs, without that of TFE
	tfe     bool
	ret     int // register of the value that an atomic returns
	second  int // register of its second operand
	direct  executor.Direct
	// constant is the value of SOFFSET as an inline constant.
	constant uint32
}

// operation returns how an instruction executes.
type operation func(*op, *isa.Inst) executor.Impl

// operations holds how each row executes.
var operations = executor.NewTable(executor.OneOf(isa.MUBUF), byFacts, executor.Bindings[operation]{
	"buffer_wbinvl1 buffer_wbinvl1_sc buffer_wbinvl1_vol": (*op).bindCache,
	"buffer_store_lds_dword":                              (*op).bindStoreLDS,
})

// byFacts returns the operation of loads, stores and atomics.
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

// decode returns the parts of a MUBUF or MTBUF instruction, or why it is illegal.
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
		o.direct = executor.Direct{} // a condition, or a number that makes no sense
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

// bind returns how in executes. Exec is nil, with the reason in Why, if the instruction or this
// form of it does not execute here.
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

// resident is impl with what a load with TFE assumes, if it is one.
func (o *op) resident(impl executor.Impl) executor.Impl {
	if o.tfe && o.mem.Op == gcn.Load {
		return impl.And(executor.Resident)
	}
	return impl
}

func (o *op) bindCache(*isa.Inst) executor.Impl { return executor.Noted(o.note, invalidate) }

// bindStoreLDS ignores the LDS bit, which assemblers set.
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

// inBlocks is impl with what blocks need to know.
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

// resolve prepares a and computes addresses; it reports false if the instruction is
// ignored because the resource is no buffer (rule R7).
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

// place computes the addresses of form, with the bits of clear cleared in each address: see [Addresses].
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

// operands returns the registers that addressing reads.
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

// invalidate is BUFFER_WBINVL1: caches hold nothing that memory does not (rule DP7), so
// that only VMCNT changes.
func invalidate(w *state.Wave, _ *executor.Ports, in *isa.Inst, a *state.Access) *state.Fault {
	executor.Begin(a, &in.Row().Mem, state.Global, 0)
	a.Op = gcn.NoMem
	return nil
}
