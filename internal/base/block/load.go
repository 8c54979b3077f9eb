//go:build linux && amd64 && !purego

package block

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/vector"
)

// Instructions of a list that package vector does not define and whose encodings are not in its tables.
const (
	// placesOf examines the addresses x of load n. It sets R9 to their arrangement and R10 to the address of the first
	// lane.
	placesOf = vector.NumOpcodes + iota
	// dwordOf is dword n%4 of load n/4, with addresses x; placesOf stands right before the dwords of a load.
	dwordOf
)

// R9 holds the arrangement of the addresses of a strip: the bits of all lanes if their dwords are consecutive, or
// allEqual.
const (
	allEqual = 1 << 16 // all lanes have the same address
)

// load appends a load. Inactive lanes have address 0.
func (r *run) load(l *Load) {
	n := uint32(len(r.loads))
	place := r.source(&Source{Kind: VGPR, Code: l.Addr})
	r.loads, r.addresses = append(r.loads, l), append(r.addresses, place)
	if l.Off != 0 {
		place = r.two(vector.Add, place, r.code.K(l.Off))
	}
	place = r.two(vector.And, place, r.input(inExec, 0))
	r.code.Emit(vector.Instr{Op: placesOf, X: place, Imm: n})
	for i := range l.N {
		r.writeVGPR(l.Regs[i], r.code.Emit(vector.Instr{Op: dwordOf, X: place, Imm: 4*n + uint32(i)}))
	}
}

// firstLike returns the first load with the address of load n; it may be n itself.
func (r *run) firstLike(n int) int { return slices.Index(r.addresses, r.addresses[n]) }

// bound emits code that stores the largest valid address of each load in the context. It jumps to wrong if a load has
// none.
func (a *asm) bound(loads []*Load, wrong int) {
	for n, l := range loads {
		a.load(false, rax, at(rdx, roomAt))
		if l.ByM0 {
			less := a.label()
			a.op(false, opCMPFrom, rax, at(rsi, 4*gcn.M0), 0)
			a.jump(ccNotAbove, less)
			a.load(false, rax, at(rsi, 4*gcn.M0))
			a.place(less)
		}
		a.byImm(bySUB, rax, int32(l.End))
		a.jump(ccBelow, wrong)
		a.store(false, rax, at(rdx, lastAt+8*n))
	}
}

// Instructions on vectors that only loads need.
var (
	vmovdTo  = form{1, 1, 0x7e, true} // VMOVD to a general register
	dwordIDs = func() (c pooled) {
		for i := range 16 {
			c[4*i] = byte(4 * i)
		}
		return c
	}()
)

// places emits placesOf.
func (s *strip) places(v vector.Value, i vector.Instr) {
	l := s.r.loads[i.Imm]
	s.pinned = 0
	k := s.reg(i.X)
	if n := int(i.Imm); s.traces && s.r.firstLike(n) == n {
		s.load(true, r10, at(rdx, nextEntryAt))
		s.vex(vmovupsTo, k, 0, -1, laneOf(r10, n*entryBytes+entryPlacesAt))
	}
	t := s.temporary()
	s.vex(vbroadcast, t, 0, -1, at(rdx, lastAt+8*int(i.Imm)))
	s.vex(two(vector.MinU), t, t, k, mem{})
	s.compare(vequal, t, t, k, mem{})
	s.signs(rax, t)
	s.byImm(byCMP, rax, s.allLanes())
	s.jump(ccNotZero, s.wrong)
	s.some(k, -1, s.pooled(constant(vector.Instr{Imm: l.Low})))
	s.jump(ccNotZero, s.wrong)

	s.vex(vmovdTo, k, 0, rax, mem{})
	s.vex(vspread, t, 0, k, mem{})
	s.vex(two(vector.Sub), t, k, t, mem{})
	other := s.label()
	s.value(r9, allEqual)
	s.some(t, t, mem{})
	s.jump(ccZero, other)
	s.compare(vequal, t, t, -1, s.pooled(dwordIDs))
	s.signs(r9, t)
	s.place(other)
	s.load(true, r10, at(rdx, ldsAt))
	s.regs(true, opADD, rax, r10)
	s.releaseAt(i.X, int32(v))
}

// dword emits dwordOf.
func (s *strip) dword(v vector.Value, i vector.Instr) {
	disp := int(s.r.loads[i.Imm/4].Disp[i.Imm%4])
	s.pinned = 0
	k := s.reg(i.X)
	mask := s.temporary()
	d := s.register(v)
	ordered, equal, done := s.label(), s.label(), s.label()
	s.byImm(byCMP, r9, s.allLanes())
	s.jump(ccZero, ordered)
	s.byImm(byCMP, r9, allEqual)
	s.jump(ccZero, equal)
	s.load(true, rax, at(rdx, ldsAt))
	s.ones(mask)
	s.gather(d, mask, mem{base: rax, index: k, disp: disp})
	s.jump(ccAlways, done)
	s.place(ordered)
	s.vex(vmovups, d, 0, -1, mem{base: r10, index: -1, disp: disp})
	s.jump(ccAlways, done)
	s.place(equal)
	s.vex(vbroadcast, d, 0, -1, mem{base: r10, index: -1, disp: disp})
	s.place(done)
	s.releaseAt(i.X, int32(v))
}

// issue increments LGKMCNT.
func (a *asm) issue(l *Load) {
	full := a.label()
	a.op(false, opByImmB, byCMP, at(rsi, lgkmAt), 1)
	a.emit(l.Most)
	a.jump(ccNotBelow, full)
	a.op(false, opINCB, byINC, at(rsi, lgkmAt), 0)
	a.place(full)
}
