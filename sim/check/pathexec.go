package check

import (
	"cmp"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
)

// This file looks for lanes that a path leaves inactive: lanes of which it is proved that they are active on another
// path that leads to the same place.

// maxMasks bounds what EXEC may be at a place; beyond it EXEC is a mask of its own.
const maxMasks = 2

// maxRounds bounds how often the blocks of a kernel are visited until masks are known.
const maxRounds = 16

// masks are the masks that EXEC may be where paths meet that come with different ones. There EXEC is an unknown word of
// the block; the masks take its place in what follows.
type masks struct {
	*paths
	most  int                         // masks that EXEC may be at a place
	sweep []*block                    // each before those that follow it, loops aside
	meet  map[exact.Word]*block       // where paths meet, by the unknown halves of EXEC
	begin map[*block][]exact.Mask     // EXEC there
	open  map[*block]bool             // EXEC there stays unknown
	known map[exact.Mask][]exact.Mask // results of may
	// none is a branch behind which a path leads to a block if no lane is active; EXEC was not written since.
	none map[*block]*site
}

// masksOf follows the masks of p, as many as most at a place. It returns nil if that takes too long.
func (p *paths) masksOf(most int) *masks {
	m := &masks{paths: p, most: most, meet: map[exact.Word]*block{}, begin: map[*block][]exact.Mask{},
		open: map[*block]bool{}, none: map[*block]*site{}}
	for _, b := range p.order {
		for i, half := range b.masks[0] {
			if slices.ContainsFunc(b.prev, func(from *block) bool { return from.leaves()[i] != half }) {
				m.meet[half] = b
			}
		}
	}
	m.sweep = slices.SortedStableFunc(slices.Values(p.order), func(a, b *block) int {
		return p.visits[b].end - p.visits[a].end
	})
	for n := 0; m.round(); n++ {
		if n == maxRounds {
			return nil
		}
	}
	for _, b := range p.order {
		m.open[b] = m.open[b] || len(m.begin[b]) == 0
	}
	clear(m.known)
	return m
}

// own returns the unknown halves of EXEC at the beginning of b that are so because paths meet there.
func (m *masks) own(b *block) (unknown exact.Mask) {
	for i, half := range b.masks[0] {
		if m.meet[half] == b {
			unknown[i] = half
		}
	}
	return unknown
}

// leaves returns EXEC behind b.
func (b *block) leaves() exact.Mask { return b.masks[len(b.masks)-1] }

// may returns what a mask may be, in the order of their numbers: the mask itself if it does not depend on masks of
// blocks, or on too many. It returns nil if they are not known yet.
func (m *masks) may(mask exact.Mask) (all []exact.Mask) {
	const most = 16
	if all, ok := m.known[mask]; ok {
		return all
	}
	todo := []exact.Mask{mask}
	for ; len(todo) > 0; todo = todo[1:] {
		b := m.metBy(todo[0])
		switch {
		case b == nil && !slices.Contains(all, todo[0]):
			all = append(all, todo[0])
		case b != nil:
			for _, e := range m.begin[b] {
				todo = append(todo, m.words.Replace(todo[0], m.own(b), e))
			}
		}
		if len(todo) > most {
			all = []exact.Mask{mask}
			break
		}
	}
	slices.SortFunc(all, compareMasks)
	m.known[mask] = all
	return all
}

// metBy returns a block where paths meet whose masks a mask depends on. It returns nil if no block is such.
func (m *masks) metBy(mask exact.Mask) (at *block) {
	for _, half := range mask {
		m.words.Unknowns(half, func(a exact.Word) {
			if b := m.meet[a]; b != nil && !m.open[b] {
				at = b
			}
		})
	}
	return at
}

// round visits all blocks, and reports whether something else is known than before.
func (m *masks) round() (changed bool) {
	m.known = map[exact.Mask][]exact.Mask{}
	for _, b := range m.sweep {
		all, none, own := m.entering(b)
		if none != m.none[b] {
			m.none[b], changed = none, true
		}
		if m.own(b) != (exact.Mask{}) && !m.open[b] && (own || !slices.Equal(all, m.begin[b])) {
			m.begin[b], m.open[b], changed = all, own || len(all) > m.most, true
		}
	}
	return changed
}

// visit is when a walk from the start of the kernel comes to a block, and when it has come to all that follows it.
type visit struct{ begin, end int }

// around reports whether the walk comes from the block of v to that of other: an edge back from there closes a loop.
func (v visit) around(other visit) bool { return v.begin <= other.begin && other.end <= v.end }

// walk walks through all blocks, as far as it can before it comes back.
func (p *paths) walk() map[*block]visit {
	all, clock := map[*block]visit{}, 0
	var walk func(b *block)
	walk = func(b *block) {
		clock++
		now := visit{begin: clock}
		all[b] = now
		for _, next := range b.next {
			if _, ok := all[next]; !ok {
				walk(next)
			}
		}
		clock++
		now.end = clock
		all[b] = now
	}
	walk(p.order[0])
	return all
}

// entering returns what EXEC may be at the beginning of b, own if it may be anything, and m.none there.
func (m *masks) entering(b *block) (all []exact.Mask, none *site, own bool) {
	if b == m.order[0] {
		all = append(all, exact.Mask{exact.All, exact.All})
	}
	// Loops come last: what they leave in EXEC of the lanes that came to them is for the code behind them.
	before := slices.Clone(b.prev)
	isLoop := func(from *block) bool { return from.call == b.call && m.closes(from, b) }
	slices.SortStableFunc(before, func(x, y *block) int {
		switch {
		case isLoop(x) == isLoop(y):
			return 0
		case isLoop(y):
			return -1
		}
		return 1
	})
	for _, from := range before {
		if from.call != nil && from.call.again && slices.Contains(from.call.exits, from) {
			return nil, nil, true // it may return to any of its calls
		}
		n, _ := m.without(from, b)
		none = cmp.Or(none, n)
		for _, e := range m.may(from.leaves()) {
			part := func(whole exact.Mask) bool { return whole == e || isLoop(from) && m.words.Within(e, whole) }
			if !slices.ContainsFunc(all, part) {
				all = append(all, e)
			}
		}
	}
	slices.SortFunc(all, compareMasks)
	return all, none, false
}

// compareMasks orders masks by their numbers.
func compareMasks(a, b exact.Mask) int { return slices.Compare(a[:], b[:]) }

// without returns the branch on EXECZ by which a path without active lanes leads from one block to another, or nil; or
// the masks of the lanes for which that branch leads there. The branch counts only if its block has taken lanes out of
// EXEC: compilers also write branches on EXECZ that are never taken, as behind an EXEC that they have restored.
func (m *masks) without(from, to *block) (none *site, chosen []exact.Mask) {
	if !from.setsExec {
		none = m.none[from]
	}
	if len(from.next) != 2 || !from.ends.inst.Row().Has(isa.ReadsEXECZ) {
		return none, nil
	}
	before, after := m.may(from.masks[0]), m.may(from.leaves())
	loses := func(before exact.Mask) bool {
		return slices.ContainsFunc(after, func(after exact.Mask) bool { return !m.words.Within(before, after) })
	}
	switch {
	case len(after) == 0:
		return none, nil
	case slices.Equal(before, after) || !slices.ContainsFunc(before, loses):
		return nil, nil
	case from.ends.idles == (to.start == from.behind):
		return nil, after
	case len(after) > 1:
		return none, nil
	}
	return from.ends, nil
}

// eachWith calls do with the instructions of b, and with EXEC before and behind each of them.
func (m *masks) eachWith(b *block, do func(x *step, before, after exact.Mask)) {
	p, i := m.paths, 0
	p.in, p.way, p.here = b.call, b.first, &trail{nil, b}
	p.each(b, func(x *step) {
		do(x, b.masks[i], b.masks[i+1])
		i++
	})
}

// makers returns the instruction that made each mask.
func (m *masks) makers() map[exact.Mask]*site {
	all := map[exact.Mask]*site{}
	for _, b := range m.order {
		m.eachWith(b, func(x *step, before, after exact.Mask) {
			for _, e := range m.may(after) {
				if all[e] == nil && !slices.Contains(m.may(before), e) {
					all[e] = x.site
				}
			}
		})
	}
	return all
}

// lostLanes looks for lanes that are inactive and should not be.
type lostLanes struct {
	*masks
	from map[exact.Mask]*site // the instruction that made a mask
	told map[*site]bool       // those with a finding, and whether it stands
}

// judgeLanes reports lanes that are inactive after a path which does not restore them.
func (p *paths) judgeLanes() {
	if !p.c.has(LostLanes) {
		return
	}
	m := p.masksOf(maxMasks)
	if m == nil {
		return
	}
	l := &lostLanes{m, m.makers(), map[*site]bool{}}
	for _, b := range p.order {
		none := m.none[b]
		// Masks with which a branch on EXECZ leads there if lanes are active: what follows is for these lanes, whoever else
		// comes there with others.
		var chosen []exact.Mask
		for _, from := range b.prev {
			_, masks := m.without(from, b)
			chosen = append(chosen, masks...)
		}
		m.eachWith(b, func(x *step, exec, _ exact.Mask) {
			if x.vector && (*isa.Inst)(x.Inst).Row().Mem.Op != gcn.NoMem {
				l.judge(x, exec, none, chosen)
			}
			if x.writes.has(registers.EXEC) {
				none = nil
			}
		})
		l.judgeReturn(b)
	}
}

// judge reports an access of memory without lanes that are active at it on another path, or one to which a branch
// leads if no lane is active.
func (l *lostLanes) judge(x *step, mask exact.Mask, none *site, chosen []exact.Mask) {
	from, message, exec := none, "%v goes here if no lane is active: nothing restores EXEC", l.may(mask)
	lasts := func(way *trail, next *block) bool {
		if way == nil || way.before != nil {
			return way == nil || !way.setsExec
		}
		branch, _ := l.without(way.block, next)
		return branch == from
	}
	if w := l.words; len(exec) == maxMasks {
		whole, part := exec[0], exec[1]
		if !w.Within(part, whole) {
			whole, part = part, whole
		}
		if w.Within(part, whole) && w.Within(whole, exact.Mask{exact.All, exact.All}) && !slices.Contains(chosen, part) {
			from, lasts = l.from[part], l.arrives(mask, part)
			message = "lanes that %v makes inactive are active here on one path and not on another one: nothing on that " +
				"path restores EXEC"
		}
	}
	l.lost(x, from, lasts, Warning, message, "restore EXEC before the paths meet, as s_or_b64 exec, exec, ... does with "+
		"the mask that was saved")
}

// arrives returns whether a way comes to the instruction at hand, where EXEC is a mask, with one that this may be.
func (l *lostLanes) arrives(mask, one exact.Mask) lasting {
	return func(way *trail, next *block) bool {
		if way == nil || next != l.here.block {
			return true
		}
		e := mask
		for ; way != nil; next, way = way.block, way.before {
			e = l.words.Replace(e, l.own(next), way.leaves())
		}
		return slices.Contains(l.may(e), one)
	}
}

// lost adds a finding about lanes that are inactive at x because of another instruction, nil if there is none. An
// instruction has one finding that stands.
func (l *lostLanes) lost(x *step, from *site, lasts lasting, severity Severity, message, fix string) {
	if from == nil {
		return
	}
	certain, told := l.told[from]
	_, stands := l.wayTo(x, from, lasts)
	if certain || told && !stands {
		return
	}
	l.told[from] = stands
	if f := l.first(x, defect{kind: LostLanes, reg: "exec", from: from}, lasts); f != nil {
		at := from.place(x.Wave, 0)
		f.Severity, f.Producer, f.message, f.fix = severity, &at, say(message, from.named()), say("%s", fix)
	}
}

// judgeReturn reports a function that returns with lanes inactive that were active when it was called.
func (l *lostLanes) judgeReturn(b *block) {
	if b.call == nil || b.call.again || !slices.Contains(b.call.exits, b) {
		return
	}
	entry, exec := l.may(l.blocks[blockKey{b.call.function, b.call}].masks[0]), l.may(b.leaves())
	for _, e := range exec {
		if len(entry) != 1 || e == entry[0] || !l.words.Within(e, entry[0]) {
			continue
		}
		severity := Warning
		if len(exec) == 1 {
			severity = Error
		}
		program, in := l.at(b.last)
		l.lost(l.step(program, b.last, in), l.from[e], l.arrives(b.leaves(), e), severity,
			"the function returns without the lanes that %v makes inactive",
			"restore EXEC before s_setpc_b64, as s_or_b64 exec, exec, ... does with the mask that was saved")
	}
}
