package sweep

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// coverage records which instructions were executed.
type coverage struct {
	sim.NoWatcher
	target gcn.Target
	ops    []bool // by index of the instruction's table row
}

// watch is the Watch function for [spec.Options].
func (c *coverage) watch(r *spec.Run) []sim.Watcher {
	c.target, c.ops = r.Target, make([]bool, isa.NumOps())
	return []sim.Watcher{c}
}

// Needs implements [sim.Watcher].
func (c *coverage) Needs() sim.Needs { return sim.Needs{} }

// Retire implements [sim.Watcher].
func (c *coverage) Retire(e *sim.Event) {
	if op := e.Inst.Op; !c.ops[op] {
		c.ops[op] = true
	}
}

// list returns the executed instructions, sorted.
func (c *coverage) list() (all []string) {
	for op, seen := range c.ops {
		if seen {
			all = append(all, ranName(c.target, gcn.Op(op).String()))
		}
	}
	slices.Sort(all)
	return all
}

// ranName returns the name of a processor's instruction in results, such as "gfx803 v_mov_b32".
func ranName(t gcn.Target, mnemonic string) string { return t.String() + " " + mnemonic }
