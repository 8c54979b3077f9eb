package check

import (
	"maps"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
)

// This file looks for values of lanes that differ in one scalar register: it holds one for all lanes, so that lanes
// which pass by code lose what they had if another lane executes it.

// scalarDef is an instruction that writes a scalar register, with what EXEC is there.
type scalarDef struct {
	*site
	in   *block
	exec exact.Mask
	uses []scalarUse
}

// scalarUse is an instruction that reads a scalar register, which one of several instructions may have written last.
type scalarUse struct {
	*site
	in   *block
	exec exact.Mask
	defs []*scalarDef
}

// reaching are the instructions that may have written registers last, in the order of their addresses.
type reaching map[reg][]*scalarDef

// merges follows the writes of scalar registers.
type merges struct {
	*masks
	at  map[*block]map[uint64]*scalarDef // by block and address
	out map[*block]reaching
}

// judgeMerges reports vector instructions that read a scalar register which was written under a mask of some lanes,
// after another write for the other lanes: these have lost their value. Only registers that no other instruction reads
// are reported, as others may be meant.
func (p *paths) judgeMerges() {
	if !p.c.has(Divergent) {
		return
	}
	g := &merges{p.masksOf(1), map[*block]map[uint64]*scalarDef{}, map[*block]reaching{}}
	if g.masks == nil || !g.collect() {
		return
	}
	for n, changed := 0, true; changed; n++ {
		if n == maxRounds {
			return
		}
		changed = false
		for _, b := range g.order {
			now := g.entering(b)
			g.each(b, func(x *step) { g.write(b, x, now) })
			if !maps.EqualFunc(now, g.out[b], slices.Equal) {
				g.out[b], changed = now, true
			}
		}
	}
	var uses []scalarUse
	var xs []reg
	for _, b := range g.order {
		now := g.entering(b)
		g.eachWith(b, func(x *step, exec, _ exact.Mask) {
			for r := range x.reads.all() {
				if defs := now[r]; len(defs) > 0 {
					u := scalarUse{x.site, b, g.may(exec)[0], defs}
					for _, d := range defs {
						d.uses = append(d.uses, u)
					}
					if x.vector && len(defs) == 2 {
						uses, xs = append(uses, u), append(xs, r)
					}
				}
			}
			g.write(b, x, now)
		})
	}
	for i := range uses {
		g.judge(&uses[i], xs[i])
	}
}

// collect finds the writes of registers that are written under several masks; it reports whether there are any.
func (g *merges) collect() bool {
	masks := map[reg]exact.Mask{}
	several := regset{}
	visit := func(do func(b *block, x *step, r reg, exec exact.Mask)) {
		for _, b := range g.order {
			g.eachWith(b, func(x *step, exec, _ exact.Mask) {
				for i := range x.effects {
					f := &x.effects[i]
					first, n := registers.Span(f)
					if f.Write && f.File == isa.SReg && n == 1 && f.Code < gcn.VCC {
						do(b, x, first, g.may(exec)[0])
					}
				}
			})
		}
	}
	visit(func(_ *block, _ *step, r reg, exec exact.Mask) {
		if old, ok := masks[r]; ok && old != exec {
			several.add(r)
		}
		masks[r] = exec
	})
	visit(func(b *block, x *step, r reg, exec exact.Mask) {
		if several.has(r) {
			if g.at[b] == nil {
				g.at[b] = map[uint64]*scalarDef{}
			}
			g.at[b][x.PC] = &scalarDef{site: x.site, in: b, exec: exec}
		}
	})
	return len(g.at) > 0
}

// entering returns the writes that reach the beginning of b.
func (g *merges) entering(b *block) reaching {
	now := reaching{}
	for _, from := range b.prev {
		for r, defs := range g.out[from] {
			for _, d := range defs {
				if !slices.Contains(now[r], d) {
					now[r] = append(slices.Clip(now[r]), d)
				}
			}
		}
	}
	for _, defs := range now {
		slices.SortFunc(defs, func(a, b *scalarDef) int { return int(int64(a.at - b.at)) })
	}
	return now
}

// write lets x, of b, write its registers.
func (g *merges) write(b *block, x *step, now reaching) {
	for r := range x.writes.all() {
		delete(now, r)
		if d := g.at[b][x.PC]; d != nil && d.writes.has(r) && r != scc {
			now[r] = []*scalarDef{d}
		}
	}
}

// judge reports u, which reads r, if its value is of some lanes only.
func (g *merges) judge(u *scalarUse, r reg) {
	before, part := u.defs[0], u.defs[1]
	ordered := before.in.call == u.in.call && part.in.call == u.in.call && before.at < part.at && part.at < u.at
	if !ordered || before.exec != u.exec || part.exec == u.exec ||
		!g.words.Within(part.exec, u.exec) || part.reads.has(r) {
		return
	}
	for _, other := range before.uses {
		if !slices.Contains(other.defs, part) {
			return
		}
	}
	program, in := g.paths.at(u.at)
	g.paths.in, g.way, g.here = u.in.call, u.in.first, &trail{nil, u.in}
	x := g.step(program, u.at, in)
	name := r.Operand((*isa.Inst)(x.Inst), 1)
	lasts := func(way *trail, _ *block) bool { return way == nil || slices.Contains(g.out[way.block][r], part) }
	if f := g.first(x, defect{kind: Divergent, reg: name, from: part.site}, lasts); f != nil {
		at := part.place(x.Wave, 0)
		f.Severity, f.Producer = Warning, &at
		f.message = say("%s is what %v has left if a lane was active there, for lanes too that were not and need what %v "+
			"has left: a scalar register has one value for all lanes", name, part.named(), before.named())
		f.fix = say("keep the value in a vector register")
	}
}
