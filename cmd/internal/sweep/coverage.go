package sweep

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// coverage notes which instructions executed, with the format for instructions that convert data.
type coverage struct {
	sim.NoWatcher
	target gcn.Target
	ops    []bool // by number of the row
	seen   map[converted]bool
}

// converted is an instruction that converts data of a format.
type converted struct {
	op        gcn.Op
	data, num uint8
	image     bool
}

// watch is for [spec.Options].
func (c *coverage) watch(r *spec.Run) []sim.Watcher {
	c.target, c.ops, c.seen = r.Target, make([]bool, isa.NumOps()), map[converted]bool{}
	return []sim.Watcher{c}
}

// Needs is part of [sim.Watcher].
func (c *coverage) Needs() sim.Needs { return sim.Needs{} }

// Retire is part of [sim.Watcher].
func (c *coverage) Retire(e *sim.Event) {
	if op := e.Inst.Op; !c.ops[op] {
		c.ops[op] = true
	}
	if row := (*isa.Inst)(e.Inst).Row(); row.Mem.Format {
		c.convert(row, e)
	}
}

// convert notes the format that an instruction converts.
func (c *coverage) convert(row *isa.Row, e *sim.Event) {
	k := converted{op: e.Inst.Op}
	at := int((*isa.Inst)(e.Inst).Get(isa.SRSRC)) * 4
	g := e.Inst.Target.Gen()
	switch row.Enc {
	case isa.MTBUF:
		k.data, k.num = uint8((*isa.Inst)(e.Inst).Get(isa.DFMT)), uint8((*isa.Inst)(e.Inst).Get(isa.NFMT))
	case isa.MUBUF:
		var v gcn.VSharp
		copy(v[:], e.Wave.S[at:])
		k.data, k.num = uint8(isa.VDataFormat.In(&v)), uint8(isa.VNumFormat.In(&v))
	case isa.MIMG:
		var t gcn.TSharp
		copy(t[:], e.Wave.S[at:])
		img := t.Fields(g)
		k.data, k.num, k.image = img.DataFormat, img.NumFormat, true
	}
	c.seen[k] = true
}

// list returns what executed, sorted: "gfx803 v_mov_b32", and of what converts data
// "gfx803 buffer_load_format_x 8_8_8_8 UNORM" besides.
func (c *coverage) list() (all []string) {
	for op, seen := range c.ops {
		if seen {
			all = append(all, c.target.String()+" "+gcn.Op(op).String())
		}
	}
	for k := range c.seen {
		name := gcn.DataFormatName(k.data)
		if k.image {
			name = isa.ImageFormatOf(c.target.Gen(), k.data, k.num).Name
		}
		if num := gcn.NumFormatName(k.num); name != "" && num != "" {
			all = append(all, c.target.String()+" "+k.op.String()+" "+name+" "+num)
		}
	}
	slices.Sort(all)
	return all
}
