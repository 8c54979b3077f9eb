//go:build linux && amd64 && !purego

package block

import "github.com/gcnsim/gcnsim/internal/base/vector"

// Instructions of a list that only vectors of sixteen lanes have, where they do what several of package vector do.
const (
	// ternary looks up each bit of x, y and z in the table Imm: their three bits, x first, number the bit of Imm.
	ternary = dwordOf + 1 + iota
	// compareU compares x and y without signs as the predicate Imm of VPCMPUD says.
	compareU
	numOpcodes
)

// Predicates of VPCMPUD; the one with negates set holds where the other one does not.
const (
	notLess = 5
	negates = 4
)

// The table of [ternary] for each of its operands.
var tableOf = [...]byte{0xf0, 0xcc, 0xaa}

// fuse replaces instructions of the list by those of sixteen lanes, and returns which values the results need then.
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

// fuser knows how often each value is used.
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

// isBits reports whether what makes v is a function of each bit of its operands.
func (f *fuser) isBits(v vector.Value) bool {
	switch f.list[v].Op {
	case vector.And, vector.Or, vector.Xor, vector.AndNot, ternary:
		return true
	}
	return false
}

// bits makes v a ternary function of what its operands are functions of, if these have no other use.
func (f *fuser) bits(v vector.Value) {
	if !f.isBits(v) {
		return
	}
	i := f.list[v]
	operands := []vector.Value{i.X, i.Y, i.Z}
	for open := byte(7); open > 0; open-- { // the operands that are replaced by theirs
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

// join adds values that are there, other than constants whose bits are the same.
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

// ternaryOf looks up each bit of x, y and z in table, as an instruction [ternary] does.
func ternaryOf(table, x, y, z byte) (r byte) {
	for bit := range 8 {
		n := x>>bit&1<<2 | y>>bit&1<<1 | z>>bit&1
		r |= table >> n & 1 << bit
	}
	return r
}

// ternary emits a ternary function, into the register of an operand of no more use if there is one.
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
	// The operand that the result replaces has to be the first one.
	order := [...]int{0, 1, 2}
	order[0], order[first] = first, 0
	var operands [3]byte
	for n, of := range order {
		operands[of] = tableOf[n]
	}
	table := ternaryOf(byte(i.Imm), operands[0], operands[1], operands[2])
	s.vex(vpternlogd, k[first], k[order[1]], k[order[2]], mem{}, table)
}
