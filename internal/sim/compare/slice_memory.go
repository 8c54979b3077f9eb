package compare

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// This file extends the slice through memory: from loads to stores.

// memoryWritten finds the needs that x satisfies because x writes the memory.
func (s *slicer) memoryWritten(x *event, hit *hits) {
	a := &s.rec.accesses[x.access-1]
	if a.op == gcn.Load && a.transfer == gcn.NoMem {
		return
	}
	// If several lanes write the same byte, the highest lane wins.
	for m := a.exec; m != 0; {
		lane := 63 - bits.LeadingZeros64(m)
		m &^= 1 << lane
		s.rec.pieces(a, lane, func(p piece) {
			if !p.write {
				return
			}
			for d := p.addr >> 2; d <= (p.addr+p.size-1)>>2; d++ {
				key := memKey{p.space, d}
				all, ok := s.mem[key]
				if !ok {
					continue
				}
				mask := bytesOf(p, d)
				var left []need
				for _, n := range all {
					if n.lanes&mask == 0 {
						left = append(left, n)
						continue
					}
					hit.store(a, lane, p, d, n)
					if n.lanes &^= mask; n.lanes != 0 {
						left = append(left, n)
					}
				}
				if s.mem[key] = left; len(left) == 0 {
					delete(s.mem, key)
				}
			}
		})
	}
}

// outside reports whether an access exceeded a limit in one of lanes. a is nil if the instruction has no access.
func (a *access) outside(lanes uint64) bool {
	return a != nil && (a.out[0]|a.out[1]|a.out[2]|a.out[3])&lanes != 0
}

// bytesOf returns a mask of the bytes of dword d that are in p.
func bytesOf(p piece, d uint64) (mask uint64) {
	for i := range uint64(4) {
		if d<<2+i-p.addr < p.size {
			mask |= 1 << i
		}
	}
	return mask
}

// store records that x satisfies need n with dword d of piece p, in a lane.
func (hit *hits) store(a *access, lane int, p piece, d uint64, n need) {
	hit.by = append(hit.by, n)
	switch {
	case a.scalar:
		hit.lanes = ^uint64(0)
	case a.op == gcn.Atomic: // earlier lanes may have accessed the same address
		hit.lanes |= a.exec
	default:
		hit.lanes |= 1 << lane
	}
	each := max(int(a.elem)/4, 1)
	k := 0
	if d<<2 > p.addr {
		k = int(d<<2-p.addr+3) / 4
	}
	hit.data |= 1 << min(p.element*each+k, 31)
	if p.addr&3 != 0 && k > 0 { // the dword in memory comes from two registers
		hit.data |= 1 << min(p.element*each+k-1, 31)
	}
}

// wrote adds need n to hit if x wrote the byte at addr in a lane.
func (s *slicer) wrote(x *event, hit *hits, lane int, addr uint64, n need) {
	if x.access == 0 {
		return
	}
	a := &s.rec.accesses[x.access-1]
	s.rec.pieces(a, lane, func(p piece) {
		if d := addr >> 2; p.write && p.space == state.Global && bytesOf(p, d)&n.lanes != 0 {
			hit.store(a, lane, p, d, n)
		}
	})
}

// readsMemory adds needs for the bytes of memory that node me reads.
func (s *slicer) readsMemory(x *event, a *access, me int, lanes uint64, hit *hits) {
	row := s.rec.sites.all[x.site].inst.Row()
	if a.op == gcn.Store && a.transfer == gcn.NoMem || row.Enc == isa.MIMG && a.op == gcn.Load {
		return
	}
	whole := a.op != gcn.Load || row.Mem.Format || a.transfer != gcn.NoMem
	if a.scalar {
		lanes = 1
	}
	each := max(int(a.elem)/4, 1)
	for m := lanes & a.exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		s.rec.pieces(a, lane, func(p piece) {
			if a.transfer != gcn.NoMem && p.write {
				return
			}
			for d := p.addr >> 2; d <= (p.addr+p.size-1)>>2; d++ {
				k := p.element*each + int(max(d<<2, p.addr)-p.addr+3)/4
				if !whole && hit.asked>>min(k, 31)&1 == 0 && (p.addr&3 == 0 || k == 0 || hit.asked>>min(k-1, 31)&1 == 0) {
					continue
				}
				s.needMemory(memKey{p.space, d}, need{by: me, lanes: bytesOf(p, d), role: isa.RoleData, reg: inMemory, lane: lane})
			}
		})
	}
}

// needMemory adds a need for bytes of a dword. If an earlier work-group, or no store, wrote a byte, it records that.
func (s *slicer) needMemory(key memKey, n need) {
	if key.space != state.Global {
		s.mem[key] = append(s.mem[key], n)
		return
	}
	here := uint64(0)
	for i := range uint64(4) {
		addr := key.dword<<2 + i
		if n.lanes>>i&1 == 0 {
			continue
		}
		one := n
		one.lanes = 1 << i
		switch by := s.writers.of(addr); {
		case by == 0: // the byte has its value from before the run
			s.nodes[n.by].origin(origin{addr: key.dword << 2, lane: n.lane, mem: true})
		case by.number() < s.begin:
			s.earlier[by.number()] = append(s.earlier[by.number()], stored{by.lane(), addr, one, false})
		default:
			here |= 1 << i
		}
	}
	if here != 0 {
		n.lanes = here
		s.mem[key] = append(s.mem[key], n)
	}
}

// origin adds an origin to a node once.
func (n *node) origin(o origin) {
	if len(n.from) == 0 || n.from[len(n.from)-1] != o { // the bytes of one dword follow one another
		n.from = append(n.from, o)
	}
}
