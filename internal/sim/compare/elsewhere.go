package compare

import (
	"cmp"
	"context"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// instead handles a program i that does not store the element with the work-item of the other program's store, or that
// stores it too early. It searches the work-item in program i for an instruction that replaces the store, and computes
// its slice. The instruction is a store of the same value to another address, even with the lane off. If there is none,
// it is the store at the same position in the order of stores, or the last branch that skips stores.
func (c *inquiry) instead(ctx context.Context, i int) error {
	other := c.slicers[1-i].nodes
	if len(other) == 0 {
		return nil
	}
	if c.sameItem() {
		if early, err := c.early(ctx, i); !early || err != nil {
			return err
		}
	}
	f, err := c.look(ctx, i, &other[0])
	if err != nil {
		return err
	}
	at, does := f.same, "stores this value, or would if its lane were on, with"
	if at == nil {
		there, err := c.look(ctx, 1-i, &other[0])
		if err != nil {
			return err
		}
		if at, does = f.ordinal(there), "stores something else with"; at != nil && at.off {
			does = "has its lane off at"
		}
	}
	if at == nil && f.branch != nil {
		at, does = f.branch, "goes past its stores with"
	}
	if at == nil {
		return nil
	}
	s, err := c.from(ctx, i, at.n, simd.FirstLane(other[0].lanes))
	if s != nil {
		s.does, c.insteads[i] = does, s
	}
	return err
}

// early reports whether program i stored too early. That is so if, in the other program, the work-item of both stores
// first stored the value of program i and later stored another value.
func (c *inquiry) early(ctx context.Context, i int) (bool, error) {
	mine, other := &c.slicers[i].nodes[0], &c.slicers[1-i].nodes[0]
	f, err := c.look(ctx, 1-i, mine)
	return err == nil && f.same != nil && !f.same.off && f.same.n < other.n && f.rank == bestRank, err
}

// ordinal returns the store of f's program with as many stored dwords before it as the other program's store has in
// there. It returns the last store if there are fewer and no branch skips stores, or nil if there is no such store.
func (f *finder) ordinal(there *finder) *place {
	before := 0
	for _, x := range there.stores {
		if x.n < f.store.n {
			before = x.end
		}
	}
	i := slices.IndexFunc(f.stores, func(x place) bool { return x.end > before })
	switch {
	case i >= 0:
		return &f.stores[i]
	case len(f.stores) > 0 && f.branch == nil:
		return &f.stores[len(f.stores)-1]
	}
	return nil
}

// storesTo returns the address space to which the first of lanes stores, for a store that has just executed.
func storesTo(e *sim.Event, lanes uint64) state.Space {
	a := e.Access
	if a.Space == state.Global && lanes != 0 {
		lane := simd.FirstLane(lanes)
		switch at := a.At(0, lane); {
		case a.LDSLanes>>lane&1 != 0:
			return state.LDS
		case a.ScratchLanes>>lane&1 != 0, at-e.PrivateBase < uint64(len(e.Private)):
			return state.Scratch
		}
	}
	return a.Space
}

// look watches the work-group of store, a store of the other program, in a run of program i.
func (c *inquiry) look(ctx context.Context, i int, store *node) (*finder, error) {
	f := &finder{store: store}
	for _, w := range store.wrote {
		if w.reg != storedAt {
			f.data = append(f.data, w)
		}
	}
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	f.stop = cancel
	_ = c.setups[i].watch(short, sim.Observer(f.observe)) // the first run has returned the error
	return f, ctx.Err()
}

// place is an executed instruction of a wave: its number in the run, and whether the lane of the store was off.
type place struct {
	n   uint64
	off bool
	end int // number of dwords that the lane has stored, this store included
}

// bestRank is the rank of a store of the same value with the same number of dwords, with the lane on.
const bestRank = 4

// finder searches the instructions of a work-item for one that replaces a store of the other program.
type finder struct {
	store  *node
	data   []dword
	sites  sites
	buf    []isa.Effect
	n      uint64 // number of instructions so far
	begun  bool
	same   *place // best store of the same value
	rank   int    // rank of same, higher is better
	stores []place
	branch *place // last branch that skips stores
	skips  map[*site]bool
	stop   context.CancelFunc
}

func (f *finder) observe(e *sim.Event) {
	n := f.n
	f.n++
	w, a := e.Wave, e.Access
	if w.Group != f.store.group {
		if f.begun {
			f.stop()
		}
		return
	}
	f.begun = true
	switch {
	case w.ID != f.store.wave:
	case a.Op != gcn.NoMem && a.Op == f.store.site.inst.Row().Mem.Op && !a.Scalar &&
		storesTo(e, cmp.Or(f.store.lanes&a.Exec, a.Exec)) == f.store.to: // its lane, or the other lanes if it is off
		f.stored(n, e)
	case (*isa.Inst)(e.Inst).Row().Has(isa.Branch) && w.PC > e.PC+uint64(e.Inst.Size) && f.overStores(e):
		f.branch = &place{n: n}
	}
}

// stored compares a store of the wave with the store of the other program.
func (f *finder) stored(n uint64, e *sim.Event) {
	lane := simd.FirstLane(f.store.lanes)
	lanes := uint64(1) << lane
	off := e.Access.Exec>>lane&1 == 0
	if off { // compare the other lanes to recognize the store
		lanes = e.Access.Exec & f.store.exec
	}
	data := storedData(e.Wave, f.sites.of(e).effectsOf(e.Wave, &f.buf))
	at := place{n, off, len(data)}
	if len(f.stores) > 0 {
		at.end += f.stores[len(f.stores)-1].end
	}
	f.stores = append(f.stores, at)
	elem := f.store.site.inst.Row().Mem.Elem
	alike := len(data) == len(f.data) && elem == e.Access.Elem
	if lanes == 0 || !alike && min(elem, e.Access.Elem) < 4 ||
		!isPart(data, f.data, lanes, elem) && !isPart(f.data, data, lanes, elem) {
		return
	}
	rank := bestRank
	if !alike {
		rank--
	}
	if off {
		rank -= 2
	}
	if rank > f.rank {
		f.same, f.rank = &at, rank
	}
}

// isPart reports whether the dwords of part are a contiguous part of whole, in lanes. If elem is less than 4, only the
// first elem bytes of each dword count.
func isPart(part, whole []dword, lanes uint64, elem uint8) bool {
	mask := ^uint32(0) >> (32 - 8*min(max(elem, 1), 4))
	for ; len(part) > 0 && len(part) <= len(whole); whole = whole[1:] {
		same := true
		for k := range part {
			same = same && equalIn(&part[k], &whole[k], lanes, mask)
		}
		if same {
			return true
		}
	}
	return false
}

// overStores reports whether a taken branch skips stores to memory whose elements have the same size as those
// of the other program's store.
func (f *finder) overStores(e *sim.Event) bool {
	s := f.sites.of(e)
	over, ok := f.skips[s]
	if ok {
		return over
	}
	for _, in := range e.Program.Insts(e.PC+uint64(e.Inst.Size), e.Wave.PC) {
		row, like := isa.Inst(in).Row(), f.store.site.inst.Row()
		if row.Mem.Op == like.Mem.Op && row.Mem.Elem == like.Mem.Elem && row.Enc != isa.DS && row.Enc != isa.SMEM {
			over = true
			break
		}
	}
	if f.skips == nil {
		f.skips = map[*site]bool{}
	}
	f.skips[s] = over
	return over
}
