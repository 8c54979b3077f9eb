package eval

import (
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/internal/prove/term"
)

// Part has the stores between two cuts. A cut is a barrier, an iteration of a loop, or the point where two paths with
// different numbers of cuts merge. If all parts of two programs are equal, in all lanes, both have equal memory at each
// cut. A load after a cut is then the same function of its address in both.
type Part struct {
	Stores [2][]Access // stores to global memory and to LDS
	Path   *term.Term  // condition under which the wave reaches the barrier at the end; nil without a barrier
}

// record adds the stores since the last cut to the result.
func (p *program) record(s *lane) *Part {
	for len(p.res.Parts) <= s.part {
		p.res.Parts = append(p.res.Parts, Part{})
	}
	x := &p.res.Parts[s.part]
	for space, stores := range s.stores {
		x.Stores[space] = mergeStores(x.Stores[space], stores)
	}
	return x
}

// cut ends the current part and begins the next one.
func (p *program) cut(s *lane) {
	p.record(s)
	p.begins(s, s.part+1)
}

// begins begins a part. Memory becomes an unknown function, named after the part.
func (p *program) begins(s *lane, part int) {
	s.part, s.stores = part, [2][]Access{}
	for space := range s.memory {
		s.memory[space] = fmt.Sprintf("%s at cut %d", spaces[space], part)
		if p.inside > 0 {
			p.varies[s.memory[space]] = p.inside
		}
	}
}

// spaces are the names of the functions for memory before the first cut.
var spaces = [2]string{"memory", "LDS"}

// meet gives two paths in different parts a common new part.
func (p *program) meet(a, b *lane) {
	part := max(a.part, b.part) + 1
	for _, s := range []*lane{a, b} {
		p.record(s)
		p.begins(s, part)
	}
}

// barrier executes s_barrier. Loads after it may return stores of other waves.
func (p *program) barrier(s *lane) {
	x := p.record(s)
	if x.Path == nil {
		x.Path = p.Bool(false)
	}
	x.Path = p.Or(x.Path, s.path)
	p.cut(s)
}

// lockstep reports whether a work-group is a single wave. Its lanes need no barrier to read the stores of other lanes,
// so compilers omit barriers.
func (p *program) lockstep() bool {
	k := p.kernel
	n := uint64(k.ReqdGroupSize[0]) * uint64(k.ReqdGroupSize[1]) * uint64(k.ReqdGroupSize[2])
	return n > 0 && n <= 64 || k.MaxFlatGroupSize > 0 && k.MaxFlatGroupSize <= 64
}

// mergeStores joins the stores of two paths. Stores at the begin of both lists are in the result once.
func mergeStores(a, b []Access) []Access {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return append(slices.Clip(a), b[n:]...)
}
