package compare

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// This file finds the nodes of two slices that agree: by position if the programs are aligned, otherwise by
// the values that instructions computed in all lanes of a wave.

// position is an execution of an instruction that both programs have.
type position struct {
	id     waveID
	number int32
	turn   uint32
}

// valueKey is the value of a register in a lane of a wave. Scalar registers have the lane scalarLane.
type valueKey struct {
	id    waveID
	lane  uint8
	value uint32
}

const scalarLane = state.NumLanes

// valueRef refers to a dword that a node wrote.
type valueRef struct {
	node  *node
	dword int
}

// matcher indexes the nodes of all slices of one program.
type matcher struct {
	numbering *numbering // nil if the programs are not aligned
	positions map[position]*node
	values    map[valueKey][]valueRef
	masks     map[maskKey]bool
	kinds     map[kind][]ref
	literals  map[uint32]bool // literal operands of the instructions
}

// newMatcher returns a matcher for slices. A nil slice is ignored.
func newMatcher(n *numbering, all ...*slicer) *matcher {
	m := &matcher{numbering: n, positions: map[position]*node{}, values: map[valueKey][]valueRef{},
		masks: map[maskKey]bool{}, kinds: map[kind][]ref{}, literals: map[uint32]bool{}}
	var buf [8]isa.Operand
	for _, s := range all {
		if s == nil {
			continue
		}
		maps.Copy(m.masks, s.masks)
		for i := range s.nodes {
			x := &s.nodes[i]
			if p, ok := m.position(x); ok {
				m.positions[p] = x
			}
			k := kindOf(ref{s, i})
			m.kinds[k] = append(m.kinds[k], ref{s, i})
			for _, o := range x.site.inst.Operands(buf[:0]) {
				if o.File == isa.NotReg && o.Code == isa.Literal {
					m.literals[uint32(x.site.inst.Words>>32)] = true
				}
			}
			for d := range x.wrote {
				w := &x.wrote[d]
				for _, lane := range keyLanes(x, w) {
					k := valueKey{waveID{x.group, x.wave}, lane, w.lanes[lane%scalarLane]}
					m.values[k] = append(m.values[k], valueRef{x, d})
				}
			}
		}
	}
	return m
}

// position returns the position of x. ok is false if the other program does not have the instruction.
func (m *matcher) position(x *node) (p position, ok bool) {
	if m.numbering == nil {
		return p, false
	}
	number, ok := m.numbering.number(x.site.pc)
	return position{waveID{x.group, x.wave}, number, x.turn}, ok
}

// keyLanes returns the lanes under which the value w is indexed.
func keyLanes(x *node, w *dword) []uint8 {
	if w.scalar {
		return []uint8{scalarLane}
	}
	first := uint8(bits.TrailingZeros64(x.exec | 1<<63))
	asked := uint8(bits.TrailingZeros64(x.lanes&x.exec | 1<<63))
	if first == asked {
		return []uint8{first}
	}
	return []uint8{first, asked}
}

// judge sets node.agrees for the nodes of a slice of m: does the other program compute the same value?
func (m *matcher) judge(other *matcher, nodes []node) {
	for i := range nodes {
		x := &nodes[i]
		if p, ok := m.position(x); ok {
			if y, ok := other.positions[p]; ok {
				x.agrees = alike(x, y)
				continue
			}
		}
		if m.numbering == nil {
			id := waveID{x.group, x.wave}
			x.foreign = !other.masks[maskKey{id, uint32(x.exec)}] || !other.masks[maskKey{id, uint32(x.exec >> 32)}]
			if x.mask {
				x.agrees = len(x.wrote) > 0
				for d := range x.wrote {
					x.agrees = x.agrees && other.masks[maskKey{id, x.wrote[d].lanes[0]}]
				}
				continue
			}
		}
		if x.stores && (m.numbering != nil || x.to != state.Scratch) {
			x.agrees = other.stored(x)
			continue
		}
		x.agrees = len(x.wrote) > 0
		for d := range x.wrote {
			if w := &x.wrote[d]; w.reg != storedAt { // private memory may be at another address
				x.agrees = x.agrees && other.has(x, w)
			}
		}
	}
}

// alike reports whether two nodes at the same position wrote the same values.
func alike(a, b *node) bool {
	if len(a.wrote) == 0 || len(a.wrote) != len(b.wrote) {
		return false
	}
	for i := range a.wrote {
		x, y := &a.wrote[i], &b.wrote[i]
		if x.scalar != y.scalar || !equalIn(x, y, a.exec&b.exec|1, math.MaxUint32) {
			return false
		}
	}
	return a.exec == b.exec || a.lanes&^b.exec == 0 && b.lanes&^a.exec == 0
}

// equalIn compares x and y in lanes and in the bits of mask. A scalar value is the same in all lanes.
func equalIn(x, y *dword, lanes uint64, mask uint32) bool {
	if x.scalar && y.scalar {
		return (x.lanes[0]^y.lanes[0])&mask == 0
	}
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		i, j := lane, lane
		if x.scalar {
			i = 0
		}
		if y.scalar {
			j = 0
		}
		if (x.lanes[i]^y.lanes[j])&mask != 0 {
			return false
		}
	}
	return true
}

// has reports whether a slice of m contains value w of node x, in all lanes that are on in both programs. A constant
// may also be the literal of an instruction.
func (m *matcher) has(x *node, w *dword) bool {
	id := waveID{x.group, x.wave}
	if w.scalar && len(x.in)+len(x.from) == 0 && m.literals[w.lanes[0]] {
		return true
	}
	for _, lane := range append(keyLanes(x, w), scalarLane) {
		for _, ref := range m.values[valueKey{id, lane, w.lanes[lane%scalarLane]}] {
			y := ref.node
			both := y.exec
			if !w.scalar {
				both = x.exec & y.exec
			}
			if y.wrote[ref.dword].scalar {
				both = x.exec
			}
			if both != 0 && equalIn(w, &y.wrote[ref.dword], both, math.MaxUint32) {
				return true
			}
		}
	}
	return false
}

// stored reports whether a slice of m has a store of the same data as x to the same addresses. x is a
// node of the other program.
func (m *matcher) stored(x *node) bool {
	id := waveID{x.group, x.wave}
	for _, lane := range keyLanes(x, &x.wrote[0]) {
		for _, ref := range m.values[valueKey{id, lane, x.wrote[0].lanes[lane%scalarLane]}] {
			if y := ref.node; y.stores && alike(x, y) {
				return true
			}
		}
	}
	return false
}

// parted follows the nodes that do not agree, from node 0 of a slice of aligned programs through sources that do not
// agree. It returns these nodes, and marks in begin the nodes whose sources all agree.
func parted(nodes []node) (bad []int, begin map[int]bool) {
	begin = map[int]bool{}
	seen := map[int]bool{0: true}
	bad = []int{0}
	for i := 0; i < len(bad); i++ {
		leads := false
		for _, e := range nodes[bad[i]].in {
			if nodes[e.node].agrees {
				continue
			}
			leads = true
			if !seen[e.node] {
				seen[e.node] = true
				bad = append(bad, e.node)
			}
		}
		if !leads {
			begin[bad[i]] = true
		}
	}
	return bad, begin
}

// steps returns the nodes of slice s that do not agree with the other program, and their sources, in the order of
// execution. If p is not nil, the nodes are those on the path of the walk p.
func (m *matcher) steps(other *matcher, s *slicer, p *pairing, session *Session) (all []Step) {
	nodes := s.nodes
	shown, begin := map[int]bool{}, map[int]bool{}
	var bad []int
	if p == nil {
		m.judge(other, nodes)
		bad, begin = parted(nodes)
	} else {
		for n := range nodes {
			if r := (ref{s, n}); p.path[r] {
				bad = append(bad, n)
				begin[n] = begin[n] || p.begin[r]
			}
		}
	}
	for _, n := range bad {
		shown[n] = true
		for _, e := range nodes[n].in {
			if nodes[e.node].agrees && e.role != isa.RoleExec {
				shown[e.node] = true
			}
		}
	}
	order := slices.SortedFunc(maps.Keys(shown), func(a, b int) int { return cmp.Compare(nodes[a].n, nodes[b].n) })
	for _, n := range order {
		step := session.step(&nodes[n])
		step.Parts = begin[n]
		all = append(all, step)
	}
	return all
}
