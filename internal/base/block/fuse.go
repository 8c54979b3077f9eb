//go:build linux && amd64 && !purego

package block

import "github.com/gcnsim/gcnsim/internal/base/vector"

// Instructions on vectors of sixteen lanes. Each does the work of several instructions of package vector.
const (
	// ternary looks up each bit of x, y and z in the table Imm: their three bits, x first, number the bit of Imm.
	ternary = dwordOf + 1 + iota
	// compareU is an unsigned comparison of x and y with the predicate Imm of VPCMPUD.
	compareU
	numOpcodes
)

// Predicates of VPCMPUD. Setting the bit negates in a predicate inverts it.
const (
	notLess = 5
	negates = 4
)

// tableOf holds the table of [ternary] that returns the first, the second or the third operand.
var tableOf = [...]byte{0xf0, 0xcc, 0xaa}

// fuse replaces instructions of the list by instructions of sixteen lanes, and returns which values the results then
// need.
func (r *run) fuse(live []bool) []bool {
	list := r.code.Instrs
	f := fuser{list: list, uses: make([]int, len(list))}
	for v := range list {
		if i := list[v]; live[v] {
			f.uses[i.X]++
			f.uses[i.Y]++
			f.uses[i.Z]++
		}
	}
	for _, v := range r.results() {
		f.uses[v]++
	}
	for v := range list {
		if live[v] {
			f.compare(&list[v])
			f.bits(vector.Value(v))
		}
	}
	return r.needed()
}

// fuser counts the uses of each value.
type fuser struct {
	list []vector.Instr
	uses []int
}

// compare replaces max(x, y) == x by the unsigned comparison x >= y, and an inverted comparison by its opposite.
func (f *fuser) compare(i *vector.Instr) {
	switch x, y := f.list[i.X], f.list[i.Y]; {
	case i.Op == vector.Equal && x.Op == vector.MaxU && (x.X == i.Y || x.Y == i.Y):
		*i = vector.Instr{Op: compareU, X: i.Y, Y: x.X ^ x.Y ^ i.Y, Imm: notLess}
	case i.Op == vector.Xor && x.Op == compareU && f.uses[i.X] == 1 && y.Op == vector.Const && y.Imm == 0xffffffff:
		*i = x
		i.Imm ^= negates
	}
}

// isBits reports whether the instruction that computes v is a bitwise function of its operands.
func (f *fuser) isBits(v vector.Value) bool {
	switch f.list[v].Op {
	case vector.And, vector.Or, vector.Xor, vector.AndNot, ternary:
		return true
	}
	return false
}

// bits makes v a ternary function of the inputs of its operands, if the operands have no other use.
func (f *fuser) bits(v vector.Value) {
	if !f.isBits(v) {
		return
	}
	i := f.list[v]
	operands := []vector.Value{i.X, i.Y, i.Z}
	for open := byte(7); open > 0; open-- { // the operands that are replaced by their own operands
		var leaves []vector.Value
		some := false
		for n, x := range operands {
			if open>>n&1 == 0 {
				leaves = f.join(leaves, x)
				continue
			}
			if f.uses[x] != 1 || !f.isBits(x) {
				some = false
				leaves = nil
				break
			}
			some = true
			leaves = f.join(leaves, f.list[x].X, f.list[x].Y, f.list[x].Z)
		}
		if !some || len(leaves) != len(tableOf) {
			continue
		}
		table := f.table(v, leaves)
		f.list[v] = vector.Instr{Op: ternary, X: leaves[0], Y: leaves[1], Z: leaves[2], Imm: uint32(table)}
		return
	}
}

// join adds values that are not in all yet, except constants whose bits are all equal.
func (f *fuser) join(all []vector.Value, more ...vector.Value) []vector.Value {
next:
	for _, v := range more {
		if i := f.list[v]; v == 0 || i.Op == vector.Const && (i.Imm == 0 || i.Imm == 0xffffffff) {
			continue
		}
		for _, w := range all {
			if v == w {
				continue next
			}
		}
		all = append(all, v)
	}
	return all
}

// table returns the table of v as a function of leaves.
func (f *fuser) table(v vector.Value, leaves []vector.Value) byte {
	for n, leaf := range leaves {
		if v == leaf {
			return tableOf[n]
		}
	}
	i := f.list[v]
	if i.Op == vector.Const {
		return byte(i.Imm)
	}
	x, y := f.table(i.X, leaves), f.table(i.Y, leaves)
	switch i.Op {
	case vector.And:
		return x & y
	case vector.Or:
		return x | y
	case vector.Xor:
		return x ^ y
	case vector.AndNot:
		return x &^ y
	}
	return ternaryOf(byte(i.Imm), x, y, f.table(i.Z, leaves))
}

// ternaryOf looks up each bit of x, y and z in table, like an instruction [ternary].
func ternaryOf(table, x, y, z byte) (r byte) {
	for bit := range 8 {
		n := x>>bit&1<<2 | y>>bit&1<<1 | z>>bit&1
		r |= table >> n & 1 << bit
	}
	return r
}

// ternary emits a ternary function. The result overwrites an operand without further use, if there is one.
func (s *strip) ternary(v vector.Value, i vector.Instr) {
	s.pinned = 0
	k := [...]int{s.reg(i.X), s.reg(i.Y), s.reg(i.Z)}
	s.releaseOperands(v, i)
	first := 0
	for n := range k {
		if s.holds[k[n]] == 0 {
			first = n
		}
	}
	if s.holds[k[first]] == 0 {
		s.holds[k[first]], s.in[v] = v, int8(k[first])
	} else {
		d := s.result(v)
		s.vex(vmovaps, d, 0, k[0], mem{})
		k[0] = d
	}
	// the operand that the result replaces has to be the first one
	order := [...]int{0, 1, 2}
	order[0], order[first] = first, 0
	var operands [3]byte
	for n, of := range order {
		operands[of] = tableOf[n]
	}
	table := ternaryOf(byte(i.Imm), operands[0], operands[1], operands[2])
	s.vex(vpternlogd, k[first], k[order[1]], k[order[2]], mem{}, table)
}
