package eval

import (
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/internal/prove/term"
)

// Part has the stores between two cuts. A cut is a barrier, an iteration of a loop, or where ways meet and one has more
// cuts. Where the parts of two programs are equal, in all lanes, memory is the same for both at each cut, and a load
// behind a cut is a function of its address that both share.
type Part struct {
	Stores [2][]Access // to global memory and to LDS
	Path   *term.Term  // when waves wait for others at the barrier that ends it; nil without a barrier
}

// record keeps the stores since the last cut.
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

// cut ends a part.
func (p *program) cut(s *lane) {
	p.record(s)
	p.begins(s, s.part+1)
}

// begins begins a part, with memory that is known by its number.
func (p *program) begins(s *lane, part int) {
	s.part, s.stores = part, [2][]Access{}
	for space := range s.memory {
		s.memory[space] = fmt.Sprintf("%s at cut %d", spaces[space], part)
		if p.inside > 0 {
			p.varies[s.memory[space]] = p.inside
		}
	}
}

// spaces are the functions that memory is before the first cut.
var spaces = [2]string{"memory", "LDS"}

// meet lets two ways with different parts come together.
func (p *program) meet(a, b *lane) {
	part := max(a.part, b.part) + 1
	for _, s := range []*lane{a, b} {
		p.record(s)
		p.begins(s, part)
	}
}

// barrier follows s_barrier: what other waves have stored may be read.
func (p *program) barrier(s *lane) {
	x := p.record(s)
	if x.Path == nil {
		x.Path = p.Bool(false)
	}
	x.Path = p.Or(x.Path, s.path)
	p.cut(s)
}

// lockstep reports whether a work-group is one wave, whose lanes need no barrier to read what others of them have
// stored: compilers leave it out.
func (p *program) lockstep() bool {
	k := p.kernel
	n := uint64(k.ReqdGroupSize[0]) * uint64(k.ReqdGroupSize[1]) * uint64(k.ReqdGroupSize[2])
	return n > 0 && n <= 64 || k.MaxFlatGroupSize > 0 && k.MaxFlatGroupSize <= 64
}

// mergeStores returns the stores of two ways that began with the same ones.
func mergeStores(a, b []Access) []Access {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return append(slices.Clip(a), b[n:]...)
}
