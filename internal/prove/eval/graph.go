package eval

import (
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// graph is the control flow of a function: the predecessors of each instruction, and the loops by their heads.
type graph struct {
	before map[uint64][]uint64
	loops  map[uint64]*natural
}

// natural is a natural loop: every path into the loop goes through its head.
type natural struct {
	head uint64
	body map[uint64]bool
}

// graphOf returns the graph of the function at entry.
func (p *program) graphOf(entry uint64) *graph {
	if g := p.graphs[entry]; g != nil {
		return g
	}
	g := &graph{before: map[uint64][]uint64{}, loops: map[uint64]*natural{}}
	next := map[uint64][]uint64{}
	for todo := []uint64{entry}; len(todo) > 0; {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, done := next[pc]; done {
			continue
		}
		next[pc] = p.follows(pc)
		for _, to := range next[pc] {
			g.before[to] = append(g.before[to], pc)
		}
		todo = append(todo, next[pc]...)
	}
	for head, from := range g.before {
		if len(from) > 1 || head == entry {
			g.find(entry, head, next)
		}
	}
	p.graphs[entry] = g
	return g
}

// follows returns the possible successors of an instruction.
func (p *program) follows(pc uint64) (all []uint64) {
	in := p.decode(pc)
	if in == nil || in.does != nil && in.does.Stop == block.Ends {
		return nil
	}
	after := pc + uint64(in.Size)
	if in.does != nil && in.does.Branch != nil {
		all = append(all, after+uint64(in.does.Branch.Far))
		if in.does.Branch.Cond == block.Always {
			return all
		}
	}
	if in.row.Has(isa.Jumps) && in.row.Sig.Dst == isa.None { // return
		return nil
	}
	return append(all, after)
}

// find adds the natural loop with a head, if there is one: the instructions that reach an end of an iteration without
// the head. An end of an iteration is a predecessor of the head that entry reaches only through the head.
func (g *graph) find(entry, head uint64, next map[uint64][]uint64) {
	outside := closure(entry, head, next)
	loop := &natural{head, map[uint64]bool{}}
	for _, end := range g.before[head] {
		if !outside[end] {
			loop.body[head] = true
			for pc := range closure(end, head, g.before) {
				loop.body[pc] = true
			}
		}
	}
	if len(loop.body) > 0 {
		g.loops[head] = loop
	}
}

// closure returns the instructions that are reachable from an instruction on paths without another one.
func closure(from, without uint64, next map[uint64][]uint64) map[uint64]bool {
	all := map[uint64]bool{}
	for todo := []uint64{from}; len(todo) > 0; {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if pc != without && !all[pc] {
			all[pc] = true
			todo = append(todo, next[pc]...)
		}
	}
	return all
}
