package compare

import (
	"slices"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
)

// This file handles a lane that is on in one program and off in the other: it finds the instruction that set EXEC.

// off reports whether the instruction of r is off in the lane of r, or is a branch, which skips instructions.
func (r ref) off() bool {
	n := r.node()
	if n.site.scalar() {
		return n.site.inst.Row().Has(isa.Branch)
	}
	return !n.mask && n.lanes&n.exec == 0
}

// exec continues with the instructions that set EXEC, for a pair whose lane is on in only one of the programs.
func (p *pairing) exec(x pair) {
	for _, r := range x {
		if by := r.unrestored(); r.off() && by.s != nil {
			p.path[by], p.begin[by] = true, true
			return
		}
	}
	left, right := x[0].execFrom(), x[1].execFrom()
	if left.s == nil || right.s == nil {
		p.begins(x)
		return
	}
	p.add(left, right)
}

// unrestored searches the instructions that computed EXEC for r. It returns the latest one that turns the lane off
// although exactly one of EXEC and the saved EXEC that it reads has the lane on.
func (r ref) unrestored() (latest ref) {
	lane := r.node().lane
	exec := registers.EXEC + reg(lane>>5)
	all, seen := []int{r.n}, map[int]bool{r.n: true}
	for i := 0; i < len(all); i++ {
		x := &r.s.nodes[all[i]]
		reads, saved, before := false, false, false
		for _, e := range x.in {
			y := &r.s.nodes[e.node]
			on := y.wroteBit(e.reg, lane)
			switch {
			case e.reg == exec:
				before = on
			case (ref{r.s, e.node}).savesExec():
				reads, saved = true, saved || on
			}
			if y.mask && !seen[e.node] {
				seen[e.node] = true
				all = append(all, e.node)
			}
		}
		writes := slices.ContainsFunc(x.wrote, func(w dword) bool { return w.reg == exec })
		if reads && saved != before && writes && !x.wroteBit(exec, lane) && (latest.s == nil || x.n > latest.node().n) {
			latest = ref{r.s, all[i]}
		}
	}
	return latest
}

// wroteBit reports whether a node wrote 1 to the bit of a lane in register r, half of a lane mask.
func (n *node) wroteBit(r reg, lane int) bool {
	return slices.ContainsFunc(n.wrote, func(w dword) bool { return w.reg == r && w.in(0)>>(lane&31)&1 != 0 })
}

// savesExec reports whether a node writes a copy of EXEC.
func (r ref) savesExec() bool {
	return slices.ContainsFunc(r.copied(), func(x ref) bool {
		row := x.node().site.inst.Row()
		return row.Has(isa.SavesEXEC) || row.Flow[0] == isa.FlowCopy &&
			slices.ContainsFunc(x.node().in, func(e edge) bool { return e.reg&^1 == registers.EXEC })
	})
}

// execFrom returns the node that wrote the EXEC, or the branch condition, of r.
func (r ref) execFrom() ref {
	for _, e := range r.node().in {
		if e.role == isa.RoleExec || e.role == isa.RoleBranch {
			return ref{r.s, e.node}
		}
	}
	return ref{}
}
