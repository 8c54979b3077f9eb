package check

import "github.com/gcnsim/gcnsim/internal/isa"

// barriers finds barriers that a wave of the work-group never reaches because it has ended. The other waves then
// continue without it (rule RC3).
var barriers = analysis{retire: (*Checker).retireBarrier, unseen: true}

// cameTo counts the barriers that a wave has reached.
type cameTo struct {
	n     int
	last  origin
	ended origin // the instruction that ended the wave, without a site while it executes
}

// retireBarrier counts the barriers that the waves of a work-group reach.
func (c *Checker) retireBarrier(x *step) {
	w, here := x.wave, origin{x.site, x.executed}
	switch (*isa.Inst)(x.Inst).Row().Control {
	case isa.Barrier:
		w.came.n++
		w.came.last = here
		if !c.anyEnded { // the common case
			break
		}
		for _, other := range c.waves {
			if other.came.ended.site != nil && other.came.n < w.came.n {
				c.missed(w, other)
			}
		}
	case isa.Ends:
		w.came.ended, c.anyEnded = here, true
		for _, other := range c.waves {
			if w.came.n < other.came.n {
				c.missed(other, w)
			}
		}
	}
}

// missed reports that a wave has ended without reaching the latest barrier of another one.
func (c *Checker) missed(at, ended *wave) {
	b, end := at.came.last, ended.came.ended
	f := c.merge(b.site, defect{kind: SkippedBarrier, rule: "RC3", from: end.site}, Note)
	if f == nil {
		return
	}
	producer := end.site.place(ended.Wave, end.index)
	f.Site, f.Producer = b.site.place(at.Wave, b.index), &producer
	f.message = say("a wave of the work-group has ended at %v without coming to this barrier: the others go on without it",
		pc(end.site.at))
}
