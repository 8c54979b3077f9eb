package flat

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// scratch computes the addresses of a SCRATCH instruction, whose private offset is in VADDR or SADDR (rule F10). It
// returns the lanes whose elements cross a dword.
func (o *op) scratch(w *state.Wave, p *executor.Ports, a *state.Access) (crossing uint64) {
	o.begin(w, state.Scratch, a)
	clear, must := executor.AlignMask(w.Target, p.Align, o.size)
	o.offsets(w, a, clear)
	if p.Compare != nil && clear != 0 {
		o.offsets(w, p.Compare, 0)
		executor.NoteCut(&p.Compare.Addr, clear, a)
	}
	executor.CheckAlign(w, must, a.Exec, a)
	a.ScratchLanes = a.Exec
	return o.private(w, p, a, a.Exec)
}

// offsets sets a.Addr to the private offsets of SCRATCH.
func (o *op) offsets(w *state.Wave, a *state.Access, clear uint64) {
	base := uint32(o.offset)
	if !o.scalar {
		executor.Place(&a.Addr, &w.V[o.addr], base, 0, ^clear)
		return
	}
	at := uint64(base+w.S[o.saddr]) &^ clear
	for lane := range a.Addr {
		a.Addr[lane] = at
	}
}

func (o *op) loadScratch(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	crossing := o.scratch(w, p, a)
	if f := executor.Load(w, p.Mem, o.mem, o.vdst, a.Exec&^crossing, a); f != nil || crossing == 0 {
		return f
	}
	return o.loadBytes(w, p, a, crossing)
}

func (o *op) storeScratch(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	if crossing := o.scratch(w, p, a); crossing != 0 {
		return o.storeBytes(w, p, a, a.Exec, crossing)
	}
	return executor.Store(w, p.Mem, o.mem, o.vdata, a.Exec, a)
}

// private replaces the private offsets in a.Addr[31:0] of the lanes of mask by addresses. The dwords of the 64 lanes
// are interleaved, so that the elements of a lane lie 256 bytes apart (rule F3); compilers' scratch V#s describe the
// same layout. It returns the lanes whose elements cross a dword, which only alignment_mode UNALIGNED allows. For
// these lanes a.Addr and a.More hold the addresses of the elements' first bytes.
func (o *op) private(w *state.Wave, p *executor.Ports, a *state.Access, mask uint64) (crossing uint64) {
	base, size := executor.Scratch(w, p.Rules, p.ScratchBase)
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
		if o.mem.Op != gcn.Atomic && first%4+uint64(o.mem.Elem) > 4 {
			crossing |= 1 << lane
		}
		for i := range count {
			off := first + uint64(i)*uint64(o.mem.Elem)
			at := base + off/4*256 + uint64(lane)*4 + off%4
			if i == 0 {
				a.Addr[lane] = at
			} else {
				a.More[i-1][lane] = at
			}
			if off >= size { // rule F4
				a.Out[i] |= 1 << lane
				w.TrapSts |= state.TrapMemViol
			}
		}
	}
	return crossing
}

// bytesAt sets at to the address of byte b of element i of each lane. Bytes beyond the end of a dword lie in the
// lane's next dword, 256 bytes further (rule F3).
func (o *op) bytesAt(a *state.Access, base uint64, i, b int, at *[state.NumLanes]uint64) {
	element := executor.Element(a, i)
	for lane, first := range element.Addr {
		first += element.Disp
		at[lane] = first + uint64(b)
		if (first-base)&3+uint64(b) > 3 {
			at[lane] += 252
		}
	}
}

// loadBytes loads the private lanes of mask byte by byte.
func (o *op) loadBytes(w *state.Wave, p *executor.Ports, a *state.Access, mask uint64) *state.Fault {
	base, _ := executor.Scratch(w, p.Rules, p.ScratchBase)
	var at [state.NumLanes]uint64
	value, one := &w.Temp()[0], &w.Temp()[1]
	for i := range int(o.mem.Count) {
		*value = state.Lanes{}
		in := mask &^ a.Out[i]
		for b := range int(o.mem.Elem) {
			o.bytesAt(a, base, i, b, &at)
			if f := executor.Gather(p.Mem, one, executor.Elements{Addr: &at, Size: 1}, in); f != nil {
				return f
			}
			for m := in; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros64(m) & 63
				value[lane] |= one[lane] << (8 * b)
			}
		}
		executor.Put(w, o.mem, o.vdst+i, value, mask)
	}
	return nil
}

// storeBytes stores the lanes of mask as [executor.Store] does, and the lanes in crossing byte by byte. It stores
// lane after lane, because several lanes may write to one address.
func (o *op) storeBytes(w *state.Wave, p *executor.Ports, a *state.Access, mask, crossing uint64) *state.Fault {
	base, _ := executor.Scratch(w, p.Rules, p.ScratchBase)
	var at [4][state.NumLanes]uint64
	shift := 0
	if o.mem.D16 == isa.HighHalf {
		shift = 16
	}
	data := w.Temp()[:o.mem.Elem]
	for i := range int(o.mem.Count) {
		for b := range data {
			o.bytesAt(a, base, i, b, &at[b])
			for lane, v := range &w.V[o.vdata+i] {
				data[b][lane] = v >> (shift + 8*b)
			}
		}
		for m := mask; m != 0; m &= m - 1 {
			lane := m & -m
			if crossing&lane == 0 {
				if f := executor.StoreElement(w, p.Mem, o.mem, o.vdata+i, i, lane, a); f != nil {
					return f
				}
				continue
			}
			for b := range data {
				if f := executor.Scatter(p.Mem, &data[b], nil, executor.Elements{Addr: &at[b], Size: 1}, lane&^a.Out[i]); f != nil {
					return f
				}
			}
		}
	}
	return nil
}

// compare sets a.Differs to the lanes of mask whose access depends on which half of FLAT_SCRATCH is the size (rule
// K1). a.Addr holds private offsets.
func (o *op) compare(w *state.Wave, p *executor.Ports, a *state.Access, mask uint64) {
	other, ok := executor.Other(p.Rules)
	if !ok {
		return
	}
	base, size := executor.Scratch(w, p.Rules, p.ScratchBase)
	otherBase, otherSize := executor.Scratch(w, other, p.ScratchBase)
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		first := a.Addr[lane] & 0xffffffff
		last := first + uint64(o.size-int(o.mem.Elem))
		if base != otherBase || first < size != (first < otherSize) || last < size != (last < otherSize) {
			a.Differs |= 1 << lane
		}
	}
	a.Subject = rule.K1
}
