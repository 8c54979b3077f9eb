package check_test

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// plainRaces is a plain reference for races. It keeps each access of a dispatch to each byte,
// and compares each pair. LDS and GDS accesses are complete only after S_WAITCNT lgkmcnt(0).
type plainRaces struct {
	epoch  map[plainWave]int
	waited map[plainWave][]int // the number of the last such wait before each barrier, and until now
	seen   map[plainByte][]plainAccess
	pairs  map[[2]uint64]bool // PCs of instructions that race with different values
	alike  map[[2]uint64]bool // PCs of instructions that race with the same value
}

type plainWave struct {
	group [3]uint32
	wave  int
}

type plainByte struct {
	space state.Space
	group [3]uint32 // the work-group whose LDS has the byte
	addr  uint64
}

type plainAccess struct {
	plainWave
	epoch int
	pc    uint64
	op    gcn.MemOp
	value byte
	index int // that of the latest access that is equal in the other fields
	space state.Space
}

func newPlainRaces() *plainRaces {
	return &plainRaces{
		epoch: map[plainWave]int{}, waited: map[plainWave][]int{}, seen: map[plainByte][]plainAccess{},
		pairs: map[[2]uint64]bool{}, alike: map[[2]uint64]bool{},
	}
}

// observe adds the access of e, and the races with earlier accesses. It is a [sim.Observer].
func (p *plainRaces) observe(e *sim.Event) {
	who := plainWave{e.Wave.Group, e.Wave.ID}
	waited := p.waited[who]
	if waited == nil {
		waited = []int{-1}
	}
	switch (*isa.Inst)(e.Inst).Row().Control {
	case isa.Barrier:
		p.epoch[who]++
		waited = append(waited, waited[len(waited)-1])
	case isa.Waits:
		if (*isa.Inst)(e.Inst).Waits().LGKM == 0 {
			waited[len(waited)-1] = int(e.Wave.Executed)
		}
	}
	p.waited[who] = waited
	a := e.Access
	if a.Op != gcn.Load && a.Op != gcn.Store && a.Op != gcn.Atomic || a.Space == state.Scratch {
		return
	}
	if a.Scalar {
		for i := range int(a.Count) {
			if a.Out[0]>>i&1 == 0 {
				p.access(e, a.Space, a.At(i, 0), int(a.Elem))
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
				p.access(e, space, a.At(i, lane), int(a.Elem))
			}
		}
	}
}

func (p *plainRaces) access(e *sim.Event, space state.Space, addr uint64, size int) {
	var bytes []byte
	switch {
	case space == state.LDS:
		bytes = e.LDS[addr:]
	case space == state.GDS:
		bytes = e.GDS[addr:]
	case addr-e.PrivateBase < uint64(len(e.Private)):
		return
	default:
		bytes = e.Memory.View(addr)
	}
	who := plainWave{e.Wave.Group, e.Wave.ID}
	now := plainAccess{plainWave: who, epoch: p.epoch[who], pc: e.PC, op: e.Access.Op, index: int(e.Wave.Executed),
		space: space}
	for i := range uint64(size) {
		at := plainByte{space: space, addr: addr + i}
		if space == state.LDS {
			at.group = e.Wave.Group
		}
		now.value = bytes[i]
		known, seen := false, p.seen[at]
		for n := range seen {
			was := &seen[n]
			if p.race(was, &now) {
				pair := [2]uint64{min(was.pc, now.pc), max(was.pc, now.pc)}
				if was.op == gcn.Store && now.op == gcn.Store && was.value == now.value {
					p.alike[pair] = true
				} else {
					p.pairs[pair] = true
				}
			}
			like := *was
			if like.index = now.index; like == now {
				was.index, known = now.index, true
			}
		}
		if !known {
			p.seen[at] = append(seen, now)
		}
	}
}

// race reports whether two accesses of a byte are not ordered. b is the later access in
// this run.
func (p *plainRaces) race(a, b *plainAccess) bool {
	if a.op == gcn.Load && b.op == gcn.Load || a.op == gcn.Atomic && b.op == gcn.Atomic || a.plainWave == b.plainWave {
		return false
	}
	return a.group != b.group || !p.before(a, b) && !p.before(b, a)
}

// before reports whether a barrier orders a before b.
func (p *plainRaces) before(a, b *plainAccess) bool {
	for k := a.epoch; k < b.epoch; k++ {
		if a.space == state.Global || p.waited[a.plainWave][k] > a.index {
			return true
		}
	}
	return false
}
