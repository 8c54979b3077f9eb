// Package exact evaluates instructions on unknown register values. A relation that it reports between two values
// holds in every execution. If it cannot prove a relation, it reports that it does not hold.
//
// A value is a bitwise function of unknown words: its bit n depends on bit n of each of them. Therefore the result of
// s_and_b64 is known to be a subset of both masks, whatever they are. The result of an addition is a new unknown
// word, which is the same one wherever the same words are added.
package exact

import "math"

// Word is a symbolic 32-bit value, by its index in a [Words]. Equal values have equal indices. None means no word.
type Word int32

// Words that every [Words] has.
const (
	None Word = iota
	Zero
	Ones // all bits are set; as a condition, it is true
	// All is a symbolic name for 32 initial lanes of a wave, which are all active. It shows that a mask was derived
	// from them. [Words.Known] replaces it by [Ones].
	All
)

// Mask is a symbolic 64-bit value, low half first.
type Mask [2]Word

// Condition is a word whose bits are all equal.
type Condition = Word

// node is a node of the decision diagram: a constant if unknown is noUnknown; otherwise each bit is that of yes or
// no, depending on the same bit of the unknown.
type node struct {
	unknown  int32
	no, yes  Word
	constant uint32
}

// noUnknown is greater than all unknowns. Conditions have negative numbers, so that they are first.
const noUnknown = math.MaxInt32

// maxNodes limits the number of words in a [Words]. Beyond it results are unknown.
const maxNodes = 1 << 18

// Words has symbolic values. It is a decision diagram whose leaves are 32-bit constants.
type Words struct {
	nodes   []node
	numbers map[node]Word
	results map[operands]Word
	names   map[name]Word  // unknown words by name
	owned   map[owned]Word // unknown words of registers
	merges  map[Word]merge
	picked  map[Word]Word // for a lane's value, the value of its VGPR
	whole   map[Word]Word // words after replacing All by Ones
	words   int32         // number of unknown words
	flags   int32         // number of unknown conditions
}

// operands are an operation and its operands.
type operands struct {
	op   operation
	a, b Word
}

type operation uint8

const (
	and operation = iota
	or
	xor
	always // bits that are set in each constant of a
)

// name is a part of a name: a header, which is the number of the previous part or, in the first one, the kind and the
// length; and the content.
type name [8]uint64

// NewWords returns a store that only has constants.
func NewWords() *Words {
	w := &Words{numbers: map[node]Word{}, results: map[operands]Word{}, names: map[name]Word{}, merges: map[Word]merge{},
		picked: map[Word]Word{}, whole: map[Word]Word{}, owned: map[owned]Word{}}
	w.nodes = append(w.nodes, node{})
	w.Constant(0)
	w.Constant(math.MaxUint32)
	w.unknown(false)
	return w
}

// node returns the word of n. It creates a new one only if necessary.
func (w *Words) node(n node) Word {
	if n.unknown != noUnknown && n.no == n.yes {
		return n.no
	}
	at, ok := w.numbers[n]
	if !ok {
		at = Word(len(w.nodes))
		w.nodes = append(w.nodes, n)
		w.numbers[n] = at
	}
	return at
}

// Constant returns n as a word.
func (w *Words) Constant(n uint32) Word { return w.node(node{unknown: noUnknown, constant: n}) }

// Number returns the value of a if it is constant, and ok == false otherwise.
func (w *Words) Number(a Word) (n uint32, ok bool) {
	at := &w.nodes[a]
	return at.constant, a != None && at.unknown == noUnknown
}

// unknown returns a new unknown word or condition.
func (w *Words) unknown(condition bool) Word {
	n := node{no: Zero, yes: Ones}
	if condition {
		w.flags++
		n.unknown = -w.flags
	} else {
		n.unknown = w.words
		w.words++
	}
	return w.node(n)
}

// Named returns the unknown word with a name. The same name gives the same word.
func (w *Words) Named(name ...uint64) Word { return w.named(false, name) }

// named returns the unknown word or condition with a name.
func (w *Words) named(condition bool, parts []uint64) Word {
	var key name
	key[0] = uint64(len(parts)) << 1
	if condition {
		key[0]++
	}
	for {
		n := copy(key[1:], parts)
		clear(key[1+n:])
		parts = parts[n:]
		a, ok := w.names[key]
		switch {
		case !ok && len(parts) > 0:
			a = Word(len(w.names))
			w.names[key] = a
		case !ok:
			a = w.unknown(condition)
			w.names[key] = a
		}
		if len(parts) == 0 {
			return a
		}
		key[0] = 1<<63 | uint64(a)
	}
}

// apply returns the result of an operation on a and b.
func (w *Words) apply(op operation, a, b Word) Word {
	if a > b { // so that constants with a name are first
		a, b = b, a
	}
	switch {
	case a == Zero && op == and, a == Ones && op == or:
		return a
	case a == Zero, a == Ones && op == and, a == b && op != xor:
		return b
	case a == b:
		return Zero
	}
	x, y := w.nodes[a], w.nodes[b]
	if x.unknown == noUnknown && y.unknown == noUnknown {
		n := x.constant & y.constant
		switch op {
		case or:
			n = x.constant | y.constant
		case xor:
			n = x.constant ^ y.constant
		}
		return w.Constant(n)
	}
	key := operands{op, a, b}
	if r, ok := w.results[key]; ok {
		return r
	}
	if len(w.nodes) > maxNodes {
		return w.unknown(false)
	}
	top := min(x.unknown, y.unknown)
	aNo, aYes := w.split(a, top)
	bNo, bYes := w.split(b, top)
	r := w.node(node{unknown: top, no: w.apply(op, aNo, bNo), yes: w.apply(op, aYes, bYes)})
	w.results[key] = r
	return r
}

// split returns the values of a where an unknown is 0 and where it is 1. No unknown in a is ordered before it.
func (w *Words) split(a Word, unknown int32) (no, yes Word) {
	if n := &w.nodes[a]; n.unknown == unknown {
		return n.no, n.yes
	}
	return a, a
}

// Known returns a for waves that begin with all lanes: it replaces [All] by [Ones].
func (w *Words) Known(a Word) Word { return w.replace(w.whole, a, All, Ones) }

// KnownMask returns a mask for waves that begin with all lanes.
func (w *Words) KnownMask(m Mask) Mask { return Mask{w.Known(m[0]), w.Known(m[1])} }

// Replace returns m with the halves of unknown replaced by those of by. The halves of unknown are unknown words or
// None.
func (w *Words) Replace(m, unknown, by Mask) Mask {
	for i := range m {
		for k, a := range unknown {
			if a != None {
				m[i] = w.replace(map[Word]Word{}, m[i], a, by[k])
			}
		}
	}
	return m
}

// replace returns a with an unknown word replaced by another word. done caches results.
func (w *Words) replace(done map[Word]Word, a, unknown, by Word) Word {
	n, top := w.nodes[a], w.nodes[unknown].unknown
	if n.unknown > top {
		return a
	}
	b, ok := done[a]
	if ok {
		return b
	}
	if n.unknown == top {
		b = w.Choose(by, n.yes, n.no)
	} else {
		no, yes := w.replace(done, n.no, unknown, by), w.replace(done, n.yes, unknown, by)
		if n.unknown < min(w.nodes[no].unknown, w.nodes[yes].unknown) {
			b = w.node(node{unknown: n.unknown, no: no, yes: yes})
		} else {
			b = w.Choose(w.node(node{unknown: n.unknown, no: Zero, yes: Ones}), yes, no)
		}
	}
	done[a] = b
	return b
}

// Unknowns calls do for each unknown word on which a depends. A word may occur several times.
func (w *Words) Unknowns(a Word, do func(Word)) {
	seen := map[Word]bool{}
	var visit func(a Word)
	visit = func(a Word) {
		n := w.nodes[a]
		if n.unknown == noUnknown || seen[a] {
			return
		}
		seen[a] = true
		do(w.node(node{unknown: n.unknown, no: Zero, yes: Ones}))
		visit(n.no)
		visit(n.yes)
	}
	visit(a)
}

// And returns a & b.
func (w *Words) And(a, b Word) Word { return w.apply(and, a, b) }

// Or returns a | b.
func (w *Words) Or(a, b Word) Word { return w.apply(or, a, b) }

// Xor returns a ^ b.
func (w *Words) Xor(a, b Word) Word { return w.apply(xor, a, b) }

// Not returns ^a.
func (w *Words) Not(a Word) Word { return w.apply(xor, a, Ones) }

// Choose returns which&a | ^which&b.
func (w *Words) Choose(which, a, b Word) Word { return w.Or(w.And(which, a), w.And(w.Not(which), b)) }

// AndMask returns a & b.
func (w *Words) AndMask(a, b Mask) Mask { return Mask{w.And(a[0], b[0]), w.And(a[1], b[1])} }

// Within reports whether a is known to be a subset of b.
func (w *Words) Within(a, b Mask) bool { return w.AndMask(a, b) == a }

// Apart reports whether a and b are known to have no common lane.
func (w *Words) Apart(a, b Mask) bool { return w.AndMask(a, b) == Mask{Zero, Zero} }

// Nonzero returns the condition that one of the words is not 0.
func (w *Words) Nonzero(all ...Word) Condition {
	top, some := int32(noUnknown), false
	for i, a := range all {
		a = w.Known(a)
		all[i] = a
		top, some = min(top, w.nodes[a].unknown), some || w.Always(a) != 0
	}
	switch {
	case some:
		return Ones
	case top == noUnknown:
		return Zero
	case top >= 0: // not a condition
		name := []uint64{nameNonzero}
		for _, a := range all {
			if a != Zero {
				name = append(name, uint64(a))
			}
		}
		return w.named(true, name)
	}
	no, yes := make([]Word, len(all)), make([]Word, len(all))
	for i, a := range all {
		no[i], yes[i] = w.split(a, top)
	}
	return w.Choose(w.node(node{unknown: top, no: Zero, yes: Ones}), w.Nonzero(yes...), w.Nonzero(no...))
}

// Always returns bits that are set in every constant of a.
func (w *Words) Always(a Word) uint32 {
	n := w.nodes[a]
	if n.unknown == noUnknown {
		return n.constant
	}
	key := operands{always, a, a}
	r, ok := w.results[key]
	if !ok {
		r = w.Constant(w.Always(n.no) & w.Always(n.yes))
		w.results[key] = r
	}
	return w.nodes[r].constant
}

// Ever returns the bits that may be set in a.
func (w *Words) Ever(a Word) uint32 { return ^w.Always(w.Not(a)) }

// Equal returns the condition that a and b are equal, dword by dword.
func (w *Words) Equal(a, b []Word) Condition {
	differ := make([]Word, len(a))
	for i := range a {
		differ[i] = w.Xor(a[i], b[i])
	}
	return w.Not(w.Nonzero(differ...))
}

// First parts of names of unknowns.
const (
	nameNonzero = iota
	nameLess
	nameLeft
	nameLoaded
	nameResult
	nameMerge
)
