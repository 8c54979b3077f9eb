package check

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim/internal/registers"
	"github.com/gcnsim/gcnsim/state"
)

// This file looks for lanes that a path leaves inactive. Masks of lanes are followed as numbers: a mask that nobody
// knows, as what a comparison gives, is a random number that belongs to the instruction. Two masks that are the same
// on all runs are then the same number, and a part of a mask is a part of the number. Scalar instructions are executed.

// lanesAt is what is known of masks of lanes at a place.
type lanesAt struct {
	known bool           // a path leads there
	exec  []uint64       // what EXEC may be, nil if that is not known
	pairs map[reg]uint64 // masks in pairs of scalar registers, by the first one
	// none is a branch behind which a path leads there if no lane is active; EXEC was not written since. It is nil if
	// there is no such path.
	none *site
	// chosen are masks with which a branch on EXECZ leads there if lanes are active: what follows is for these lanes,
	// whoever else comes there with others.
	chosen []uint64
}

// clone returns a copy of l.
func (l *lanesAt) clone() *lanesAt {
	return &lanesAt{l.known, slices.Clone(l.exec), maps.Clone(l.pairs), l.none, l.chosen}
}

// maxMasks bounds what EXEC may be at a place; beyond it nothing is known.
const maxMasks = 2

// maxRounds bounds how often the blocks of a kernel are visited until masks are known.
const maxRounds = 16

// masks follows the masks of lanes on the paths that are known.
type masks struct {
	*paths
	in, out map[*block]*lanesAt
	from    map[uint64]*site // the instruction that made a mask
	named   bool             // EXEC that is not known gets a number, too: another one at each place
}

// masksOf follows the masks of p, nil if that takes too long.
func (p *paths) masksOf(named bool) *masks {
	m := &masks{p, map[*block]*lanesAt{}, map[*block]*lanesAt{}, map[uint64]*site{}, named}
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
	m := p.masksOf(false)
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
		p.in, p.way, p.here = b.call, b.first, &trail{nil, b.start}
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
		if old == nil || !slices.Equal(old.exec, now.exec) || !maps.Equal(old.pairs, now.pairs) || old.none != now.none {
			m.out[b], changed = now, true
		}
	}
	return changed
}

// entering returns what is known at the beginning of b.
func (m *masks) entering(b *block) *lanesAt {
	now := &lanesAt{pairs: map[reg]uint64{}}
	if b == m.order[0] {
		now.known, now.exec = true, []uint64{state.FullExec}
	}
	unknown := false
	// Loops come last: what they leave in EXEC of the lanes that came to them is for the code behind them.
	before := slices.Clone(b.prev)
	isLoop := func(from *block) bool { return from.call == b.call && from.start >= b.start }
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
			now = &lanesAt{known: true, pairs: map[reg]uint64{}} // it may return to any of its calls
			if m.named {
				now.exec = []uint64{anyMask(b.start, 0)}
			}
			return now
		}
		if !now.known {
			now.pairs = maps.Clone(out.pairs)
		}
		now.known = true
		none, chosen := m.without(from, b, out)
		now.none, now.chosen = cmp.Or(now.none, none), append(now.chosen, chosen...)
		maps.DeleteFunc(now.pairs, func(r reg, v uint64) bool { w, ok := out.pairs[r]; return !ok || w != v })
		unknown = unknown || out.exec == nil
		for _, e := range out.exec {
			part := func(whole uint64) bool { return whole == e || isLoop(from) && e&^whole == 0 }
			if !slices.ContainsFunc(now.exec, part) {
				now.exec = append(now.exec, e)
			}
		}
	}
	switch {
	case m.named && (unknown || len(now.exec) > 1):
		now.exec = []uint64{anyMask(b.start, 0)}
	case unknown || len(now.exec) > maxMasks:
		now.exec = nil
	}
	slices.Sort(now.exec)
	return now
}

// without returns the branch on EXECZ by which a path without active lanes leads from one block to another, or nil; or
// the masks of the lanes for which that branch leads there. The branch counts only if its block has changed EXEC:
// compilers also write branches on EXECZ that are never taken.
func (m *masks) without(from, to *block, out *lanesAt) (none *site, chosen []uint64) {
	last := m.branch(from)
	if len(from.next) != 2 || len(out.exec) == 0 || !last.inst.Row().Has(isa.ReadsEXECZ) {
		return out.none, nil
	}
	if slices.Equal(m.in[from].exec, out.exec) {
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

// random is a mask that the instruction at x makes of something that is not known.
func (m *masks) random(x *step, n int) uint64 { return anyMask(x.PC, n) }

// anyMask is a mask that belongs to a place.
func anyMask(at uint64, n int) uint64 { return rand.New(rand.NewPCG(at, uint64(n))).Uint64() }

// execute lets x change masks.
func (m *masks) execute(x *step, now *lanesAt) {
	if x.writes.has(registers.EXEC) {
		now.none = nil
	}
	if x.vector {
		m.compare(x, now)
		return
	}
	if len(now.exec) == 0 {
		m.write(x, now, func(reg) (uint64, bool) { return 0, false })
		if x.writes.has(registers.EXEC) {
			m.restored(x, now)
		}
		return
	}
	var after []uint64
	var left map[reg]uint64
	lost := false
	for _, e := range now.exec {
		narrows := x.writes.has(registers.EXEC) && m.narrows(x, now)
		exec, unknown := m.run(x, now, e)
		lost = lost || unknown && !narrows && exec != e
		if !slices.Contains(after, exec) {
			after = append(after, exec)
		}
		if m.from[exec] == nil && exec != e {
			m.from[exec] = x.site
		}
		pairs := map[reg]uint64{}
		m.write(x, &lanesAt{pairs: pairs}, func(r reg) (uint64, bool) {
			lo, _ := m.wave.get(r)
			hi, _ := m.wave.get(r + 1)
			v := uint64(hi)<<32 | uint64(lo)
			return v, !unknown || v == e && x.writes.has(registers.EXEC) // what EXEC was is saved
		})
		if left == nil {
			left = pairs
		}
		maps.DeleteFunc(left, func(r reg, v uint64) bool { w, ok := pairs[r]; return !ok || w != v })
	}
	m.write(x, now, func(r reg) (uint64, bool) { v, ok := left[r]; return v, ok })
	switch now.exec = after; {
	case lost && m.named:
		now.exec = []uint64{m.random(x, -1)}
	case lost:
		now.exec = nil
	}
	slices.Sort(now.exec)
}

// narrows reports whether x leaves a part of any mask in EXEC.
func (m *masks) narrows(x *step, now *lanesAt) bool {
	const some = 0x0123456789abcdef
	exec, _ := m.run(x, now, some)
	return exec&^some == 0
}

// restored lets EXEC be known again if x copies a mask that is known.
func (m *masks) restored(x *step, now *lanesAt) {
	var first, second uint64 = 0x0123456789abcdef, 0xfedcba9876543210
	a, unknown := m.run(x, now, first)
	b, _ := m.run(x, now, second)
	if !unknown && a == b {
		now.exec = []uint64{a}
	}
}

// run executes x with EXEC before, and returns what EXEC is then, and whether that follows from something that is not
// known.
func (m *masks) run(x *step, now *lanesAt, before uint64) (exec uint64, unknown bool) {
	w := m.wave
	n := 0
	for i := range x.effects {
		f := &x.effects[i]
		first, size := registers.Span(f)
		if f.Write || first == registers.EXEC {
			continue
		}
		n++
		v, ok := now.pairs[first]
		if ok = ok && size == 2; !ok {
			v, unknown = m.random(x, n), true
		}
		for k := range size {
			w.set(first+reg(k), uint32(v>>(k*32&63)))
		}
	}
	w.SetExec(before)
	w.PC = x.PC + uint64(x.Inst.Size)
	r := (*isa.Inst)(x.Inst).Row()
	if r.Enc > isa.SOPP || r.Has(isa.Jumps) || r.Has(isa.WritesMODE) || r.Imm == isa.HwregImm || x.moves ||
		!m.executes(w.Wave, x.site) {
		unknown = true
	}
	exec = w.Exec()
	w.SetExec(state.FullExec)
	if !x.writes.has(registers.EXEC) {
		exec = before
	}
	return exec, unknown
}

// write notes what x writes to pairs of scalar registers; value says what that is, if it is known.
func (m *masks) write(x *step, now *lanesAt, value func(reg) (uint64, bool)) {
	for i := range x.effects {
		f := &x.effects[i]
		first, n := registers.Span(f)
		if !f.Write || f.File != isa.SReg || first == registers.EXEC {
			continue
		}
		for k := range n {
			delete(now.pairs, first+reg(k))
			delete(now.pairs, first+reg(k)-1)
		}
		if v, ok := value(first); ok && n == 2 {
			now.pairs[first] = v
		}
	}
}

// compare notes the masks that a vector instruction writes: random ones of the lanes that are active.
func (m *masks) compare(x *step, now *lanesAt) {
	mask := m.random(x, 0)
	m.write(x, now, func(reg) (uint64, bool) {
		if len(now.exec) != 1 {
			return 0, false
		}
		return mask & now.exec[0], (*isa.Inst)(x.Inst).Row().Enc != isa.SMEM
	})
	if x.writes.has(registers.EXEC) {
		for i := range now.exec {
			now.exec[i] &= mask
			m.from[now.exec[i]] = x.site
		}
		slices.Sort(now.exec)
	}
}

// judge reports an access of memory without lanes that are active at it on another path, or one to which a branch
// leads if no lane is active.
func (m *masks) judge(x *step, now *lanesAt, told map[*site]bool) {
	from, message := now.none, "%v goes here if no lane is active: nothing restores EXEC"
	if len(now.exec) == maxMasks {
		whole, part := now.exec[0], now.exec[1]
		if part&^whole != 0 {
			whole, part = part, whole
		}
		if part&^whole == 0 && !slices.Contains(now.chosen, part) {
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
		if e == entry.exec[0] || e&^entry.exec[0] != 0 || from == nil || told[from] {
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
