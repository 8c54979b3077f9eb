package check_test

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// plainRaces is a plain reference of what barriers order: it keeps each access of a dispatch
// to each byte, and compares all with all. It takes each access for complete.
type plainRaces struct {
	epoch map[plainWave]int
	seen  map[plainByte][]plainAccess
	pairs map[[2]uint64]bool // PCs of instructions that race, and not by the same value alone
}

type plainWave struct {
	group [3]uint32
	wave  int
}

type plainByte struct {
	space state.Space
	group [3]uint32 // of LDS
	addr  uint64
}

type plainAccess struct {
	plainWave
	epoch int
	pc    uint64
	op    gcn.MemOp
	value byte
}

func newPlainRaces() *plainRaces {
	return &plainRaces{epoch: map[plainWave]int{}, seen: map[plainByte][]plainAccess{}, pairs: map[[2]uint64]bool{}}
}

// observe is a [sim.Observer].
func (p *plainRaces) observe(e sim.Event) {
	if e.Inst.Row().Control == gcn.Barrier {
		p.epoch[plainWave{e.Wave.Group, e.Wave.ID}]++
	}
	a := e.Access
	if a.Op != gcn.Load && a.Op != gcn.Store && a.Op != gcn.Atomic || a.Space == state.Scratch {
		return
	}
	if a.Scalar {
		for i := range int(a.Count) {
			if a.Out[0]>>i&1 == 0 {
				p.access(&e, a.Space, a.At(i, 0), int(a.Elem))
			}
		}
		return
	}
	for m := a.Exec &^ a.ScratchLanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		space := a.Space
		if a.LDSLanes>>lane&1 != 0 {
			space = state.LDS
		} else if a.LDSLanes != 0 {
			space = state.Global
		}
		for i := range int(a.Count) {
			if a.Out[min(i, 3)]>>lane&1 == 0 {
				p.access(&e, space, a.At(i, lane), int(a.Elem))
			}
		}
	}
}

func (p *plainRaces) access(e *sim.Event, space state.Space, addr uint64, size int) {
	var s *unit.Span
	switch space {
	case state.LDS:
		s = &e.Ports.LDS
	case state.GDS:
		s = &e.Ports.GDS
	default:
		if s = e.Ports.Mem.Find(addr); e.Ports.ScratchBase != 0 && s.Base == e.Ports.ScratchBase {
			return
		}
	}
	for i := range uint64(size) {
		at := plainByte{space: space, addr: addr + i}
		if space == state.LDS {
			at.group = e.Wave.Group
		}
		who := plainWave{e.Wave.Group, e.Wave.ID}
		now := plainAccess{who, p.epoch[who], e.PC, e.Access.Op, s.Bytes[addr+i-s.Base]}
		known := false
		for _, was := range p.seen[at] {
			known = known || was == now
			if p.race(was, now) {
				p.pairs[[2]uint64{min(was.pc, now.pc), max(was.pc, now.pc)}] = true
			}
		}
		if !known {
			p.seen[at] = append(p.seen[at], now)
		}
	}
}

// race reports whether two accesses of a byte are a race, and more than two stores of the
// same value.
func (p *plainRaces) race(a, b plainAccess) bool {
	if a.group == b.group && (a.wave == b.wave || a.epoch != b.epoch) || a.op == gcn.Load && b.op == gcn.Load || a.op == gcn.Atomic && b.op == gcn.Atomic {
		return false
	}
	return a.op != gcn.Store || b.op != gcn.Store || a.value != b.value
}
