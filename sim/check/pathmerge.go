package check

import (
	"maps"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
)

// This file finds values of different lanes in one scalar register. It has one value for all lanes, so lanes that
// skip code lose their value if another lane executes it.

// scalarDef is an instruction that writes a scalar register, with its EXEC.
type scalarDef struct {
	*site
	in   *block
	exec exact.Mask
}

// scalarUse is an instruction that reads a scalar register which several instructions may have written last.
type scalarUse struct {
	scalarDef
	reg  reg
	defs []*scalarDef
}

// reaching are the instructions that may have written a register last, sorted by address.
type reaching map[reg][]*scalarDef

// visited is an instruction by address and chain of calls.
type visited struct {
	*block
	pc uint64
}

// merges tracks the writes of scalar registers.
type merges struct {
	*masks
	defs    map[visited]*scalarDef
	several regset // registers that are written under several masks
	out     map[*block]reaching
	uses    []scalarUse
}

// judgeMerges reports vector instructions that read a scalar register which was written under a mask of some lanes,
// after another write for the other lanes, whose value is then lost. It only reports registers that no other
// instruction reads, because other uses may be intended.
func (p *paths) judgeMerges() {
	if !p.c.has(Divergent) {
		return
	}
	g := &merges{masks: p.masksOf(1), defs: map[visited]*scalarDef{}, out: map[*block]reaching{}}
	if g.masks == nil {
		return
	}
	if g.collect(); g.several == (regset{}) {
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
	for _, b := range g.order {
		now := g.entering(b)
		g.eachWith(b, func(x *step, exec, _ exact.Mask) {
			for r := range x.reads.all() {
				if defs := now[r]; len(defs) > 0 {
					g.uses = append(g.uses, scalarUse{scalarDef{x.site, b, g.may(exec)[0]}, r, defs})
				}
			}
			g.write(b, x, now)
		})
	}
	for i := range g.uses {
		if u := &g.uses[i]; u.vector && len(u.defs) == 2 {
			g.judge(u)
		}
	}
}

// collect finds the writes of registers, and the registers that are written under several masks.
func (g *merges) collect() {
	masks := map[reg]exact.Mask{}
	for _, b := range g.order {
		g.eachWith(b, func(x *step, exec, _ exact.Mask) {
			for i := range x.effects {
				f := &x.effects[i]
				r, n := registers.Span(f)
				if !f.Write || f.File != isa.SReg || n != 1 || f.Code >= gcn.VCC {
					continue
				}
				d := &scalarDef{x.site, b, g.may(exec)[0]}
				g.defs[visited{b, x.PC}] = d
				if old, ok := masks[r]; ok && old != d.exec {
					g.several.add(r)
				}
				masks[r] = d.exec
			}
		})
	}
}

// entering returns the writes that reach the start of b.
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

// write records the registers that x, in b, writes.
func (g *merges) write(b *block, x *step, now reaching) {
	for r := range x.writes.all() {
		delete(now, r)
		if d := g.defs[visited{b, x.PC}]; d != nil && g.several.has(r) && d.writes.has(r) {
			now[r] = []*scalarDef{d}
		}
	}
}

// judge reports u if the value that it reads belongs to some lanes only.
func (g *merges) judge(u *scalarUse) {
	before, part, r := u.defs[0], u.defs[1], u.reg
	ordered := before.in.call == u.in.call && part.in.call == u.in.call && before.at < part.at && part.at < u.at
	if !ordered || before.exec != u.exec || part.exec == u.exec ||
		!g.words.Within(part.exec, u.exec) || part.reads.has(r) {
		return
	}
	isOther := func(o scalarUse) bool { return slices.Contains(o.defs, before) && !slices.Contains(o.defs, part) }
	if slices.ContainsFunc(g.uses, isOther) {
		return
	}
	program, in := g.at(u.at)
	g.in, g.way, g.here = u.in.call, u.in.first, &trail{nil, u.in}
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
