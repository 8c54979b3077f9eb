package check

import (
	"cmp"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
	"github.com/gcnsim/gcnsim/state"
)

// This file looks for lanes that a path leaves inactive: lanes of which it is proved that they are active on another
// path that leads to the same place.

// lanesAt is what is known of masks of lanes at a place.
type lanesAt struct {
	known  bool // a path leads there
	exec   []exact.Mask
	values exact.Registers // others than EXEC
	// none is a branch behind which a path leads there if no lane is active; EXEC was not written since. It is nil if
	// there is no such path.
	none *site
	// chosen are masks with which a branch on EXECZ leads there if lanes are active: what follows is for these lanes,
	// whoever else comes there with others.
	chosen []exact.Mask
}

// clone returns a copy of l.
func (l *lanesAt) clone() *lanesAt {
	other := *l
	other.exec = slices.Clone(l.exec)
	return &other
}

// maxMasks bounds what EXEC may be at a place; beyond it EXEC is a mask of its own.
const maxMasks = 2

// maxRounds bounds how often the blocks of a kernel are visited until masks are known.
const maxRounds = 16

// masks follows the masks of lanes on the paths that are known.
type masks struct {
	*paths
	*exact.Evaluator
	in, out map[*block]*lanesAt
	from    map[exact.Mask]*site // the instruction that made a mask
	numbers map[*block]uint64    // what the unknown values of a block are named by
	open    map[*block]bool      // blocks at which EXEC is a mask of its own
	most    int                  // masks that EXEC may be at a place
	start   exact.Mask           // EXEC at the start of the kernel, which counts for all lanes
}

// masksOf follows the masks of p, as many as most at a place. It returns nil if that takes too long.
func (p *paths) masksOf(most int) *masks {
	m := &masks{p, exact.NewEvaluator(p.wave.Target), map[*block]*lanesAt{}, map[*block]*lanesAt{}, map[exact.Mask]*site{},
		map[*block]uint64{}, map[*block]bool{}, most, exact.Mask{}}
	for i, b := range p.order {
		m.numbers[b] = uint64(i)
	}
	for n := 0; m.round(); n++ {
		if n == maxRounds {
			return nil
		}
	}
	return m
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
	told := map[*site]bool{}
	for _, b := range p.order {
		now := m.in[b]
		if now == nil || !now.known {
			continue
		}
		now = now.clone()
		p.in, p.way, p.here = b.call, b.first, &trail{nil, b}
		p.each(b, func(x *step) {
			if x.vector && (*isa.Inst)(x.Inst).Row().Mem.Op != gcn.NoMem {
				m.judge(x, now, told)
			}
			m.execute(x, now)
		})
		m.judgeReturn(b, now, told)
	}
}

// round visits all blocks, and reports whether something else is known than before.
func (m *masks) round() (changed bool) {
	for _, b := range m.order {
		now := m.entering(b)
		if !now.known {
			continue
		}
		m.in[b] = now.clone()
		m.each(b, func(x *step) { m.execute(x, now) })
		old := m.out[b]
		if old == nil || !slices.Equal(old.exec, now.exec) || old.values != now.values || old.none != now.none {
			m.out[b], changed = now, true
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

// entering returns what is known at the beginning of b.
func (m *masks) entering(b *block) *lanesAt {
	now := &lanesAt{values: exact.Registers{At: m.numbers[b]}}
	own := func() {
		now.values.SetMask(registers.EXEC, exact.Mask{})
		now.exec = []exact.Mask{m.Mask(&now.values, registers.EXEC)}
	}
	if b == m.order[0] {
		now.known = true
		own()
		m.start = now.exec[0]
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
		out := m.out[from]
		if out == nil {
			continue
		}
		if from.call != nil && from.call.again && slices.Contains(from.call.exits, from) {
			now.known, now.values = true, exact.Registers{At: m.numbers[b]} // it may return to any of its calls
			own()
			return now
		}
		if !now.known {
			now.values, now.known = out.values, true
			now.values.At = m.numbers[b]
		}
		now.values.Join(&out.values)
		none, chosen := m.without(from, b, out)
		now.none, now.chosen = cmp.Or(now.none, none), append(now.chosen, chosen...)
		for _, e := range out.exec {
			part := func(whole exact.Mask) bool { return whole == e || isLoop(from) && m.Within(e, whole) }
			if !slices.ContainsFunc(now.exec, part) {
				now.exec = append(now.exec, e)
			}
		}
	}
	if m.open[b] = m.open[b] || len(now.exec) > m.most; m.open[b] {
		own()
	}
	slices.SortFunc(now.exec, compareMasks)
	return now
}

// compareMasks orders masks by their numbers.
func compareMasks(a, b exact.Mask) int { return slices.Compare(a[:], b[:]) }

// without returns the branch on EXECZ by which a path without active lanes leads from one block to another, or nil; or
// the masks of the lanes for which that branch leads there. The branch counts only if its block has taken lanes out of
// EXEC: compilers also write branches on EXECZ that are never taken, as behind an EXEC that they have restored.
func (m *masks) without(from, to *block, out *lanesAt) (none *site, chosen []exact.Mask) {
	last := m.branch(from)
	if len(from.next) != 2 || len(out.exec) == 0 || !last.inst.Row().Has(isa.ReadsEXECZ) {
		return out.none, nil
	}
	loses := func(before exact.Mask) bool {
		return slices.ContainsFunc(out.exec, func(after exact.Mask) bool { return !m.Within(before, after) })
	}
	if before := m.in[from].exec; slices.Equal(before, out.exec) || !slices.ContainsFunc(before, loses) {
		return nil, nil
	}
	w := m.wave
	w.PC = last.at + uint64(last.inst.Size)
	w.SetExec(0)
	done := m.executes(w.Wave, last)
	w.SetExec(state.FullExec)
	switch {
	case !done:
		return nil, nil
	case w.PC != to.start:
		return nil, out.exec
	case len(out.exec) > 1:
		return out.none, nil
	}
	return last, nil
}

// execute lets x change masks.
func (m *masks) execute(x *step, now *lanesAt) {
	if x.writes.has(registers.EXEC) {
		now.none = nil
	}
	var after []exact.Mask
	var left exact.Registers
	for i, e := range now.exec {
		values := now.values
		values.SetMask(registers.EXEC, e)
		m.Execute(x.exact(), &values)
		exec := m.Mask(&values, registers.EXEC)
		if exec == (exact.Mask{exact.Ones, exact.Ones}) {
			exec = m.start
		}
		if m.from[exec] == nil && exec != e {
			m.from[exec] = x.site
		}
		if !slices.Contains(after, exec) {
			after = append(after, exec)
		}
		if i == 0 {
			left = values
		} else {
			m.Meet(&left, &values, x.PC)
		}
	}
	now.exec, now.values = after, left
	slices.SortFunc(now.exec, compareMasks)
}

// judge reports an access of memory without lanes that are active at it on another path, or one to which a branch
// leads if no lane is active.
func (m *masks) judge(x *step, now *lanesAt, told map[*site]bool) {
	from, message := now.none, "%v goes here if no lane is active: nothing restores EXEC"
	if len(now.exec) == maxMasks {
		whole, part := now.exec[0], now.exec[1]
		if !m.Within(part, whole) {
			whole, part = part, whole
		}
		if m.Within(part, whole) && m.Within(whole, m.start) && !slices.Contains(now.chosen, part) {
			from = m.from[part]
			message = "lanes that %v makes inactive are active here on one path and not on another one: nothing on that " +
				"path restores EXEC"
		}
	}
	if from == nil || told[from] {
		return
	}
	told[from] = true
	m.lost(x, from, Warning, message, "restore EXEC before the paths meet, as s_or_b64 exec, exec, ... does with the "+
		"mask that was saved")
}

// lost adds a finding about lanes that are inactive at x because of another instruction.
func (m *masks) lost(x *step, from *site, severity Severity, message, fix string) {
	if f := x.first(defect{kind: LostLanes, reg: "exec", from: from}); f != nil {
		at := from.place(x.Wave, 0)
		f.Severity, f.Producer, f.message, f.fix = severity, &at, say(message, from.named()), say("%s", fix)
	}
}

// judgeReturn reports a function that returns with lanes inactive that were active when it was called.
func (m *masks) judgeReturn(b *block, now *lanesAt, told map[*site]bool) {
	if b.call == nil || b.call.again || !slices.Contains(b.call.exits, b) || len(now.exec) == 0 {
		return
	}
	entry := m.in[m.blocks[blockKey{b.call.function, b.call}]]
	if entry == nil || len(entry.exec) != 1 {
		return
	}
	for _, e := range now.exec {
		from := m.from[e]
		if e == entry.exec[0] || !m.Within(e, entry.exec[0]) || from == nil || told[from] {
			continue
		}
		told[from] = true
		severity := Warning
		if len(now.exec) == 1 {
			severity = Error
		}
		program, in := m.at(b.last)
		m.lost(m.step(program, b.last, in), from, severity, "the function returns without the lanes that %v makes inactive",
			"restore EXEC before s_setpc_b64, as s_or_b64 exec, exec, ... does with the mask that was saved")
	}
}
