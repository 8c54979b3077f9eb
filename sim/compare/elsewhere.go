package compare

import (
	"context"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/internal/registers"
)

// instead looks for what the work-item of the store in the other program does in program i, if it is not the one that
// stored the element there, and finds the slice of that: of an instruction that stores the same value at another
// address, or would if its lane were on, of the store in the same place of the order of its stores, or of the last
// branch over stores.
func (c *inquiry) instead(ctx context.Context, i int) error {
	other := c.slicers[1-i].nodes
	if len(other) == 0 || c.sameItem() {
		return nil
	}
	f, err := c.look(ctx, i, &other[0])
	if err != nil {
		return err
	}
	at, does := f.same, "stores this value, or would if its lane were on, with"
	if at == nil && len(f.stores) > 0 {
		there, err := c.look(ctx, 1-i, &other[0])
		if err != nil {
			return err
		}
		if at, does = &f.stores[min(there.before, len(f.stores)-1)], "stores something else with"; at.off {
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

// look goes through the work-group of a store of the other program in program i.
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
	_ = c.setups[i].watch(short, sim.Observer(f.observe)) // what it comes to is known
	return f, ctx.Err()
}

// place is an executed instruction: its number in the run, and whether the lane was off.
type place struct {
	n   uint64
	off bool
}

// finder looks for what a work-item does.
type finder struct {
	store  *node
	data   []dword
	sites  sites
	buf    []gcn.Effect
	n      uint64 // instructions so far
	begun  bool
	same   *place  // stores the same
	stores []place // store as many dwords
	before int     // of these, how many are before the number of store
	branch *place  // the last one over stores
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
		(e.Inst.Enc == gcn.DS) == (f.store.site.inst.Enc == gcn.DS):
		f.stored(n, e)
	case e.Inst.Row().Has(gcn.Branch) && w.PC > e.PC+uint64(e.Inst.Size) && f.overStores(e):
		f.branch = &place{n, false}
	}
}

// stored looks at a store of the wave.
func (f *finder) stored(n uint64, e *sim.Event) {
	lane := simd.FirstLane(f.store.lanes)
	lanes := uint64(1) << lane
	off := e.Access.Exec>>lane&1 == 0
	if off { // then the other lanes tell that it is the same store
		lanes = e.Access.Exec & f.store.exec
	}
	dwords, same := 0, lanes != 0
	for _, x := range f.sites.of(e).effectsOf(e.Wave, &f.buf) {
		if x.Write || x.Role != gcn.RoleData || !x.Named {
			continue
		}
		first, count := registers.Span(&x)
		for k := range count {
			v := valueOf(e.Wave, first+reg(k))
			same = same && dwords < len(f.data) && equalIn(&v, &f.data[dwords], lanes)
			dwords++
		}
	}
	if dwords != len(f.data) {
		return
	}
	at := place{n, off}
	f.stores = append(f.stores, at)
	if n < f.store.n {
		f.before++
	}
	if same && (f.same == nil || f.same.off && !off) {
		f.same = &at
	}
}

// overStores reports whether a branch that was taken goes over instructions that store elements like that of
// the other program to memory.
func (f *finder) overStores(e *sim.Event) bool {
	s := f.sites.of(e)
	over, ok := f.skips[s]
	if ok {
		return over
	}
	for _, in := range e.Program.Insts(e.PC+uint64(e.Inst.Size), e.Wave.PC) {
		row, like := in.Row(), f.store.site.inst.Row()
		if row.Mem.Op == like.Mem.Op && row.Mem.Elem == like.Mem.Elem && row.Enc != gcn.DS && row.Enc != gcn.SMEM {
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
