// Package smem executes scalar memory instructions: SMRD of GCN 1.0 and 1.1 and SMEM of
// the later generations. Source: rules SM1 to SM8.
package smem

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

const noReg = -1

// op is a decoded scalar memory instruction.
type op struct {
	mem    *isa.Mem
	sdata  int
	sbase  uint32
	imm    int64  // immediate byte offset
	reg    int    // operand code of the offset register, or noReg
	scale  uint64 // bytes per unit of the offset register
	buffer bool   // SBASE is a V#
	ret    bool   // the atomic returns the old value
}

// operations maps each row to its operation.
var operations = executor.NewTable(executor.OneOf(isa.SMEM), byFacts, executor.Bindings[func(*op) executor.Exec]{
	"s_dcache_inv s_dcache_inv_vol s_dcache_wb s_dcache_wb_vol":           cache,
	"s_dcache_discard s_dcache_discard_x2 s_atc_probe s_atc_probe_buffer": cache,
	"s_memtime":     func(o *op) executor.Exec { return o.clock(coreTick) },
	"s_memrealtime": func(o *op) executor.Exec { return o.clock(realTick) },
})

// byFacts returns the operation of loads, stores and atomics, which follows from their row.
func byFacts(r *isa.Row) (func(*op) executor.Exec, bool) {
	switch r.Mem.Op {
	case gcn.Load:
		return func(o *op) executor.Exec { return o.load }, true
	case gcn.Store:
		return func(o *op) executor.Exec { return o.store }, true
	case gcn.Atomic:
		return func(o *op) executor.Exec { return o.atomic }, true
	}
	return nil, false
}

func init() { executor.Executes(bind, isa.SMEM) }

// bind returns the executor of an instruction. Exec is nil, with the reason in Why, if the instruction or this form
// of it does not execute here.
func bind(in *isa.Inst) executor.Impl {
	of, why := operations.Of(in)
	if why != "" {
		return executor.Impl{Why: why}
	}
	r := in.Row()
	m := &r.Mem
	o := &op{
		mem: m, sdata: int(in.Get(isa.SDST)), sbase: in.Get(isa.SBASE) * 2, buffer: r.Has(isa.BufferBase),
		scale: 1, ret: in.Bool(isa.GLC),
	}
	o.imm, o.reg = in.ScalarOffset()
	if r.Mem.Lanes64 { // the offset register of S_SCRATCH_* is in units of 64 bytes (rule SM6)
		o.scale = 64
	}
	if o.reg == isa.Literal && !r.Has(isa.NoOffset) {
		return executor.Forbidden("the offset is no literal on this generation (" + rule.SM1 + ")")
	}
	impl := executor.Noted(r.Note, of(o))
	impl.Flow = r.Control == isa.ReadsClock
	if m.Op == gcn.Load && !o.buffer && o.reg == noReg {
		impl.Block, impl.Site = func() *block.Instr { return o.block(in) }, o.site
	}
	return impl
}

// block returns the access for package block to compile: a load from an address and a constant offset whose low bits
// are 0. An offset that loses bits is recorded in the access record (Cut), so it is not compiled.
func (o *op) block(in *isa.Inst) *block.Instr {
	n := int(o.mem.Count) * int(o.mem.Elem) / 4
	if o.sbase+1 >= gcn.VCC || o.imm&3 != 0 || o.imm < math.MinInt32 || o.imm > math.MaxInt32 || o.sdata+n > gcn.VCC {
		return nil
	}
	return &block.Instr{Access: &block.Access{Scalar: true, Addr: o.sbase, Class: block.ClassSMEM, N: n,
		Disp: [4]uint32{uint32(o.imm)}, Regs: [4]uint32{uint32(o.sdata)}, Issues: executor.IssuesOf(in)}}
}

// site returns the address of a load for compiled code; ok is false if not all of it is in range.
func (o *op) site(w *state.Wave, p *executor.Ports) (site block.Site, ok bool) {
	s, size := p.Mem.Find(w.Scalar64(o.sbase)&^3+uint64(o.imm)), 4*uint64(o.mem.Count)
	if s == nil || s.Lo%4 != 0 || s.Hi-s.Lo < size {
		return site, false
	}
	return block.Site{First: &s.Bytes[s.Lo], Base: s.Base + s.Lo, Last: uint32(min(s.Hi-s.Lo-size, math.MaxInt32))}, true
}

// resolve computes the address in a. Elements first to last-1 are in range.
func (o *op) resolve(w *state.Wave, a *state.Access) (first, last int) {
	executor.Begin(a, o.mem, state.Global, 1)
	a.Scalar, a.Reg, a.Regs = true, uint16(o.sdata), o.mem.Dwords
	off, lost := uint64(o.imm)&^3, uint64(o.imm)&3 // base, register and immediate lose their low bits (rule SM2)
	if o.reg != noReg {
		reg := uint64(executor.Source(w, uint32(o.reg), 0))
		off, lost = off+reg&^3*o.scale, lost|reg&3
	}
	n := int(o.mem.Count)
	if !o.buffer {
		base := w.Scalar64(o.sbase)
		a.Addr[0] = base&^3 + off
		a.Cut = min(lost|base&3, 1)
		return 0, n
	}
	var v gcn.VSharp
	copy(v[:], w.S[o.sbase:o.sbase+4])
	a.Addr[0] = isa.VBase.In(&v)&^3 + off
	a.Cut = min(lost|isa.VBase.In(&v)&3, 1)
	// Only BASE, STRIDE and NUM_RECORDS matter, and dwords are checked one by one (rule SM4). With a negative offset the
	// first dwords can be out of range and later ones in range.
	size := isa.VNumRecords.In(&v) * max(isa.VStride.In(&v), 1)
	inside := func(i int) bool { return off+uint64(i)*uint64(o.mem.Elem) < size }
	for first < n && !inside(first) {
		first++
	}
	for last = first; last < n && inside(last); {
		last++
	}
	a.Out[0] = (1<<n - 1) &^ (1<<last - 1<<first)
	return first, last
}

func (o *op) load(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	if p.Unseen && !o.buffer && o.reg == noReg {
		return executor.ReadWords(p.Mem, w.Scalar64(o.sbase)&^3+uint64(o.imm)&^3, w.S[o.sdata:o.sdata+int(o.mem.Count)])
	}
	first, last := o.resolve(w, a)
	dst := w.S[o.sdata : o.sdata+int(o.mem.Count)]
	if f := executor.ReadWords(p.Mem, a.Addr[0]+4*uint64(first), dst[first:last]); f != nil {
		return f
	}
	clear(dst[:first])
	clear(dst[last:])
	return nil
}

func (o *op) store(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	first, last := o.resolve(w, a) // dwords out of range are dropped (rule SM5)
	if first == last {
		return nil
	}
	return executor.WriteWords(p.Mem, a.Addr[0]+4*uint64(first), w.S[o.sdata+first:o.sdata+last])
}

// atomic applies an atomic operation to one address (rules DP9 and SM6). In SDATA the source comes before the compare
// value.
func (o *op) atomic(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	first, last := o.resolve(w, a)
	words := uint32(o.mem.Elem) / 4
	a.Addr[0] &^= uint64(o.mem.Elem) - 1
	d, c := uint64(w.S[o.sdata]), uint64(0)
	if words == 2 {
		d = w.Scalar64(uint32(o.sdata))
	}
	if uint32(a.Regs) > words {
		c = uint64(w.S[o.sdata+1])
		if words == 2 {
			c = w.Scalar64(uint32(o.sdata) + 2)
		}
	}
	var old uint64
	if first < last {
		var f *state.Fault
		if old, f = executor.ScalarAtomic(p.Mem, o.mem, a.Addr[0], d, c); f != nil {
			return f
		}
	}
	switch {
	case !o.ret:
	case words == 1:
		w.S[o.sdata] = uint32(old)
	default:
		w.SetScalar64(uint32(o.sdata), old)
	}
	return nil
}
