package compare

import (
	"slices"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
)

// input is a dword that a node reads, and the node that wrote it.
type input struct {
	reg   reg // inMemory if the dword is in memory
	role  isa.Role
	value uint32
	bit   uint32 // needed bits of a lane mask, 0 for other values
	from  ref    // writer of the dword; its slice is nil if no instruction wrote it
}

// inMemory is the register number of a dword of memory.
const inMemory = ^reg(0) - 1

// inputs returns the values that a node reads to compute its needed result. It leaves out EXEC and the descriptors of
// private memory.
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

// loaded returns a number for the value that a node loads: from's stored value, or its own result if from is empty.
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

// unequal returns the inputs of each instruction of a pair that the other one lacks. It compares them by position for
// masks, which are often equal by chance, and wherever that leaves fewer inputs.
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

// without returns the inputs of all that are not equal to any input of others.
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

// equals reports whether two inputs have the same role, and the same value or the same bits of a mask.
func (x input) equals(y input) bool {
	return x.role == y.role && (x.value == y.value || x.bit != 0 && (x.value^y.value)&x.bit == 0)
}

// shared returns how many inputs two instructions share, and the larger number of inputs that are not shared.
func shared(a, b ref) (common, other int) {
	x, y := inputs(a), inputs(b)
	left := len(without(x, y))
	return len(x) - left, max(left, len(without(y, x)))
}
