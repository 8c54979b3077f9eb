package compare

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// valuer watches another run and records the values that the nodes of a slice read and wrote.
type valuer struct {
	sim.NoWatcher

	nodes []*node // in the order of execution
	next  int
	n     uint64
	sites sites
	turns map[waveID]*turns
	wave  *turns
	id    waveID
	read  bool // reads was called for the next node before it executed
	buf   []isa.Effect
	stop  context.CancelFunc
}

// turns counts the executions of each site by one wave.
type turns struct{ by []uint32 }

// values runs the program again and fills in the values of the slice, in the lane of the first node if possible.
func (s *slicer) values(ctx context.Context) error {
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	nodes := s.nodes
	v := &valuer{stop: cancel, turns: map[waveID]*turns{}}
	for i := range nodes {
		n := &nodes[i]
		lanes := cmp.Or(n.lanes&n.exec, n.lanes)
		if n.mask {
			lanes = n.lanes
		}
		n.lane = simd.FirstLane(lanes)
		if first := &nodes[0]; n.group == first.group && n.wave == first.wave && lanes>>first.lane&1 != 0 {
			n.lane = first.lane
		}
		v.nodes = append(v.nodes, n)
		v.turns[waveID{n.group, n.wave}] = &turns{}
	}
	slices.SortFunc(v.nodes, func(a, b *node) int { return cmp.Compare(a.n, b.n) })
	err := s.setup.watch(short, v)
	for i := range nodes {
		if n := &nodes[i]; n.mask {
			for d := range n.wrote {
				s.masks[maskKey{waveID{n.group, n.wave}, n.wrote[d].lanes[0]}] = true
			}
		}
	}
	if v.next < len(v.nodes) {
		return cmp.Or(ctx.Err(), err)
	}
	return ctx.Err()
}

// Needs is part of [sim.Watcher].
func (v *valuer) Needs() sim.Needs { return sim.Needs{Events: sim.BeforeAndAfter} }

// Issue is part of [sim.Watcher].
func (v *valuer) Issue(e *sim.Event) {
	if v.next < len(v.nodes) && v.nodes[v.next].n == v.n {
		v.reads(v.nodes[v.next], e)
	}
}

func (v *valuer) reads(n *node, e *sim.Event) {
	v.read = true
	n.overflows = overflows((*isa.Inst)(e.Inst), e.Wave, n.lane)
	if m := &(*isa.Inst)(e.Inst).Row().Mem; m.Op == gcn.Store || m.Op == gcn.Atomic {
		n.wrote = storedData(e.Wave, v.sites.of(e).effectsOf(e.Wave, &v.buf))
	}
	for _, f := range v.sites.of(e).effectsOf(e.Wave, &v.buf) {
		if first, count := registers.Span(&f); !f.Write {
			for k := range count {
				r := first + reg(k)
				n.ins = append(n.ins, regValue{r, uint32(at(e.Wave, r, n.lane))})
			}
		}
	}
	n.read = operands(e.Wave, (*isa.Inst)(e.Inst), v.sites.of(e).effectsOf(e.Wave, &v.buf), n.lane, false)
}

// Retire is part of [sim.Watcher].
func (v *valuer) Retire(e *sim.Event) {
	n := v.n
	v.n++
	if v.next == len(v.nodes) {
		v.stop()
		return
	}
	s := v.sites.of(e)
	if id := (waveID{e.Wave.Group, e.Wave.ID}); v.wave == nil || id != v.id {
		v.id, v.wave = id, v.turns[id]
	}
	turn := uint32(0)
	if t := v.wave; t != nil {
		if int(s.number) >= len(t.by) {
			t.by = append(t.by, make([]uint32, int(s.number)+1-len(t.by))...)
		}
		turn = t.by[s.number]
		t.by[s.number]++
	}
	x := v.nodes[v.next]
	if x.n != n {
		return
	}
	v.next++
	x.index, x.turn = e.Wave.Executed-1, turn
	if !v.read { // the wave waited for another wave; its registers have not changed
		v.reads(x, e)
	}
	v.read = false
	if a := e.Access; a.Op == gcn.Store || a.Op == gcn.Atomic {
		at := dword{reg: storedAt, scalar: a.Scalar}
		for lane := range at.lanes {
			at.lanes[lane] = uint32(a.At(0, lane))
		}
		x.wrote = append(x.wrote, at)
		x.stores, x.to = true, storesTo(e, 1<<x.lane)
	}
	number := 0
	for _, f := range s.effectsOf(e.Wave, &v.buf) {
		if !f.Write {
			continue
		}
		first, count := registers.Span(&f)
		for k := range count {
			if x.asked>>min(number, 31)&1 != 0 {
				x.wrote = append(x.wrote, valueOf(e.Wave, first+reg(k)))
			}
			number++
		}
	}
}

// storedAt is the register number, in node.wrote, of the low half of the address that a node
// stored to.
const storedAt = ^reg(0)

// aside reports whether f reads a register that has little to do with the result: EXEC, a limit of LDS
// or FLAT_SCRATCH.
func aside(f *isa.Effect) bool {
	return f.Role == isa.RoleExec || f.Role == isa.RoleLimit || f.Role == isa.RoleAddress && !f.Named
}

// storedData returns the data registers of a store and their values in w.
func storedData(w *state.Wave, effects []isa.Effect) (all []dword) {
	for i := range effects {
		if f := &effects[i]; !f.Write && f.Role == isa.RoleData && f.Named {
			first, count := registers.Span(f)
			for k := range count {
				all = append(all, valueOf(w, first+reg(k)))
			}
		}
	}
	return all
}

// valueOf returns the value of a register of w.
func valueOf(w *state.Wave, r reg) dword {
	d := dword{reg: r, scalar: true}
	switch {
	case r < registers.ScalarRegs:
		d.lanes, d.scalar = w.VGPR(int(r)), false
	case r < registers.FlagRegs:
		d.lanes[0] = w.S[r-registers.ScalarRegs]
	case isa.Flag(r-registers.FlagRegs) == isa.FlagSCC:
		d.lanes[0] = w.SCC
	default:
		d.lanes[0] = uint32(w.Mode)
	}
	return d
}

// Operand is the value of a register that an instruction read or wrote, in the lane of its [Step].
type Operand struct {
	Name  string // register, "v3" or "s[4:5]"
	Value uint64
	Bits  int // 32 or 64
}

// MarshalJSON writes the value in hexadecimal.
func (o Operand) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"name":%q,"value":"0x%0*x"}`, o.Name, o.Bits/4, o.Value), nil
}

// operands returns the operands that an instruction reads, or those that it writes, with their values
// in w. A register pair is one operand. Other registers are one operand per dword.
func operands(w *state.Wave, in *isa.Inst, effects []isa.Effect, lane int, write bool) (all []Operand) {
	for i := range effects {
		f := &effects[i]
		if f.Write != write || !write && aside(f) {
			continue
		}
		first, n := registers.Span(f)
		pair := n == 2 && first < registers.FlagRegs
		for k := range n {
			o := Operand{Name: (first + reg(k)).Operand(in, 1), Bits: 32, Value: at(w, first+reg(k), lane)}
			if pair {
				o = Operand{Name: first.Operand(in, 2), Bits: 64, Value: o.Value | at(w, first+1, lane)<<32}
			}
			if !slices.Contains(all, o) {
				all = append(all, o)
			}
			if pair {
				break
			}
		}
	}
	return all
}

// at returns the value of a register in a lane.
func at(w *state.Wave, r reg, lane int) uint64 {
	d := valueOf(w, r)
	if d.scalar {
		lane = 0
	}
	return uint64(d.lanes[lane])
}
