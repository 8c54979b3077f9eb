package check

import (
	"slices"

	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
)

// This file decides which findings are certain: those with a possible path to their instruction, from the producer if
// there is one. A path is possible if the conditions of its branches do not contradict each other. The other findings
// are doubts.

// maxWays limits the steps between blocks in the search for a finding's path. If there are more, the finding is
// certain.
const maxWays = 1 << 12

// lasting reports whether the cause of a finding persists when a path continues to the block next.
type lasting func(way *trail, next *block) bool

// first returns a new finding at x, see [step.first].
func (p *paths) first(x *step, d defect, lasts lasting) *Finding {
	if p.quiet {
		p.met++
		return nil
	}
	from, stands := d.from, true
	if d.kind == WrongSpace { // the other instruction may be the later one
		isReached := func(b *block) bool { left := maxWays; return b.has(d.from) && p.comesTo(b, exact.Ones, &left) }
		from, stands = nil, slices.ContainsFunc(p.order, isReached)
	}
	if lasts == nil {
		lasts = d.lasts
	}
	if _, ok := p.wayTo(x, from, lasts); !ok {
		stands = false
	}
	at := slices.IndexFunc(x.found, func(f *Finding) bool { return f.defect == d })
	switch {
	case at < 0:
		at = len(x.found)
		x.found = append(x.found, x.finding(d))
	case stands && p.doubted[x.found[at]]:
		*x.found[at] = *x.finding(d)
	default:
		return nil
	}
	p.doubted[x.found[at]] = !stands
	return x.found[at]
}

// lasts is the [lasting] function of findings without one of their own.
func (d *defect) lasts(way *trail, next *block) bool {
	switch {
	case way == nil:
	case d.kind == VCCZ:
		v := &next.came[way.block].vccz
		return v.stale && v.from == d.from
	case d.kind == StaleM0:
		return slices.ContainsFunc(next.came[way.block].m0, func(s m0Set) bool { return s.site == d.from })
	}
	return true
}

// tellDoubts turns findings without a possible path into doubts.
func (p *paths) tellDoubts() {
	for f, doubted := range p.doubted {
		if doubted {
			f.Severity = Doubt
			f.message = f.message.and("; the conditions of each path that was found contradict each other")
		}
	}
}

// wayTo searches for a path to x, the current instruction, from another instruction of the kernel. ok says that the
// conditions of some path do not contradict each other. way is nil if it is not known. from is nil if only x matters.
// Only paths along which lasts returns true count; lasts may be nil. A path around a loop has no conditions, because
// they would be about other values.
func (p *paths) wayTo(x *step, from *site, lasts lasting) (way *trail, ok bool) {
	if p.here == nil || p.impossible {
		return nil, !p.impossible
	}
	here, left := p.here.block, maxWays
	if from == nil || from.at < x.at && here.has(from) && (lasts == nil || lasts(nil, here)) {
		return nil, p.comesTo(here, exact.Ones, &left)
	}
	for _, b := range p.order {
		if b.has(from) && p.follow(&trail{nil, b}, exact.Ones, lasts, &left, &way) {
			return way, true
		}
	}
	return nil, false
}

// has reports whether s is an instruction of b.
func (b *block) has(s *site) bool { return b.start <= s.at && s.at <= b.last }

// follow searches for a path to the current instruction that starts with another one, and whose conditions are all
// true.
func (p *paths) follow(way *trail, both exact.Condition, lasts lasting, left *int, found **trail) bool {
	for _, next := range way.next {
		if lasts != nil && !lasts(way, next) {
			continue
		}
		now := p.words.And(both, way.condition(p.words, next))
		switch *left--; {
		case now == exact.Zero:
		case *left < 0 || p.closes(way.block, next):
			return true
		case next == p.here.block:
			first := way
			for first.before != nil {
				first = first.before
			}
			if p.comesTo(first.block, now, left) {
				*found = &trail{way, next}
				return true
			}
		case p.follow(&trail{way, next}, now, lasts, left, found):
			return true
		}
	}
	return false
}

// comesTo reports whether a path leads to b under conditions that are all true.
func (p *paths) comesTo(b *block, both exact.Condition, left *int) bool {
	if *left--; both == exact.Zero || *left < 0 || len(b.prev) == 0 {
		return both != exact.Zero
	}
	return slices.ContainsFunc(b.prev, func(before *block) bool {
		return p.closes(before, b) || p.comesTo(before, p.words.And(both, before.condition(p.words, b)), left)
	})
}

// outstanding returns a function that reports whether e is still outstanding on a path.
func outstanding(e *entry) lasting {
	return func(way *trail, next *block) bool {
		if way == nil {
			return e.via == nil
		}
		return slices.ContainsFunc(next.came[way.block].live, func(o entry) bool {
			return o.site == e.site && o.in&e.in != 0 && !o.done
		})
	}
}

// closes reports whether the edge between two blocks closes a loop.
func (p *paths) closes(from, to *block) bool { return p.visits[to].around(p.visits[from]) }

// condition returns the condition under which b continues to next.
func (b *block) condition(w *exact.Evaluator, next *block) exact.Condition {
	switch {
	case b.taken == exact.None:
		return exact.Ones
	case next.start == b.behind:
		return w.Not(b.taken)
	}
	return b.taken
}
