package check

import (
	"cmp"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
)

// This file finds lanes that a path leaves inactive although they are proved to be active on another path to the same
// instruction.

// maxMasks limits the possible values of EXEC at one instruction. If there are more, EXEC is a new unknown mask.
const maxMasks = 2

// maxRounds limits how often the blocks of a kernel are visited until masks are known.
const maxRounds = 16

// masks are the possible values of EXEC where paths with different values meet. There EXEC is an unknown word of the
// block; the masks replace it in values that depend on it.
type masks struct {
	*paths
	most  int                         // the greatest number of values of EXEC at one instruction
	sweep []*block                    // blocks in an order in which each is before its successors, except in loops
	meet  map[exact.Word]*block       // blocks where paths meet, by the unknown halves of EXEC
	begin map[*block][]exact.Mask     // values of EXEC at the start of a block
	open  map[*block]bool             // EXEC at the start of these blocks stays unknown
	known map[exact.Mask][]exact.Mask // cache of results of may
	// none is a branch after which a path leads to a block if no lane is active, without a later write of EXEC.
	none map[*block]*site
}

// masksOf computes the masks of p, at most most at each instruction. It returns nil if that takes too long.
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

// own returns the unknown halves of EXEC at the start of b that are unknown because paths meet there.
func (m *masks) own(b *block) (unknown exact.Mask) {
	for i, half := range b.masks[0] {
		if m.meet[half] == b {
			unknown[i] = half
		}
	}
	return unknown
}

// leaves returns EXEC at the end of b.
func (b *block) leaves() exact.Mask { return b.masks[len(b.masks)-1] }

// may returns the possible values of a mask, sorted: only the mask itself if it does not depend on masks of blocks,
// or if it depends on too many. It returns nil if they are not known yet.
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

// metBy returns a block where paths meet on whose masks a mask depends, or nil.
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

// round visits all blocks, and reports whether anything has changed.
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

// visit has the times when a depth-first walk enters and leaves a block.
type visit struct{ begin, end int }

// around reports whether the walk entered other's block before it left v's block. An edge back from there closes a
// loop.
func (v visit) around(other visit) bool { return v.begin <= other.begin && other.end <= v.end }

// walk walks through all blocks, depth first.
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

// entering returns the possible values of EXEC at the start of b, and m.none there. own is true if EXEC may be
// anything.
func (m *masks) entering(b *block) (all []exact.Mask, none *site, own bool) {
	if b == m.order[0] {
		all = append(all, exact.Mask{exact.All, exact.All})
	}
	// Loop edges are last: lanes that leave a loop execute the code behind it.
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
			return nil, nil, true // it may return to any of its callers
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

// without returns the branch on EXECZ by which a path without active lanes leads from one block to another, or nil,
// or the masks for which that branch leads there with active lanes. The branch only counts if its block has removed
// lanes from EXEC, because compilers also write branches on EXECZ that are never taken, for example after restoring
// EXEC.
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

// eachWith calls do for the instructions of b, with EXEC before and after each of them.
func (m *masks) eachWith(b *block, do func(x *step, before, after exact.Mask)) {
	p, i := m.paths, 0
	p.in, p.way, p.here = b.call, b.first, &trail{nil, b}
	p.each(b, func(x *step) {
		do(x, b.masks[i], b.masks[i+1])
		i++
	})
}

// makers returns the instruction that created each mask.
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

// lostLanes finds lanes that are wrongly inactive.
type lostLanes struct {
	*masks
	from map[exact.Mask]*site // the instruction that created a mask
	told map[*site]bool       // instructions with a finding, and whether that is certain
}

// judgeLanes reports lanes that are inactive after a path that does not restore them.
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
		// Masks for which a branch on EXECZ leads there with active lanes. The code that follows is for these lanes,
		// whatever other paths lead there.
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

// judge reports a memory access without lanes that are active at it on another path, or an access to which a branch
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

// arrives returns a function that reports whether a path reaches the current instruction with an EXEC that one may
// be.
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

// lost adds a finding about lanes that are inactive at x because of another instruction, or returns nil. An
// instruction has at most one certain finding.
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

// judgeReturn reports a function that returns with lanes inactive that were active at the call.
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
