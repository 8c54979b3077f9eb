package compare

import (
	"slices"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
)

// input is a dword that a node reads.
type input struct {
	reg   reg // inMemory if it comes from there
	role  isa.Role
	value uint32
	bit   uint32 // of a lane mask: the bits that matter
	from  ref    // who wrote it; its slice is nil if nothing did
}

// inMemory stands for a dword of memory that a node reads.
const inMemory = ^reg(0) - 1

// inputs returns what a node reads as far as it makes what was asked of it, except which lanes take part and where
// private memory is.
func inputs(r ref) (all []input) {
	n := r.node()
	add := func(x reg, role isa.Role, from ref) {
		in := input{reg: x, role: role, from: from}
		if x == inMemory {
			in.value = r.loaded(from)
		}
		for _, v := range n.ins {
			if v.reg == x {
				in.value = v.value
			}
		}
		if (role == isa.RoleMask || n.mask && n.site.scalar()) && x < registers.FlagRegs {
			if int(x-registers.ScalarRegs)&1 != n.lane>>5 {
				return
			}
			in.bit = 1 << (n.lane & 31)
		}
		if !slices.ContainsFunc(all, func(y input) bool { return y.reg == x && (x != inMemory || y.from == from) }) {
			all = append(all, in)
		}
	}
	for _, e := range n.in {
		if e.role != isa.RoleExec && e.role != isa.RoleResource {
			add(e.reg, e.role, ref{r.s, e.node})
		}
	}
	for _, o := range n.from {
		if o.mem {
			o.reg = inMemory
		}
		add(o.reg, isa.RoleData, ref{})
	}
	return all
}

// loaded returns a number for what a node loads from a place where from stored it, or nothing did.
func (r ref) loaded(from ref) uint32 {
	n := r.node()
	switch {
	case from.s == nil && len(n.wrote) > 0:
		return n.wrote[len(n.wrote)-1].in(n.lane)
	case from.s == nil || len(from.node().wrote) == 0:
		return 0
	}
	by := from.node()
	value := by.wrote[0].in(by.lane)
	if n.site.inst.Enc == isa.DS { // the same place in LDS has the same address in all programs
		value = value*31 + by.storedAt()
	}
	return value
}

// unequal returns the inputs of a pair that have no equal in the other one: at the same place for masks, of which
// many are equal, and where that leaves fewer.
func unequal(x pair) (a, b []input) {
	left, right := inputs(x[0]), inputs(x[1])
	a, b = without(left, right), without(right, left)
	if len(left) != len(right) {
		return a, b
	}
	var c, d []input
	for i := range left {
		if !left[i].equals(right[i]) {
			c, d = append(c, left[i]), append(d, right[i])
		}
	}
	masks := x[0].node().mask && x[0].node().site.inst.Row().Name == x[1].node().site.inst.Row().Name
	if masks || len(c) <= len(a) {
		return c, d
	}
	return a, b
}

// without returns the inputs of all of which others has no equal.
func without(all, others []input) (left []input) {
	others = slices.Clone(others)
	for _, x := range all {
		i := slices.IndexFunc(others, x.equals)
		if i < 0 {
			left = append(left, x)
			continue
		}
		others = slices.Delete(others, i, i+1)
	}
	return left
}

// equals reports whether two inputs are for the same, and have the same value or the same bits of a mask.
func (x input) equals(y input) bool {
	return x.role == y.role && (x.value == y.value || x.bit != 0 && (x.value^y.value)&x.bit == 0)
}

// shared returns how many inputs two instructions have in common, and how many others one of them has at most.
func shared(a, b ref) (common, other int) {
	x, y := inputs(a), inputs(b)
	left := len(without(x, y))
	return len(x) - left, max(left, len(without(y, x)))
}
