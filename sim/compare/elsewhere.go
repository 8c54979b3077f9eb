package compare

import (
	"context"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/internal/registers"
	"github.com/gcnsim/gcnsim/state"
)

// elsewhere looks in program i for an instruction by which the work-item of a store in the
// other program stored the same value at another address, or did not because its lane was
// off; nil if there is none.
func (c *inquiry) elsewhere(i int, store *node) (*Step, error) {
	f := finder{session: c.all[i].session, store: store}
	for _, w := range store.wrote {
		if w.reg != storedAt {
			f.data = append(f.data, w)
		}
	}
	short, cancel := context.WithCancel(c.ctx)
	defer cancel()
	f.stop = cancel
	_ = c.setups[i].watch(short, sim.Observer(f.observe)) // what it comes to is known
	return f.found, c.ctx.Err()
}

// finder looks for a store.
type finder struct {
	session *Session
	store   *node
	data    []dword
	sites   sites
	buf     []gcn.Effect
	begun   bool
	found   *Step
	stop    context.CancelFunc
}

func (f *finder) observe(e *sim.Event) {
	w, a := e.Wave, e.Access
	if w.Group != f.store.group {
		if f.begun {
			f.stop()
		}
		return
	}
	f.begun = true
	if w.ID != f.store.wave || a.Op != gcn.Store || a.Space != state.Global || a.Scalar {
		return
	}
	lane := simd.FirstLane(f.store.lanes)
	lanes := uint64(1) << lane
	off := a.Exec>>lane&1 == 0
	if off { // then the other lanes tell that it is the same store
		if lanes = a.Exec & f.store.exec; lanes == 0 {
			return
		}
	}
	s, n := f.sites.of(e), 0
	effects := s.effectsOf(w, &f.buf)
	for _, x := range effects {
		if x.Write || x.Role != gcn.RoleData || !x.Named {
			continue
		}
		first, count := registers.Span(&x)
		for k := range count {
			v := valueOf(w, first+reg(k))
			if n == len(f.data) || !equalIn(&v, &f.data[n], lanes) {
				return
			}
			n++
		}
	}
	if n != len(f.data) || f.found != nil && off {
		return
	}
	f.found = &Step{
		PC: e.PC, Text: s.text(), Symbol: e.Program.Symbol(e.PC), Source: e.Program.Source(e.PC), Group: w.Group,
		Wave: w.ID, Lane: lane, Index: w.Executed - 1, Parts: true,
		Item: f.session.item(w.Group, w.ID, lane), Reads: operands(w, e.Inst, effects, lane, false),
	}
}
