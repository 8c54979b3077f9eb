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

// Where the record of an access is not read (see [Ports.Unseen]), most accesses need no
// addresses of 64 bits: all lanes are in one range, in bounds and aligned, and what lies there
// moves between memory and registers at once. Whatever is not so is left to [Load] and [Store],
// which then find everything as it was.

// Direct is how a load or store moves its elements if the lanes allow it.
type Direct struct {
	store bool
	elem  simd.Element
	n     int       // registers of a lane, 0 if no plain access
	disp  [4]uint32 // where in memory those are, from the place of the lane on
	regs  [4]int
	end   uint64                      // where the last one ends
	low   [state.AlignNone + 1]uint64 // bits that addresses must not have, by alignment mode
	apart uint64                      // bits that must be among these
}

// NewDirect returns the Direct of an instruction on t with the traits m. The elements of a lane
// are gap bytes apart. Their registers begin at reg, those of the second element of a store at
// second. align returns the address bits that are cleared, and those that must be 0.
func NewDirect(t gcn.Target, m *isa.Mem, gap uint32, reg, second int,
	align func(gcn.Target, state.Alignment) (clear, must uint64)) (d Direct) {
	size := uint32(m.Elem)
	d.store = m.Op == gcn.Store
	switch {
	case m.D16 != isa.Full || m.Format || m.Op != gcn.Load && m.Op != gcn.Store:
		return d
	case m.Op == gcn.Store && size == 8:
		// All first dwords go before all second ones. That is the same as lane by lane where lanes
		// have all 8 bytes in common or none.
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

// Dwords tells l which dwords d loads; it reports false if d loads anything else.
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

// Access tells a what d does; it reports false if d does nothing.
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

// IssuesOf returns what an instruction adds to each counter, for blocks.
func IssuesOf(in *isa.Inst) [3]block.Issue {
	t, n := isa.TraitsOf(in.Target), in.Counts()
	return [...]block.Issue{{By: n.VM, Most: t.MaxVM}, {By: n.EXP, Most: t.MaxEXP}, {By: n.LGKM, Most: t.MaxLGKM}}
}

// Site says where lanes are in s for blocks; ok is false if they cannot know.
func (d *Direct) Site(p *Ports, s *Span, at *Lanes) (site block.Site, ok bool) {
	var r simd.Window
	if d.n == 0 || !d.window(&r, p, s, at) {
		return site, false
	}
	site = block.Site{First: &r.Bytes[0], Add: r.Add, Last: r.Last, Low: r.Low, Base: s.Base + s.Hi - uint64(len(r.Bytes))}
	if d.store || d.elem == simd.Dword {
		return site, true
	}
	// Small elements are read with the aligned dword that holds them.
	site.Low |= uint32(d.end - 1)
	return site, uintptr(unsafe.Pointer(site.First))&3 == 0
}

// Moves reports whether the instruction is one that d may do.
func (d *Direct) Moves() bool { return d.n != 0 }

// Lanes says where lanes are: at Base + (V[lane]+Off), where the sum in brackets has 32 bits.
type Lanes struct {
	V    *state.Lanes
	Off  uint32
	Base uint64
	Room uint64 // how many bytes from Base on are in bounds
}

// First returns where the first lane of EXEC is, the place of lane 0 if EXEC is 0.
func (l *Lanes) First(w *state.Wave) uint64 {
	return l.Base + uint64(l.V[bits.TrailingZeros64(w.Exec())&63]+l.Off)
}

// Move loads or stores the elements of the lanes of EXEC, which lie in s, if all of them allow it;
// else it does nothing and reports false. s may be nil.
func (d *Direct) Move(w *state.Wave, p *Ports, s *Span, at *Lanes) bool {
	mask := w.Exec()
	if mask == 0 || d.n == 0 {
		return d.n != 0
	}
	var r simd.Window // a literal would be copied
	if !d.window(&r, p, s, at) {
		return false
	}
	if !d.store {
		return r.Load(w.V[d.regs[0]:d.regs[0]+d.n], d.elem, d.disp[:d.n], mask)
	}
	for i := range d.n { // if the first one is stored the others are
		if !r.Store(&w.V[d.regs[i]], d.elem, d.disp[i], mask) {
			return false
		}
	}
	return true
}

// window sets r to the places of lanes in s; it reports false if they are to be found lane by lane.
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
	if skip := at.Base - begin; at.Base >= begin { // places count from Base, which is in the range
		if skip > last || at.Base&low != 0 {
			return false
		}
		r.Bytes = s.Bytes[s.Lo+skip : s.Hi]
		r.Last = uint32(min(last-skip, room, math.MaxUint32))
	} else {
		// Places count from the begin of the range. What lies below that becomes a large number, as
		// large as nothing in the range can be.
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
