// Package smem executes scalar memory instructions: SMRD of GCN 1.0 and 1.1 and SMEM of
// the later generations. Source: spec/memory.md 8.
package smem

import (
	"encoding/binary"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

const noReg = -1

// op is a decoded instruction.
type op struct {
	mem    *gcn.Mem
	sdata  int
	sbase  uint32
	imm    int64 // byte offset
	reg    int   // operand code of the offset register, noReg if there is none
	buffer bool  // SBASE is a V#
	lgkm   uint8
}

// Bind returns how in executes.
func Bind(in *gcn.Inst) state.Impl {
	r := in.Row()
	m := &r.Mem
	o := &op{mem: m, sdata: int(in.Get(gcn.SDST)), sbase: in.Get(gcn.SBASE) * 2, buffer: r.Has(gcn.BufferBase), lgkm: 1}
	o.imm, o.reg = offset(in)
	if int(m.Elem)*int(m.Count) > 4 { // spec/memory.md 8.8
		o.lgkm = 2
	}
	switch {
	case r.Enc != gcn.SMEM:
		return state.Impl{Why: "not a scalar memory instruction"}
	case m.Op == gcn.Load:
		return state.Impl{Exec: o.load, Level: state.Exact}
	}
	return state.Impl{Why: "not modelled yet"}
}

// offset returns the immediate byte offset and the offset register (spec/memory.md 8.1).
func offset(in *gcn.Inst) (imm int64, reg int) {
	t := in.Gen.Traits()
	reg = noReg
	switch {
	case in.Bool(gcn.IMM):
		imm = int64(in.Int(gcn.OFFSET)) * int64(t.ScalarOffsetUnit)
	case in.Bool(gcn.SOE):
	case t.SMRDLiteral && in.Get(gcn.OFFSET) == gcn.Literal:
		imm = int64(in.Get(gcn.LITERAL)) * int64(t.ScalarOffsetUnit)
	default:
		reg = int(in.Get(gcn.OFFSET) & 0xff)
	}
	if in.Bool(gcn.SOE) {
		reg = int(in.Get(gcn.SOFFSET))
	}
	return imm, reg
}

// resolve prepares a: the address, and for buffers how many of the dwords are in range.
func (o *op) resolve(w *state.Wave, a *state.Access) (in int) {
	a.Begin(o.mem, state.Global, 1)
	a.Scalar, a.Reg, a.Regs = true, uint16(o.sdata), uint8(o.mem.DataDwords())
	n := int(a.Regs)
	off := uint64(o.imm) &^ 3 // 8.2: base, register and immediate lose their low bits
	if o.reg != noReg {
		off += uint64(w.Source(uint32(o.reg), 0) &^ 3)
	}
	if !o.buffer {
		a.Addr[0] = w.Scalar64(o.sbase)&^3 + off
		return n
	}
	var v gcn.VSharp
	copy(v[:], w.S[o.sbase:o.sbase+4])
	a.Addr[0] = v.Base()&^3 + off
	// 8.4: only BASE, STRIDE and NUM_RECORDS matter; the range rule is per dword.
	size := uint64(v.NumRecords()) * uint64(max(v.Stride(), 1))
	for in < n && off+4*uint64(in) < size {
		in++
	}
	a.Out[0] = (1<<n - 1) &^ (1<<in - 1)
	return in
}

func (o *op) load(w *state.Wave, p *state.Ports, _ *gcn.Inst, a *state.Access) *state.Fault {
	w.Issue(0, 0, o.lgkm)
	n := o.resolve(w, a)
	dst := w.S[o.sdata : o.sdata+int(a.Regs)]
	clear(dst[n:])
	b, f := bytes(p.Mem, a.Addr[0], n)
	if f != nil {
		return f
	}
	for i := range dst[:n] {
		dst[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return nil
}

// bytes returns the storage of n dwords at addr.
func bytes(mem state.Memory, addr uint64, n int) ([]byte, *state.Fault) {
	if n == 0 {
		return nil, nil
	}
	size := 4 * n
	if s := mem.Find(addr); s != nil {
		if off, ok := s.Offset(addr, uint64(size)); ok {
			return s.Bytes[off : off+uint64(size)], nil
		}
	}
	return nil, state.Unmapped(state.NoLane, addr, size)
}
