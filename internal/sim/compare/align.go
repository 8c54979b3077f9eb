package compare

import (
	"cmp"
	"slices"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/sim"
)

// alignment maps the instructions of two programs to each other. A nil alignment pairs instructions
// with the same address.
type alignment struct {
	sides [2]*numbering
	// renamed has the numbers of the instructions that write different registers in the two programs. If it is not
	// empty, written values are compared without their registers, in the written lanes.
	renamed map[int32]bool
}

// numbering numbers the instructions of one program that the other program also has.
type numbering struct {
	base    uint64
	numbers []int32 // by dword from base; 0 if the other program lacks the instruction
}

func (n *numbering) number(pc uint64) (number int32, both bool) {
	i := (pc - n.base) / 4
	if i >= uint64(len(n.numbers)) {
		return 0, false
	}
	return n.numbers[i], n.numbers[i] != 0
}

// listed is an instruction in the order of the program text.
type listed struct {
	pc   uint64
	inst isa.Inst
	text string // without branch targets
}

// list returns the instructions of code.
func list(code []*sim.Program) (all []listed) {
	for _, p := range code {
		for pc, in := range p.Insts(p.Base, p.End) {
			l := listed{pc: pc, inst: isa.Inst(in), text: asm.Format(in, asm.LLVM)}
			if isa.Inst(in).Row().Has(isa.Branch) {
				l.text = isa.Inst(in).Row().Name
			}
			all = append(all, l)
		}
	}
	return all
}

// Limits of the alignment: the number of instructions that only one program has, and the ratio of that
// number to the number of instructions of both programs together.
const (
	maxEdits  = 4000
	mostEdits = 0.25
)

// align aligns two programs. It pairs the instructions of a longest common subsequence of their texts, and
// instructions between them if both programs have equally many. ok is false if the programs are so
// different that an alignment would be arbitrary.
func align(a, b []*sim.Program) (both *alignment, ok bool) {
	x, y := list(a), list(b)
	if len(x) == 0 || len(y) == 0 {
		return nil, false
	}
	pairs, edits, ok := common(x, y)
	if !ok || float64(edits) > mostEdits*float64(len(x)+len(y)) {
		return nil, false
	}
	both = &alignment{[2]*numbering{newNumbering(x), newNumbering(y)}, map[int32]bool{}}
	number, i, j := int32(0), 0, 0
	pair := func(i, j int) {
		number++
		for side, pc := range [2]uint64{x[i].pc, y[j].pc} {
			n := both.sides[side]
			n.numbers[(pc-n.base)/4] = number
		}
		if !slices.Equal(results(&x[i].inst), results(&y[j].inst)) {
			both.renamed[number] = true
		}
	}
	for _, p := range append(pairs, [2]int{len(x), len(y)}) {
		for n := p[0] - i; p[0]-i == p[1]-j && i < p[0]; i, j = i+1, j+1 { // equally many instructions on both sides
			a, b := &x[i].inst, &y[j].inst
			if n == 1 || a.Op == b.Op || slices.Equal(results(a), results(b)) {
				pair(i, j)
			}
		}
		if p[0] < len(x) {
			pair(p[0], p[1])
		}
		i, j = p[0]+1, p[1]+1
	}
	return both, true
}

// results returns the registers that in names as destinations.
func results(in *isa.Inst) (all []isa.Operand) {
	for _, o := range in.Operands(nil) {
		if o.Write {
			all = append(all, isa.Operand{File: o.File, Code: o.Code, Dwords: o.Dwords})
		}
	}
	return all
}

func newNumbering(all []listed) *numbering {
	lo := slices.MinFunc(all, byPC)
	hi := slices.MaxFunc(all, byPC)
	return &numbering{lo.pc, make([]int32, (hi.pc-lo.pc)/4+1)}
}

func byPC(a, b listed) int { return cmp.Compare(a.pc, b.pc) }

// common returns the index pairs of a longest common subsequence of two lists, in order, and the number
// of instructions that are not part of it. Source: E. Myers, An O(ND) difference algorithm and its
// variations, 1986.
func common(x, y []listed) (pairs [][2]int, edits int, ok bool) {
	most := min(len(x)+len(y), maxEdits)
	furthest := make([]int, 2*most+3)
	var history [][]int
	at := func(k int) *int { return &furthest[k+most+1] }
	for d := 0; d <= most; d++ {
		history = append(history, slices.Clone(furthest[most+1-d:most+2+d]))
		for k := -d; k <= d; k += 2 {
			var i int
			if k == -d || k != d && *at(k - 1) < *at(k + 1) {
				i = *at(k + 1)
			} else {
				i = *at(k - 1) + 1
			}
			j := i - k
			for i < len(x) && j < len(y) && x[i].text == y[j].text {
				i, j = i+1, j+1
			}
			*at(k) = i
			if i >= len(x) && j >= len(y) {
				return trace(history, x, y), d, true
			}
		}
	}
	return nil, 0, false
}

// trace walks backward through the furthest points of each number of edits and returns the index pairs on the way.
func trace(history [][]int, x, y []listed) (pairs [][2]int) {
	i, j := len(x), len(y)
	for d, before := range slices.Backward(history) { // before has d-1 edits, diagonals -d to d
		at := func(k int) int { return before[k+d] }
		k := i - j
		from := 0
		if d > 0 {
			if k == -d || k != d && at(k-1) < at(k+1) {
				from = k + 1
			} else {
				from = k - 1
			}
		}
		pi, pj := 0, 0
		if d > 0 {
			pi = at(from)
			pj = pi - from
		}
		for i > pi && j > pj && x[i-1].text == y[j-1].text {
			i, j = i-1, j-1
			pairs = append(pairs, [2]int{i, j})
		}
		i, j = pi, pj
	}
	slices.Reverse(pairs)
	return pairs
}
