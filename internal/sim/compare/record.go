package compare

import (
	"context"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// reg is a register.
type reg = registers.Reg

// event is an executed instruction in a recording.
type event struct {
	site     uint32
	wave     uint8
	selected uint8  // lane that a scalar operand selects
	effects  uint32 // 1 + index in recording.effects, 0 if they are the effects of the site
	access   uint32 // 1 + index in recording.accesses, 0 without an access
	moved    uint32 // for ds_permute and ds_bpermute: 1 + index in recording.lanes
	exec     uint64 // EXEC before the instruction
}

// access is the access of an event to memory.
type access struct {
	op       gcn.MemOp
	space    state.Space
	transfer gcn.MemOp
	scalar   bool
	elem     uint8
	count    uint8
	reg      uint16
	exec     uint64
	out      [4]uint64
	lds      uint64 // lanes that access LDS
	slot     uint64
	at       int // index in recording.addrs of the first address; count addresses for each lane of exec
}

// piece is a contiguous range of bytes that one lane accessed.
type piece struct {
	space      state.Space
	addr, size uint64
	element    int
	write      bool
}

// recording is a watcher that records a range of instructions of one work-group.
type recording struct {
	sim.NoWatcher

	sites    sites
	from, to uint64 // first and last instruction, by number in the run
	n        uint64
	events   []event
	effects  [][]isa.Effect
	accesses []access
	addrs    []uint64
	lanes    [][state.NumLanes]uint8
	issued   map[*state.Wave]event
	group    [3]uint32
	buf      []isa.Effect
	stop     context.CancelFunc
}

// Needs is part of [sim.Watcher].
func (r *recording) Needs() sim.Needs { return sim.Needs{Events: sim.BeforeAndAfter} }

// Begin is part of [sim.Watcher].
func (r *recording) Begin([]*state.Wave) { clear(r.issued) }

// Issue is part of [sim.Watcher].
func (r *recording) Issue(e *sim.Event) {
	// A wave may issue before the range, wait for other waves, and retire in the range.
	if r.n+recordAhead < r.from || r.n > r.to {
		return
	}
	s := r.sites.of(e)
	x := event{site: s.number, wave: uint8(e.Wave.ID), exec: e.Wave.Exec()}
	if s.moves || s.valu && executor.GPRIndexing(e.Wave) {
		effects := s.effectsOf(e.Wave, &r.buf)
		r.effects = append(r.effects, append([]isa.Effect(nil), effects...))
		x.effects = uint32(len(r.effects))
	}
	for i := range s.effects {
		if s.effects[i].Lanes == isa.SelectLane {
			x.selected = uint8(registers.SelectedLane(e.Wave, (*isa.Inst)(e.Inst)))
		}
	}
	if move := (*isa.Inst)(e.Inst).Row().Mem.Move; move == isa.PullsLanes || move == isa.PushesLanes {
		r.lanes = append(r.lanes, registers.MovedLanes(e.Wave, (*isa.Inst)(e.Inst)))
		x.moved = uint32(len(r.lanes))
	}
	r.issued[e.Wave] = x
}

// recordAhead is the maximum number of instructions of other waves that execute while one wave waits.
const recordAhead = 1 << 16

// Retire is part of [sim.Watcher].
func (r *recording) Retire(e *sim.Event) {
	n := r.n
	r.n++
	if n < r.from {
		return
	}
	if n > r.to {
		r.stop()
		return
	}
	x, ok := r.issued[e.Wave]
	if !ok {
		return
	}
	r.group = e.Wave.Group
	if a := e.Access; a.Op != gcn.NoMem {
		r.accesses = append(r.accesses, r.accessOf((*isa.Inst)(e.Inst), a))
		x.access = uint32(len(r.accesses))
	}
	r.events = append(r.events, x)
	if n == r.to {
		r.stop()
	}
}

func (r *recording) accessOf(in *isa.Inst, a *state.Access) access {
	x := access{
		op: a.Op, space: a.Space, transfer: registers.Transfer(in), scalar: a.Scalar, elem: a.Elem, count: min(a.Count, 4),
		reg: a.Reg, exec: a.Exec, out: a.Out, lds: a.LDSLanes, slot: a.LDSSlot, at: len(r.addrs),
	}
	if a.Scalar {
		x.exec, x.count = 1, a.Count
	}
	for m := x.exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		for i := range int(x.count) {
			r.addrs = append(r.addrs, a.At(i, lane))
		}
	}
	return x
}

// pieces calls f for each piece of memory that a lane accessed in a.
func (r *recording) pieces(a *access, lane int, f func(piece)) {
	if a.exec>>lane&1 == 0 {
		return
	}
	space := a.space
	if space == state.Scratch {
		space = state.Global
	}
	if a.lds>>lane&1 != 0 {
		space = state.LDS
	}
	write := a.op == gcn.Store || a.op == gcn.Atomic
	first := a.at + bits.OnesCount64(a.exec&(1<<lane-1))*int(a.count)
	for i := range int(a.count) {
		out := a.out[min(i, len(a.out)-1)] >> lane
		if a.scalar {
			out = a.out[0] >> i
		}
		p := piece{space, r.addrs[first+i], uint64(a.elem), i, write}
		if a.transfer != gcn.NoMem {
			slot := piece{state.LDS, a.slot + 4*uint64(lane), 4, 0, a.transfer == gcn.Load}
			f(slot)
			p.size, p.write = min(p.size, 4), a.transfer == gcn.Store
		}
		if out&1 == 0 {
			f(p)
		}
	}
}

// effectsOf returns the effects of x.
func (r *recording) effectsOf(x *event) []isa.Effect {
	if x.effects != 0 {
		return r.effects[x.effects-1]
	}
	return r.sites.all[x.site].effects
}

// fetched returns the lanes whose registers x reads to compute its result in the lanes want.
func (r *recording) fetched(x *event, want uint64) (from uint64) {
	s := r.sites.all[x.site]
	if x.moved == 0 {
		return registers.Fetched(nil, &s.inst, x.exec, want)
	}
	lanes := &r.lanes[x.moved-1]
	pushes := s.inst.Row().Mem.Move == isa.PushesLanes
	for lane, other := range lanes {
		switch {
		case x.exec>>lane&1 == 0:
		case pushes && want>>other&1 != 0:
			from |= 1 << lane
		case !pushes && want>>lane&1 != 0:
			from |= 1 << other
		}
	}
	return from & x.exec
}

// replay runs the program again and returns the instructions from..to, which must belong to one work-group.
func replay(ctx context.Context, setup Setup, from, to uint64) (*recording, error) {
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &recording{from: from, to: to, issued: map[*state.Wave]event{}, stop: cancel}
	err := setup.watch(short, r)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if r.n <= to && err != nil {
		return nil, err
	}
	return r, nil
}
