package flat

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// scratch resolves a SCRATCH instruction: VADDR, or SADDR in its place, is the private
// offset (spec/memory.md 6.1).
func (o *op) scratch(w *state.Wave, p *state.Ports, a *state.Access) *state.Fault {
	o.begin(w, state.Scratch, a)
	clear, must := w.AlignMask(p, o.size)
	base := uint32(o.offset)
	if o.scalar {
		at := uint64(base+w.S[o.saddr]) &^ clear
		for lane := range a.Addr {
			a.Addr[lane] = at
		}
	} else {
		state.Place(&a.Addr, &w.V[o.addr], base, 0, ^clear)
	}
	w.CheckAlign(must, a.Exec, a)
	a.ScratchLanes = a.Exec
	return o.private(w, p, a, a.Exec)
}

func (o *op) loadScratch(w *state.Wave, p *state.Ports, _ *gcn.Inst, a *state.Access) *state.Fault {
	w.Issue(1, 0, 0)
	f := o.scratch(w, p, a)
	if f == nil {
		f = w.Load(p.Mem, o.mem, o.vdst, a.Exec, a)
	}
	return f
}

func (o *op) storeScratch(w *state.Wave, p *state.Ports, _ *gcn.Inst, a *state.Access) *state.Fault {
	w.Issue(1, 1, 0)
	if f := o.scratch(w, p, a); f != nil {
		return f
	}
	return w.Store(p.Mem, o.mem, o.vdata, a.Exec, a)
}

// private replaces the private offsets in a.Addr[31:0] of the lanes of mask by
// addresses: dwords of the 64 lanes are interleaved, so that the elements of a lane lie
// 256 bytes apart (6.2 F3). The layout is that of the scratch V# of compiled code.
func (o *op) private(w *state.Wave, p *state.Ports, a *state.Access, mask uint64) *state.Fault {
	base, size := scratchBuffer(w, p, p.Rules)
	if p.Compare != nil {
		o.compare(w, p, a, mask)
	}
	count := int(o.mem.Count)
	if count > 1 && mask != a.Exec {
		for i := 1; i < count; i++ {
			for lane := range a.Addr {
				a.More[i-1][lane] = a.Addr[lane] + uint64(i)*uint64(o.mem.Elem)
			}
		}
	}
	a.Split = count > 1
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		first := a.Addr[lane] & 0xffffffff
		if o.mem.Op != gcn.Atomic && a.Out[0]>>lane&1 == 0 && first%4+uint64(o.mem.Elem) > 4 {
			f := state.NewFault(state.FaultUnsupported, "private access at offset 0x%x crosses a dword: not modelled", first)
			f.Lane = lane
			return f
		}
		for i := range count {
			off := first + uint64(i)*uint64(o.mem.Elem)
			at := base + off/4*256 + uint64(lane)*4 + off%4
			if i == 0 {
				a.Addr[lane] = at
			} else {
				a.More[i-1][lane] = at
			}
			if off >= size { // F4
				a.Out[i] |= 1 << lane
				w.TrapSts |= state.TrapMemViol
			}
		}
	}
	return nil
}

// compare sets a.Differs to the lanes of mask for which the halves of FLAT_SCRATCH matter
// (spec/memory.md K1). a.Addr holds private offsets.
func (o *op) compare(w *state.Wave, p *state.Ports, a *state.Access, mask uint64) {
	other, ok := p.Rules.Other()
	if !ok {
		return
	}
	base, size := scratchBuffer(w, p, p.Rules)
	otherBase, otherSize := scratchBuffer(w, p, other)
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		first := a.Addr[lane] & 0xffffffff
		last := first + uint64(o.size-int(o.mem.Elem))
		if base != otherBase || first < size != (first < otherSize) || last < size != (last < otherSize) {
			a.Differs |= 1 << lane
		}
	}
	a.Subject = "K1: the halves of FLAT_SCRATCH"
}

// scratchBuffer returns the scratch base of the wave and the bytes of each lane: from
// FLAT_SCRATCH, an address on GCN 1.4 (seed: GcnMemHandling); before that offset and
// size, whose places the rule sets swap (spec/memory.md K1).
func scratchBuffer(w *state.Wave, p *state.Ports, rules state.Rules) (base, size uint64) {
	v := w.FlatScratch()
	if w.T.FlatScratchIsAddr {
		return v, 1 << 32
	}
	offset, size := v&0xffffff, v>>32
	if rules == state.DriverRules {
		offset, size = v>>32&0xffffff, v&0xffffffff
	}
	return p.ScratchBase + offset*256, size & 0x7ffff
}
