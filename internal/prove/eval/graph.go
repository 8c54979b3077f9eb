package eval

import (
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// graph has the instructions of a function by what can follow each, and its loops by their heads.
type graph struct {
	before map[uint64][]uint64
	loops  map[uint64]*natural
}

// natural is a natural loop: all ways into it lead through its head.
type natural struct {
	head uint64
	body map[uint64]bool
}

// graphOf returns the graph of the function that begins at an instruction.
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

// follows returns the instructions that can be the next one.
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
	if in.row.Has(isa.Jumps) && in.row.Sig.Dst == isa.None { // it returns
		return nil
	}
	return append(all, after)
}

// find adds the loop of a head: what reaches the ends of its iterations without the head. Those are the instructions
// before the head that the entry reaches through it alone.
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

// closure returns what is reached from an instruction without another one.
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
