package compare

import (
	"hash/maphash"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// printer computes a number, the print, from the effects of an instruction. Two instructions with
// different effects almost never have the same print.
type printer struct {
	seed  maphash.Seed
	sites sites
	buf   []isa.Effect
	// places includes the next PC and the scalar state in the print. If it is false, the print only says whether a
	// branch was taken.
	places bool
	// values includes the written values in the print, without the registers that hold them.
	values bool
}

// scalars is the scalar state in a print. The registers are 0 unless places is set, because two programs may leave
// different values in registers that they no longer use.
type scalars struct {
	next                  uint64
	exec, vcc             uint64
	m0, scc, mode, status uint32
}

// effect is the effect of an instruction on memory.
type effect struct {
	op     gcn.MemOp
	code   gcn.Op // the operation of an atomic
	exec   uint64
	out    [4]uint64
	shape  [2]uint8
	at     [4][state.NumLanes]uint64
	stored [4]state.Lanes
}

// whole returns the print of all registers of w. A VGPR that is 0 has no effect on the print, so
// that waves may have different numbers of VGPRs.
func (p *printer) whole(w *state.Wave) uint64 {
	h := maphash.Comparable(p.seed, w.S)
	for i := range w.V {
		if v := &w.V[i]; *v != (state.Lanes{}) {
			h = h*31 + maphash.Comparable(p.seed, *v) ^ uint64(i)
		}
	}
	return h
}

// print returns the print of e: the registers that e wrote, its effect on memory, and the state of
// the wave after it.
func (p *printer) print(e *sim.Event) uint64 {
	w, s := e.Wave, p.sites.of(e)
	var now scalars
	if w.Ended {
		now.status |= 1
	}
	if w.AtBarrier {
		now.status |= 2
	}
	switch {
	case p.places:
		now.next = w.PC
		now.exec, now.vcc, now.m0, now.scc, now.mode = w.Exec(), w.Scalar64(gcn.VCC), w.S[gcn.M0], w.SCC, uint32(w.Mode)
	case w.PC != e.PC+uint64(e.Inst.Size):
		now.next = 1
	}
	h := maphash.Comparable(p.seed, now)
	for _, f := range s.effectsOf(w, &p.buf) {
		if !f.Write {
			continue
		}
		for i := range int(f.Dwords) {
			h *= 31
			if !p.values {
				h += uint64(f.File)<<16 + uint64(f.Code) + uint64(i)
			}
			switch n := int(f.Code) + i; {
			case f.File == isa.VReg && n < len(w.V) && p.values:
				h = h*31 + maphash.Comparable(p.seed, written(e, &f, n))
			case f.File == isa.VReg && n < len(w.V):
				h = h*31 + maphash.Comparable(p.seed, w.V[n])
			case f.File == isa.SReg:
				h = h*31 + maphash.Comparable(p.seed, w.S[n&(isa.NumScalarCodes-1)])
			case f.File == isa.FlagReg:
				h = h*31 + uint64(w.SCC) + uint64(w.Mode)<<1
			}
		}
	}
	if e.Access.Op != gcn.NoMem {
		h = h*31 + maphash.Comparable(p.seed, effectOf((*isa.Inst)(e.Inst), w, e.Access))
	}
	return h
}

// written returns v[n] after e in the lanes that effect f writes, and 0 in the other lanes.
func written(e *sim.Event, f *isa.Effect, n int) (l state.Lanes) {
	lanes := ^uint64(0)
	switch f.Lanes {
	case isa.ActiveLanes, isa.MovedLanes:
		lanes = e.Wave.Exec()
	case isa.SelectLane:
		lanes = 1 << registers.SelectedLane(e.Wave, (*isa.Inst)(e.Inst))
	}
	for i, v := range e.Wave.V[n] {
		if lanes>>i&1 != 0 {
			l[i] = v
		}
	}
	return l
}

// effectOf returns the effect of an instruction on memory. w is the wave after the instruction.
func effectOf(in *isa.Inst, w *state.Wave, a *state.Access) (f effect) {
	f = effect{op: a.Op, exec: a.Exec, out: a.Out, shape: [2]uint8{a.Elem, a.Count}}
	if a.Op == gcn.Atomic {
		f.code = in.Op
	}
	if a.Scalar {
		f.at[0][0] = a.Addr[0]
		return f
	}
	for i := range min(int(a.Count), len(f.at)) {
		for lane := range state.NumLanes {
			if a.Exec>>lane&1 != 0 {
				f.at[i][lane] = a.At(i, lane)
			}
		}
	}
	for i, reg := range storedRegs(in, a.Op) {
		if int(reg) < len(w.V) && i < len(f.stored) {
			for lane := range state.NumLanes {
				if a.Exec>>lane&1 != 0 {
					f.stored[i][lane] = w.V[reg][lane]
				}
			}
		}
	}
	return f
}

// storedRegs returns the VGPRs with the data of a store. It returns nil if the instruction also
// returns data, because that may have overwritten these VGPRs.
func storedRegs(in *isa.Inst, op gcn.MemOp) (regs []uint16) {
	if op != gcn.Store && op != gcn.Atomic {
		return nil
	}
	for _, o := range in.Operands(nil) {
		switch {
		case o.Write:
			return nil
		case o.File == isa.VReg && (o.Field == isa.VDATA || o.Field == isa.DATA0 || o.Field == isa.DATA1):
			for k := range uint16(o.Dwords) {
				regs = append(regs, o.Code+k)
			}
		}
	}
	return regs
}
