package mubuf

import (
	"errors"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// typed is a load or store that converts between the format of the buffer and registers: a FORMAT instruction of
// MUBUF, or one of MTBUF, which has a format of its own.
type typed struct {
	*op
	own    bool           // MTBUF: the format is fixed and there is no component selection
	fixed  *format.Format // nil if the data format is invalid; see null
	packed bool           // D16 data has two components in a register
}

// bindMTBUF returns the executor of an MTBUF instruction, whose data and number format are in the instruction.
// Package mtbuf documents these instructions.
func bindMTBUF(in *isa.Inst) executor.Impl {
	f, err := format.Lookup(uint8(in.Get(isa.DFMT)), uint8(in.Get(isa.NFMT)))
	if err != nil {
		var e *format.Error
		if known := errors.As(err, &e); !known || !e.Null {
			return executor.Impl{Why: err.Error(), Illegal: known && e.Mismatch}
		}
	}
	o, why := decode(in)
	if why != "" {
		return executor.Forbidden(why)
	}
	t := &typed{op: o, own: true, fixed: f, packed: isa.TraitsOf(in.Target).PackedD16}
	return o.resident(t.bindOwn(in.Target, f))
}

// bindOwn does what [typed.bind] does, for an instruction with a format of its own.
func (t *typed) bindOwn(target gcn.Target, f *format.Format) executor.Impl {
	impl := t.bind()
	switch m := t.mem; {
	case f == nil:
		return executor.Impl{Exec: impl.Exec, Level: gcn.Assumed, Why: "an invalid data format loads 0 (" + rule.R6 + ")"}
	case m.Op == gcn.Store && f.NoStore:
		return executor.Forbidden(f.String() + " takes no stores (" + rule.DP13 + ")")
	case f.Elevens && isa.TraitsOf(target).PackedFloatDoubt:
		return executor.Impl{Exec: impl.Exec, Level: gcn.Approximate,
			Why: f.String() + " may not work on this generation (" + rule.DP12 + ")"}
	case m.Op == gcn.Store && f.ExactStore:
		return executor.Exact(impl.Exec)
	case m.Op == gcn.Load && f.Doubt != "":
		return executor.Impl{Exec: impl.Exec, Level: gcn.Approximate, Why: f.Doubt}
	case t.narrows(f):
		return executor.Impl{Exec: impl.Exec, Level: gcn.Approximate, Why: halfDoubts[0]}
	}
	return impl
}

// bindFormat does what [bind] does, for a FORMAT instruction of MUBUF: format and DST_SEL come from the V# (rule
// DP1).
func (o *op) bindFormat(in *isa.Inst) executor.Impl {
	t := &typed{op: o, packed: isa.TraitsOf(in.Target).PackedD16}
	if in.Bool(isa.LDS) {
		if impl := o.bindLDS(); impl.Exec == nil {
			return impl
		}
		return executor.Noted(isa.LDSOffset, t.loadLDS)
	}
	return t.bind()
}

// narrows reports whether a D16 load converts integers of format f to fewer bits.
func (t *typed) narrows(f *format.Format) bool {
	return t.mem.Op == gcn.Load && t.mem.D16 != isa.Full && f.Kind != format.Float && f.Size > 2*f.Components
}

func (t *typed) bind() executor.Impl {
	if t.mem.Op == gcn.Store {
		return executor.Noted(t.note, t.store)
	}
	return executor.Noted(t.note, t.load)
}

// transfer holds the data that one execution converts.
type transfer struct {
	f   *format.Format // nil: no data is transferred
	sel format.Select
	in  uint64 // lanes of EXEC that are in range
}

// Notes on formats whose behaviour no source states for certain.
var (
	nullDoubts   = []string{"an invalid data format loads 0 (" + rule.R6 + ")"}
	halfDoubts   = []string{"what D16 loads make of integers of more than 16 bits is not known (" + rule.DP4 + ")"}
	selectDoubts = []string{"a reserved DST_SEL (2 or 3) is taken as 0 (" + rule.DP14 + ")"}
)

// begin resets a, finds the format and computes addresses. ok is false if the resource is not a buffer: then the
// instruction is ignored (rule R7).
func (t *typed) begin(w *state.Wave, p *executor.Ports, a *state.Access) (x transfer, ok bool, fault *state.Fault) {
	executor.Begin(a, t.mem, state.Global, w.Exec())
	v := (*gcn.VSharp)(w.S[t.srsrc : t.srsrc+4])
	if isa.VType.In(v) != 0 {
		a.Op, a.Exec = gcn.NoMem, 0
		return x, false, nil
	}
	if x.f, fault = t.format(w, v); fault != nil {
		return x, false, fault
	}
	if x.f == nil {
		a.Op = gcn.NoMem
		if !t.own { // bindOwn notes this for MTBUF
			executor.Doubt(a, nullDoubts)
		}
		return x, true, nil
	}
	if t.own {
		x.sel = x.f.Identity
	} else if x.sel = v.Fields().DstSel; executor.ReservedSel(x.sel) {
		executor.Doubt(a, selectDoubts)
	}
	if !t.own && t.narrows(x.f) {
		executor.Doubt(a, halfDoubts)
	}
	form := t.form
	form.Elem, form.Count = uint8(min(x.f.Size, 4)), uint8(x.f.Words)
	form.Whole, form.Own = true, t.own
	a.Elem, a.Count = form.Elem, form.Count
	if t.mem.Op == gcn.Load {
		a.Doubt = x.f.Doubt
	}
	// Formats have their own alignment in every mode (rule L3).
	t.place(w, p, &form, uint64(form.Elem-1), a)
	x.in = a.Exec &^ a.Out[0]
	return x, true, nil
}

// format returns the format of the instruction or the V#. It is nil if the data format is invalid or reserved: then
// loads return 0 and stores do nothing (rule R6).
func (t *typed) format(w *state.Wave, v *gcn.VSharp) (*format.Format, *state.Fault) {
	f := t.fixed
	if !t.own {
		var err error
		if f, err = format.Lookup(uint8(isa.VDataFormat.In(v)), uint8(isa.VNumFormat.In(v))); err != nil {
			var e *format.Error
			switch {
			case !errors.As(err, &e):
			case e.Null:
				return nil, nil
			case e.Mismatch:
				return nil, executor.NewFault(state.FaultIllegal, "the format of the V#: %v", err)
			}
			return nil, executor.NewFault(state.FaultUnsupported, "the format of the V# is not modelled: %v", err)
		}
	}
	if f != nil && t.mem.Op == gcn.Store && f.NoStore {
		return nil, executor.NewFault(state.FaultIllegal, "the format %v of the V# takes no stores ("+rule.DP13+")", f)
	}
	if f != nil && isa.TraitsOf(w.Target).UnsignedAlpha && t.mem.Op == gcn.Load {
		f = f.UnsignedAlpha
	}
	return f, nil
}

func (t *typed) load(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	x, ok, fault := t.begin(w, p, a)
	if !ok {
		return fault
	}
	a.Reg, a.Regs = uint16(t.vdata), t.data
	count := int(t.mem.Count)
	var regs [format.MaxComponents]*state.Lanes
	direct := x.in == state.FullExec && t.mem.D16 == isa.Full
	for i := range count {
		if direct {
			regs[i] = &w.V[t.vdata+i]
		} else {
			regs[i] = &w.Temp()[format.MaxComponents+i]
		}
	}
	if fault := t.fetch(w, p, &x, regs[:count], a); fault != nil {
		return fault
	}
	if !direct {
		t.write(w, regs[:count], a.Exec)
	}
	if t.tfe { // every page is resident (rule DP6)
		executor.Zero(w, t.vdata+int(t.data), a.Exec)
	}
	return nil
}

// loadLDS executes a load of format X to LDS; see [op.loadLDS].
func (t *typed) loadLDS(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	x, ok, fault := t.begin(w, p, a)
	if !ok {
		return fault
	}
	data := &w.Temp()[format.MaxComponents]
	if fault := t.fetch(w, p, &x, []*state.Lanes{data}, a); fault != nil {
		return fault
	}
	return t.toLDS(w, p, data, a)
}

// fetch loads and converts the elements. Register component i goes to regs[i], with D16 as 16 bits. Lanes that are
// out of range receive 0, or the constant that DST_SEL_1 selects (rule C9).
func (t *typed) fetch(w *state.Wave, p *executor.Ports, x *transfer, regs []*state.Lanes,
	a *state.Access) *state.Fault {
	if x.f == nil {
		for _, r := range regs {
			*r = state.Lanes{}
		}
		return nil
	}
	var words, dst [format.MaxComponents][]uint32
	for j := range x.f.Words {
		raw := &w.Temp()[j]
		words[j] = raw[:]
		if f := executor.Gather(p.Mem, raw, executor.Element(a, j), x.in); f != nil {
			return f
		}
	}
	var from [format.MaxComponents]int
	var fill [format.MaxComponents]uint32
	for i, r := range regs {
		from[i], fill[i] = x.sel.Load(x.f, i)
		if from[i] != format.Absent && dst[from[i]] == nil {
			dst[from[i]] = r[:]
		}
	}
	x.f.Unpack(&dst, &words)
	for i, r := range regs {
		switch {
		case from[i] == format.Absent:
			simd.Fill(r, fill[i])
		case &dst[from[i]][0] != &r[0]: // another register selects the same component
			copy(r[:], dst[from[i]])
		}
	}
	out := a.Exec &^ x.in
	if out == 0 && t.mem.D16 == isa.Full {
		return nil
	}
	for i, r := range regs {
		if from[i] != format.Absent {
			executor.Merge(r, &zeros, 0, out)
		}
		if t.mem.D16 != isa.Full {
			executor.Narrow(x.f, r[:])
		}
	}
	return nil
}

// write writes the components to the data registers in the lanes of mask (rule DP4).
func (t *typed) write(w *state.Wave, comps []*state.Lanes, mask uint64) {
	reg := t.vdata
	for i := 0; i < len(comps); i++ {
		c, keep := comps[i], uint32(0)
		switch {
		case t.mem.D16 == isa.HighHalf:
			keep = 0x0000ffff
			simd.Insert(c, c, c, 16, 0xffff0000, 0)
		case t.mem.D16 != isa.Packed || !t.packed:
		case i+1 < len(comps):
			i++
			simd.Insert(c, comps[i], c, 16, 0xffff0000, 0xffff)
		default: // an odd count leaves the upper half unchanged
			keep = 0xffff0000
		}
		executor.Merge(&w.V[reg], c, keep, mask)
		reg++
	}
}

func (t *typed) store(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	x, ok, fault := t.begin(w, p, a)
	if !ok {
		return fault
	}
	a.Reg, a.Regs = uint16(t.vdata), t.data
	if x.f == nil {
		return nil
	}
	temp := w.Temp()
	var words, src [format.MaxComponents][]uint32
	for c := range x.f.Components {
		i := x.sel.Store(c, int(t.mem.Count))
		if i == format.Absent {
			continue // stores as 0 (rule DP2)
		}
		if t.mem.D16 == isa.Full {
			src[c] = w.V[t.vdata+i][:]
			continue
		}
		src[c] = temp[format.MaxComponents+c][:]
		t.read(w, i, &temp[format.MaxComponents+c])
		executor.Widen(x.f, src[c])
	}
	for j := range x.f.Words {
		words[j] = temp[j][:]
	}
	x.f.Pack(&words, &src)
	for j := range x.f.Words {
		if f := executor.Scatter(p.Mem, &temp[j], nil, executor.Element(a, j), x.in); f != nil {
			return f
		}
	}
	return nil
}

// read sets dst to the D16 component i of the data registers.
func (t *typed) read(w *state.Wave, i int, dst *state.Lanes) {
	reg, shift := t.vdata+i, uint32(0)
	switch {
	case t.mem.D16 == isa.HighHalf:
		shift = 16
	case t.packed:
		reg, shift = t.vdata+i/2, uint32(i%2*16)
	}
	simd.Field(dst, &w.V[reg], shift, 0xffff, 0)
}
