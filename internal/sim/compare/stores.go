package compare

import (
	"context"
	"fmt"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/contexts"
	"github.com/gcnsim/gcnsim/state"
)

// Stores says which instruction wrote each byte of global memory last, and for which
// work-item.
type Stores struct {
	setup   Setup
	session *Session
	by      *shadow
}

// LastStores runs a program for who wrote what, which takes little longer than the run alone.
// The error comes from ctx, a fault of the program or a *[SetupError].
func LastStores(ctx context.Context, program Setup) (*Stores, error) {
	ctx = contexts.Given(ctx)
	s := &Stores{setup: program, by: &shadow{}}
	o, err := perform(ctx, program, nil, s.by)
	switch {
	case err != nil:
		return nil, failed(ctx, -1, err)
	case o.fault != nil:
		return nil, o.fault
	}
	s.session = o.session
	return s, nil
}

// Of returns the instruction that wrote a byte of the buffer of an argument last, nil if none
// did. The program runs again for it. The error comes from ctx or a *[SetupError], also if the
// program has no such byte.
func (s *Stores) Of(ctx context.Context, arg int, offset uint64) (*Step, error) {
	ctx = contexts.Given(ctx)
	all := s.session.Buffers
	if arg < 0 || arg >= len(all) || all[arg] == nil || s.session.contents(arg) == nil && offset >= all[arg].Size {
		return nil, &SetupError{"", fmt.Errorf("byte %d of argument %d: it must be one of the buffers of the session, "+
			"of which there are %d arguments", offset, arg, len(all))}
	}
	addr, err := s.session.address(arg, offset)
	if err != nil {
		return nil, &SetupError{"", fmt.Errorf("argument %d: %w", arg, err)}
	}
	by := s.by.of(addr)
	if by == 0 {
		return nil, nil
	}
	r, err := replay(ctx, s.setup, by.number(), by.number())
	if err != nil {
		return nil, failed(ctx, -1, err)
	}
	x := &r.events[0]
	nodes := []node{{n: by.number(), site: r.sites.all[x.site], group: r.group, wave: int(x.wave), exec: x.exec,
		lanes: 1 << by.lane()}}
	if err := (&slicer{setup: s.setup, nodes: nodes}).values(ctx); err != nil {
		return nil, failed(ctx, -1, err)
	}
	step := s.session.step(&nodes[0])
	return &step, nil
}

// step makes a step of a node.
func (s *Session) step(n *node) Step {
	lane := n.lane
	x := Step{
		PC: n.site.pc, Text: n.site.text(), Symbol: n.site.from.Symbol(n.site.pc), Source: n.site.from.Source(n.site.pc),
		Group: n.group, Wave: n.wave, Lane: lane, Index: n.index,
		Item: s.item(n.group, n.wave, lane), Reads: n.read, Agrees: n.agrees, Overflows: n.overflows,
	}
	for _, w := range n.wrote {
		if n.stores && (w.reg == storedAt || n.asked == 0) { // those are among what it reads
			continue
		}
		o := Operand{Name: w.reg.Operand(&n.site.inst, 1), Bits: 32, Value: uint64(w.lanes[0])}
		if !w.scalar {
			o.Value = uint64(w.lanes[lane])
		}
		x.Writes = append(x.Writes, o)
	}
	for _, o := range n.from {
		if !o.mem || o.space != state.Global || o.lane != lane && n.site.inst.Row().Enc != isa.SMEM {
			continue
		}
		for arg, b := range s.Buffers {
			if b != nil && s.contents(arg) == nil && o.addr-b.Addr < b.Size {
				x.Memory = append(x.Memory, Element{arg, o.addr - b.Addr, 4})
			}
		}
	}
	return x
}

// item returns the global id of a work-item, without the offset of the launch.
func (s *Session) item(group [3]uint32, wave, lane int) (id [3]uint32) {
	l := &s.Launch
	n := uint32(wave*state.NumLanes + lane)
	for k := range id {
		size, grid := max(l.Group[k], 1), max(l.Grid[k], 1)
		items := min(size, grid-min(grid, group[k]*size)) // the last work-group has what is left
		items = max(items, 1)
		id[k] = group[k]*size + n%items
		n /= items
	}
	return id
}
