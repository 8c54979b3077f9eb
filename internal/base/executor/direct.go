package executor

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// If the access record is not read (see [Ports.Unseen]), most accesses need no 64-bit addresses: all lanes are in one
// range, in bounds and aligned, and their data are moved between memory and registers at once. In all other cases
// nothing is changed, and [Load] and [Store] execute the access.

// Direct describes how a load or store moves its elements if the lanes' addresses allow it.
type Direct struct {
	store bool
	elem  simd.Element
	n     int       // registers per lane, 0 if direct access is not possible
	disp  [4]uint32 // offsets in memory of the registers from the lane's address
	regs  [4]int
	end   uint64                      // offset of the end of the last one
	low   [state.AlignNone + 1]uint64 // bits that addresses must not have, by alignment mode
	apart uint64                      // further such bits if elements are apart
}

// NewDirect returns the Direct of an instruction on t with the traits m. The elements of a lane are gap bytes apart.
// Their registers start at reg, those of the second element of a store at second. align returns the address bits that
// are cleared, and those that must be 0.
func NewDirect(t gcn.Target, m *isa.Mem, gap uint32, reg, second int,
	align func(gcn.Target, state.Alignment) (clear, must uint64)) (d Direct) {
	size := uint32(m.Elem)
	d.store = m.Op == gcn.Store
	switch {
	case m.D16 != isa.Full || m.Format || m.Op != gcn.Load && m.Op != gcn.Store:
		return d
	case m.Op == gcn.Store && size == 8:
		// All first dwords are moved before all second ones. The result equals that of lane after lane if two lanes have
		// all 8 bytes in common or none.
		d.apart = 7
	case size == 1 && m.Signed:
		d.elem = simd.Sbyte
	case size == 1:
		d.elem = simd.Ubyte
	case size == 2 && m.Signed:
		d.elem = simd.Sshort
	case size == 2:
		d.elem = simd.Ushort
	}
	for i := range uint32(m.Count) {
		for half := uint32(0); half < size; half += 4 {
			if d.n == len(d.disp) {
				return Direct{}
			}
			d.disp[d.n], d.regs[d.n] = i*gap+half, reg+d.n
			if i == 1 && m.Op == gcn.Store {
				d.regs[d.n] = second + int(half/4)
			}
			d.end = max(d.end, uint64(i*gap+half+min(size, 4)))
			d.n++
		}
	}
	for mode := range d.low {
		clear, must := align(t, state.Alignment(mode))
		d.low[mode] = clear | must
	}
	return d
}

// Dwords sets l to the dwords that d loads; it returns false if d is not a load of dwords.
func (d *Direct) Dwords(l *block.Load) bool {
	if d.n == 0 || d.store || d.elem != simd.Dword {
		return false
	}
	l.N, l.Disp, l.End = d.n, d.disp, uint32(d.end)
	for i := range d.n {
		l.Regs[i] = uint32(d.regs[i])
	}
	return true
}

// Access sets a to the access of d; it returns false if d does nothing.
func (d *Direct) Access(a *block.Access, in *isa.Inst) bool {
	a.Store, a.N, a.Disp, a.Size = d.store, d.n, d.disp, 4
	switch d.elem {
	case simd.Ubyte, simd.Sbyte:
		a.Size = 1
	case simd.Ushort, simd.Sshort:
		a.Size = 2
	}
	a.Signed = d.elem == simd.Sbyte || d.elem == simd.Sshort
	for i := range d.n {
		a.Regs[i] = uint32(d.regs[i])
	}
	a.Issues = IssuesOf(in)
	return d.n != 0
}

// IssuesOf returns the increments of the counters by an instruction, for package block.
func IssuesOf(in *isa.Inst) [3]block.Issue {
	t, n := isa.TraitsOf(in.Target), in.Counts()
	return [...]block.Issue{{By: n.VM, Most: t.MaxVM}, {By: n.EXP, Most: t.MaxEXP}, {By: n.LGKM, Most: t.MaxLGKM}}
}

// Site returns the addresses of the lanes in s for compiled code; ok is false if compiled code cannot make the
// access.
func (d *Direct) Site(p *Ports, s *Span, at *Lanes) (site block.Site, ok bool) {
	var r simd.Window
	if d.n == 0 || !d.window(&r, p, s, at) {
		return site, false
	}
	site = block.Site{First: &r.Bytes[0], Add: r.Add, Last: r.Last, Low: r.Low, Base: s.Base + s.Hi - uint64(len(r.Bytes))}
	if d.store || d.elem == simd.Dword {
		return site, true
	}
	// Small elements are read with the aligned dword that contains them.
	site.Low |= uint32(d.end - 1)
	return site, uintptr(unsafe.Pointer(site.First))&3 == 0
}

// Moves reports whether d can execute the instruction.
func (d *Direct) Moves() bool { return d.n != 0 }

// Lanes are the addresses of lanes: Base + (V[lane]+Off), where the sum in brackets wraps at 32 bits.
type Lanes struct {
	V    *state.Lanes
	Off  uint32
	Base uint64
	Room uint64 // number of bytes from Base on that are in bounds
}

// First returns the address of the first lane of EXEC, that of lane 0 if EXEC is 0.
func (l *Lanes) First(w *state.Wave) uint64 {
	return l.Base + uint64(l.V[bits.TrailingZeros64(w.Exec())&63]+l.Off)
}

// Move loads or stores the elements of the lanes of EXEC, which are in s, if all their addresses allow it; otherwise
// it does nothing and returns false. s may be nil.
func (d *Direct) Move(w *state.Wave, p *Ports, s *Span, at *Lanes) bool {
	mask := w.Exec()
	if mask == 0 || d.n == 0 {
		return d.n != 0
	}
	var r simd.Window // declared here because a composite literal would be copied
	if !d.window(&r, p, s, at) {
		return false
	}
	if !d.store {
		return r.Load(w.V[d.regs[0]:d.regs[0]+d.n], d.elem, d.disp[:d.n], mask)
	}
	for i := range d.n { // if the first one is stored, the others can be stored too
		if !r.Store(&w.V[d.regs[i]], d.elem, d.disp[i], mask) {
			return false
		}
	}
	return true
}

// window sets r to the positions of the lanes in s; it returns false if the lanes must be processed one by one.
func (d *Direct) window(r *simd.Window, p *Ports, s *Span, at *Lanes) bool {
	if s == nil || s.Hi-s.Lo < d.end || at.Room < d.end || d.store && s.Seal != Open {
		return false
	}
	low := d.low[p.Align]
	if low&d.apart != d.apart {
		return false
	}
	begin, last, room := s.Base+s.Lo, s.Hi-s.Lo-d.end, at.Room-d.end
	r.V, r.Add, r.Low, r.End = at.V, at.Off, uint32(low), uint32(d.end)
	if skip := at.Base - begin; at.Base >= begin { // positions are relative to Base, which is in the range
		if skip > last || at.Base&low != 0 {
			return false
		}
		r.Bytes = s.Bytes[s.Lo+skip : s.Hi]
		r.Last = uint32(min(last-skip, room, math.MaxUint32))
	} else {
		// Positions are relative to the start of the range. An address below it becomes a large number, which is not in the
		// range.
		skip = -skip
		if skip > math.MaxUint32 || skip > room || (at.Base|begin)&low != 0 {
			return false
		}
		r.Bytes = s.Bytes[s.Lo:s.Hi]
		r.Add -= uint32(skip)
		r.Last = uint32(min(last, room-skip, math.MaxUint32-skip))
	}
	return true
}
