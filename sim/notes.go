package sim

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// doubted is a doubt, or the first of a list of doubts, about an instruction.
type doubted struct {
	op    gcn.Op
	first *string
	why   string
}

// maxDoubted bounds the number of doubts that a runner remembers.
const maxDoubted = 1 << 12

// notesOf returns which notes of p are in the fidelity report already.
func (r *runner) notesOf(p *Program) []bool {
	if len(p.notes) == 0 {
		return nil
	}
	noted, ok := r.noted[p]
	if !ok {
		if r.noted == nil {
			r.noted = map[*Program][]bool{}
		}
		noted = make([]bool, len(p.notes))
		r.noted[p] = noted
	}
	return noted
}

// note adds n to the fidelity report.
func (r *runner) note(n *note) {
	name := isa.RowOf(n.op).Name
	r.res.mark(Note{name, n.impl.Level, n.impl.Why})
	for _, more := range n.impl.More {
		r.res.mark(Note{name, more.Level, more.Why})
	}
}

// noteBlocks adds the instructions executed in blocks to the fidelity report.
func (r *runner) noteBlocks() {
	for i, executed := range r.native.context.Reported() {
		if executed {
			r.note(&r.native.of.notes[i])
		}
	}
}

// doubt adds the doubts about the resource of s to the fidelity report (rule IM13).
func (r *runner) doubt(s *step) {
	if why := r.access.Doubt; why != "" && r.firstDoubt(doubted{op: s.in.Op, why: why}) {
		r.res.mark(Note{s.in.Row().Name, gcn.Approximate, why})
	}
	for _, list := range r.access.Doubts[:r.access.NumDoubts] {
		if !r.firstDoubt(doubted{op: s.in.Op, first: &list[0]}) {
			continue
		}
		for _, why := range list {
			r.res.mark(Note{s.in.Row().Name, gcn.Approximate, why})
		}
	}
}

// firstDoubt remembers d and reports whether it is new.
func (r *runner) firstDoubt(d doubted) bool {
	if _, ok := r.doubted[d]; ok {
		return false
	}
	if r.doubted == nil || len(r.doubted) >= maxDoubted {
		r.doubted = map[doubted]struct{}{}
	}
	r.doubted[d] = struct{}{}
	return true
}
