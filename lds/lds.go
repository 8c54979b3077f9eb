// Package lds executes the DS instructions on LDS and GDS. [Banks] returns the bank conflicts of an access and needs
// no machine. Source: rules DS1 to DS15.
package lds

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// op is a decoded DS instruction.
type op struct {
	mem  *isa.Mem
	note *isa.Note // why its fidelity is not exact
	off  [2]uint32 // byte offsets of the first and, if two is set, of the second address
	two  bool
	gds  bool
	// DS_SWIZZLE_B32 supports the rotate and FFT modes
	modes  bool
	addr   int // VGPR of ADDR; executor.NoReg if the instruction has no such operand, as in the fields below
	vdst   int
	data   [2]int          // VGPRs of DATA0 and DATA1
	regs   uint8           // number of data registers
	size   int             // bytes at one address
	ret    int             // VGPR that receives the value an atomic returns
	cmp    int             // VGPR of the atomic's second operand
	direct executor.Direct // zero if the second offset is lower than the first
}

// operation returns the function that executes an instruction. It may change the note of the row.
type operation func(*op) executor.Exec

// operations maps each row to its operation.
var operations = executor.NewTable(executor.OneOf(isa.DS), byFacts, executor.Bindings[operation]{
	"ds_nop":                  func(o *op) executor.Exec { return o.nop },
	"ds_swizzle_b32":          (*op).swizzle,
	"ds_permute_b32":          func(o *op) executor.Exec { return o.permute },
	"ds_bpermute_b32":         func(o *op) executor.Exec { return o.bpermute },
	"ds_read_addtid_b32":      func(o *op) executor.Exec { return o.readAddTID },
	"ds_write_addtid_b32":     func(o *op) executor.Exec { return o.writeAddTID },
	"ds_append":               func(o *op) executor.Exec { return o.count(add) },
	"ds_consume":              func(o *op) executor.Exec { return o.count(sub) },
	"ds_ordered_count":        func(o *op) executor.Exec { return o.order },
	"ds_gws_init":             gws(gwsInit),
	"ds_gws_barrier":          gws(gwsBarrier),
	"ds_gws_sema_p":           gws(gwsP),
	"ds_gws_sema_v":           gws(gwsV),
	"ds_gws_sema_br":          gws(gwsBR),
	"ds_gws_sema_release_all": gws(gwsReleaseAll),
})

// byFacts returns the operation of a load, store or atomic; it is made from the properties in the row.
func byFacts(r *isa.Row) (operation, bool) {
	switch {
	case r.Mem.Op == gcn.Load:
		return func(o *op) executor.Exec { return o.load }, true
	case r.Mem.Op == gcn.Store:
		return func(o *op) executor.Exec { return o.store }, true
	case r.Mem.Op == gcn.Atomic && r.Has(isa.Two):
		return func(o *op) executor.Exec { return o.exchange2 }, true
	case r.Mem.Op == gcn.Atomic:
		return func(o *op) executor.Exec { return o.atomic }, true
	case r.Mem.InLDS:
		return (*op).src2, true
	}
	return nil, false
}

func init() { executor.Executes(bind, isa.DS) }

// bind returns the executor of an instruction. Exec is nil, with the reason in Why, if the instruction or this form
// of it does not execute here.
func bind(in *isa.Inst) executor.Impl {
	of, why := operations.Of(in)
	if why != "" {
		return executor.Impl{Why: why}
	}
	r := in.Row()
	if r.Has(isa.GDSOnly) && !in.Bool(isa.GDS) {
		return executor.Forbidden(r.Name + " works on the GDS: the GDS bit must be set")
	}
	if r.Mem.ByLane && in.Bool(isa.GDS) { // with GDS, M0[15:0] would be both base and size
		return executor.Impl{Why: "what " + r.Name + " reaches in GDS is not known (" + rule.DS6 + ")"}
	}
	o := decode(in, r)
	exec := of(o)
	impl := executor.Noted(o.note, exec)
	if !o.gds {
		impl.Block, impl.Site = func() *block.Instr { return o.block(in) }, o.site
	}
	return impl
}

// site returns the addresses of the lanes of w for compiled code; ok is false if compiled code cannot make the
// access.
func (o *op) site(w *state.Wave, p *executor.Ports) (site block.Site, ok bool) {
	if o.mem.Op == gcn.Atomic && !p.LDS.Private {
		return site, false
	}
	at := executor.Lanes{V: &w.V[o.addr], Off: o.off[0], Room: executor.LDSLimit(w, p)}
	return o.direct.Site(p, &p.LDS, &at)
}

// block returns the access for package block to compile, nil if compiled code cannot execute it. Adjacent loads of
// dwords can be compiled together.
func (o *op) block(in *isa.Inst) *block.Instr {
	if o.addr == executor.NoReg || in.Counts().LGKM != 1 {
		return nil
	}
	t := isa.TraitsOf(in.Target)
	l := &block.Load{Addr: uint32(o.addr), Off: o.off[0], Low: uint32(o.size - 1), ByM0: t.LDSLimitM0, Most: t.MaxLGKM}
	if o.size == 12 {
		l.Low = 15
	}
	a := &block.Access{Addr: uint32(o.addr), Class: block.ClassDS}
	if t.LDSLimitM0 {
		a.Keys = []block.Key{{Code: gcn.M0}}
	}
	switch l.Apart = a; {
	case !o.direct.Access(a, in):
		return nil
	case o.mem.Op == gcn.Atomic:
		if !block.HasAtomic(o.mem.Atomic) {
			return nil
		}
		a.Atomic, a.Returns = o.mem.Atomic, o.ret != executor.NoReg
		if a.Returns {
			a.Back = uint32(o.ret)
		}
		if o.cmp != executor.NoReg {
			a.Regs[1] = uint32(o.cmp)
		}
	case o.direct.Dwords(l):
		return &block.Instr{Vector: &block.Vector{Load: l}}
	}
	return &block.Instr{Access: a}
}

func decode(in *isa.Inst, r *isa.Row) *op {
	m := &r.Mem
	o := &op{
		mem: m, note: r.Note, two: r.Has(isa.Two), gds: in.Bool(isa.GDS), modes: isa.TraitsOf(in.Target).DSSwizzles,
		addr: int(in.Get(isa.ADDR)), vdst: int(in.Get(isa.VDST)),
		data: [2]int{int(in.Get(isa.DATA0)), int(in.Get(isa.DATA1))}, regs: m.Dwords,
		off: [2]uint32{in.Get(isa.OFFSET)}, ret: executor.NoReg, cmp: executor.NoReg,
	}
	o.size = int(m.Elem) * int(m.Count)
	if o.two {
		// Offsets are in elements, or in units of 64 elements (rule DS1).
		step := uint32(m.Elem)
		if m.Stride64 {
			step *= 64
		}
		o.off = [2]uint32{in.Get(isa.OFFSET0) * step, in.Get(isa.OFFSET1) * step}
		o.size = int(m.Elem)
	}
	if m.Ret {
		o.ret = o.vdst
	} else {
		o.vdst = executor.NoReg
	}
	if r.Has(isa.NoAddr) {
		o.addr = executor.NoReg
	}
	if r.Has(isa.NoData) {
		o.data = [2]int{executor.NoReg, executor.NoReg}
	}
	moves := *m
	// compiled code treats the address of an atomic as that of a store of its operand
	if m.Op == gcn.Atomic && m.Elem == 4 && !o.two {
		moves.Op = gcn.Store
	}
	first, second, gap := o.vdst, o.data[1], o.off[1]-o.off[0]
	if moves.Op == gcn.Store {
		first = o.data[0]
	}
	if !o.two {
		second, gap = first+1, uint32(m.Elem)
	}
	if !o.two || o.off[0] <= o.off[1] {
		o.direct = executor.NewDirect(in.Target, &moves, gap, first, second, o.alignment)
	}
	if m.Second {
		o.cmp = o.data[1]
	}
	return o
}

// window is the range of LDS or GDS that an instruction can access.
type window struct {
	mem   *executor.Span
	base  uint64 // offset that is added to addresses
	limit uint64 // size in bytes, from base on
}

// window returns the range that the wave can access. In LDS it is the allocation, before GCN 1.4 at most M0 bytes
// (rules DS3 and DS4). In GDS it is M0[15:0] bytes at M0[31:16] (rule DS10).
func (o *op) window(w *state.Wave, p *executor.Ports) (window, *state.Fault) {
	if !o.gds {
		return window{&p.LDS, 0, executor.LDSLimit(w, p)}, nil
	}
	if p.GDS.Hi == 0 {
		return window{}, executor.NewFault(state.FaultUnsupported, "the machine has no GDS")
	}
	base := min(uint64(w.S[gcn.M0]>>16), p.GDS.Hi)
	return window{&p.GDS, base, min(uint64(w.S[gcn.M0]&0xffff), p.GDS.Hi-base)}, nil
}

// begin resets a for an access of this instruction.
func (o *op) begin(w *state.Wave, a *state.Access) {
	space := state.LDS
	if o.gds {
		space = state.GDS
	}
	executor.Begin(a, o.mem, space, w.Exec())
}

// resolve sets the addresses and range masks of a and returns the storage.
func (o *op) resolve(w *state.Wave, p *executor.Ports, a *state.Access) (*executor.Span, *state.Fault) {
	o.begin(w, a)
	win, f := o.window(w, p)
	if f != nil {
		return nil, f
	}
	clear, must := o.alignment(w.Target, p.Align)
	v := &w.V[o.addr]
	end := uint64(o.mem.Elem) * uint64(o.mem.Count)
	top, dense := executor.Place(&a.Addr, v, o.off[0], 0, ^clear) // rule DS1
	a.Dense = dense
	if o.two {
		a.Split, end = true, uint64(o.mem.Elem)
		second, _ := executor.Place(&a.More[0], v, o.off[1], 0, ^clear)
		top = max(top, second)
	}
	if p.Compare != nil && clear != 0 {
		executor.Place(&p.Compare.Addr, v, o.off[0], 0, math.MaxUint64)
		executor.NoteCut(&p.Compare.Addr, clear, a)
	}
	executor.CheckAlign(w, must, a.Exec, a)
	if top+end > win.limit {
		executor.Bound(a, win.limit, a.Exec)
	}
	if win.base != 0 {
		for lane := range a.Addr {
			a.Addr[lane] += win.base
			a.More[0][lane] += win.base
		}
	}
	return win.mem, nil
}

// alignment returns the address bits to clear and the address bits that must be 0 (rule DS2). Before GCN 1.4, and for
// atomics on all generations, addresses are aligned to the size, 96 bits like 128. From GCN 1.4 on alignment_mode
// decides, where mode DWORD keeps the old rule for up to 64 bits.
func (o *op) alignment(t gcn.Target, mode state.Alignment) (clear, must uint64) {
	old := !isa.TraitsOf(t).LDSAlignModes || o.mem.Op == gcn.Atomic || mode <= state.AlignDword && o.size <= 8
	if !old {
		return executor.AlignMask(t, mode, o.size)
	}
	switch {
	case o.mem.Atomic == isa.CondXchg: // the address is (ADDR + OFFSET) & 0xfff8 (rule DP9)
		return ^uint64(0xfff8), 0
	case o.size == 12:
		return 15, 0
	}
	return uint64(o.size - 1), 0
}

// directly moves the elements without writing an access record, if no watcher reads the record. It returns false and
// changes nothing if the lanes' addresses do not allow it.
func (o *op) directly(w *state.Wave, p *executor.Ports) bool {
	if !p.Unseen {
		return false
	}
	var at executor.Lanes // declared here because a composite literal would be copied
	at.V, at.Off = &w.V[o.addr], o.off[0]
	if !o.gds {
		at.Room = executor.LDSLimit(w, p)
		return o.direct.Move(w, p, &p.LDS, &at)
	}
	win, f := o.window(w, p)
	if f != nil {
		return false
	}
	at.Base, at.Room = win.base, win.limit
	return o.direct.Move(w, p, win.mem, &at)
}

func (o *op) load(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	if o.directly(w, p) {
		return nil
	}
	mem, f := o.resolve(w, p, a)
	if f != nil {
		return f
	}
	a.Reg, a.Regs = uint16(o.vdst), o.regs
	return executor.Load(w, mem, o.mem, o.vdst, a.Exec, a)
}

func (o *op) store(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	if o.directly(w, p) {
		return nil
	}
	mem, f := o.resolve(w, p, a)
	if f != nil {
		return f
	}
	a.Reg, a.Regs = uint16(o.data[0]), o.regs
	if !o.two {
		return executor.Store(w, mem, o.mem, o.data[0], a.Exec, a)
	}
	// Slot 0 is stored before slot 1: at equal addresses the value of slot 1 remains (rule DS1).
	for i, reg := range o.data {
		if f := executor.StoreElement(w, mem, o.mem, reg, i, a.Exec, a); f != nil {
			return f
		}
	}
	return nil
}
