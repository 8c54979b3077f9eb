package alu

import (
	"math"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// compareTable holds the compares by row. They are laid out from the parts of their
// mnemonics, v_cmp[s][x]_<condition>_<type>.
var compareTable = func() []compareOp {
	t := make([]compareOp, gcn.NumOps())
	for op := range t {
		r := gcn.Op(op).Row()
		if r.Enc != gcn.VOPC {
			continue
		}
		parts := strings.Split(r.Name, "_")
		if cond, typ := parts[2], r.Sig.Src[0]; cond == "class" {
			t[op] = classOps[typ]
		} else if typ.Float() {
			t[op] = floatCompare(typ, outcomes[cond])
		} else {
			t[op] = intCompare(typ, cond)
		}
	}
	return t
}()

// relation is a set of outcomes of a comparison.
type relation uint8

// The outcomes: less, equal, greater, unordered.
const (
	lt relation = 1 << iota
	eq
	gt
	un
)

// outcomes are those for which a condition holds (AMD GCN ISA manuals, VOPC).
var outcomes = map[string]relation{
	"f": 0, "lt": lt, "eq": eq, "le": lt | eq, "gt": gt, "lg": lt | gt, "ge": gt | eq, "o": lt | eq | gt,
	"u": un, "nge": un | lt, "nlg": un | eq, "ngt": un | lt | eq, "nle": un | gt, "neq": un | lt | gt, "nlt": un | gt | eq,
	"tru": lt | eq | gt | un, "t": lt | eq | gt | un, "ne": lt | gt,
}

// floatCompare compares as the manuals' ordered and unordered conditions do. Input
// denormals are flushed as MODE says; -0 equals +0.
func floatCompare(t gcn.Type, want relation) compareOp {
	load := loads[t]
	return func(a, b pair, m state.Mode) (out uint64) {
		flush := !denormOf(t, m).AllowIn()
		for i := range state.NumLanes {
			x, y := load(a, i, flush), load(b, i, flush)
			got := un
			switch {
			case x < y:
				got = lt
			case x > y:
				got = gt
			case x == y:
				got = eq
			}
			if got&want != 0 {
				out |= 1 << i
			}
		}
		return out
	}
}

// denormOf is the denormal mode of type t.
func denormOf(t gcn.Type, m state.Mode) state.Denorm {
	if t == gcn.F32 {
		return m.Denorm32()
	}
	return m.Denorm64()
}

// loads widen a float of each type to float64, which is exact; flush makes
// denormals zero.
var loads = map[gcn.Type]func(p pair, i int, flush bool) float64{
	gcn.F32: func(p pair, i int, flush bool) float64 {
		v := p.lo[i]
		if flush && v&0x7f800000 == 0 {
			v &= 1 << 31
		}
		return float64(math.Float32frombits(v))
	},
	gcn.F64: func(p pair, i int, flush bool) float64 {
		v := p.at(i)
		if flush && v&(0x7ff<<52) == 0 {
			v &= 1 << 63
		}
		return math.Float64frombits(v)
	},
	gcn.F16: func(p pair, i int, flush bool) float64 {
		v := p.lo[i] & 0xffff
		if flush && v&0x7c00 == 0 {
			v &= 1 << 15
		}
		return halfToFloat(uint16(v))
	},
}

// intCompare compares integers of type t.
func intCompare(t gcn.Type, cond string) compareOp {
	switch want := outcomes[cond]; t {
	case gcn.I32:
		return compare32(want, 1<<31)
	case gcn.U32:
		return compare32(want, 0)
	case gcn.I16:
		return compare16(want, 1<<31)
	case gcn.U16:
		return compare16(want, 0)
	case gcn.I64:
		return compare64(want, 1<<63)
	default:
		return compare64(want, 0)
	}
}

// The integer compares flip the sign bit of signed operands, so that unsigned order
// is theirs, and turn every condition into "less" or "equal", swapped or inverted.

func compare32(want relation, flip uint32) compareOp {
	return func(a, b pair, _ state.Mode) uint64 { return compareLanes(a.lo, b.lo, want, flip, 0) }
}

func compare16(want relation, flip uint32) compareOp {
	return func(a, b pair, _ state.Mode) uint64 { return compareLanes(a.lo, b.lo, want, flip, 16) }
}

// compareLanes compares bits 31-up:0 of the lanes.
func compareLanes(a, b *lanes, want relation, flip uint32, up uint) (out uint64) {
	var less, same uint64
	for i := range a {
		x, y := a[i]<<up^flip, b[i]<<up^flip
		if x < y {
			less |= 1 << i
		}
		if x == y {
			same |= 1 << i
		}
	}
	return combine(want, less, same)
}

func compare64(want relation, flip uint64) compareOp {
	return func(a, b pair, _ state.Mode) uint64 {
		var less, same uint64
		for i := range a.lo {
			x, y := a.at(i)^flip, b.at(i)^flip
			if x < y {
				less |= 1 << i
			}
			if x == y {
				same |= 1 << i
			}
		}
		return combine(want, less, same)
	}
}

func combine(want relation, less, same uint64) (out uint64) {
	if want&lt != 0 {
		out |= less
	}
	if want&eq != 0 {
		out |= same
	}
	if want&gt != 0 {
		out |= ^(less | same)
	}
	return out
}

// classOps are v_cmp_class: the bits of SRC1 choose classes of SRC0, from bit 0 on:
// signaling NaN, quiet NaN, -infinity, -normal, -denormal, -0, +0, +denormal, +normal,
// +infinity (AMD GCN ISA manuals, V_CMP_CLASS_F32).
var classOps = map[gcn.Type]compareOp{
	gcn.F16: func(a, b pair, _ state.Mode) uint64 {
		return classes(b, func(i int) uint { return classOf(uint64(a.lo[i]&0xffff), 10, 5) })
	},
	gcn.F32: func(a, b pair, _ state.Mode) uint64 {
		return classes(b, func(i int) uint { return classOf(uint64(a.lo[i]), 23, 8) })
	},
	gcn.F64: func(a, b pair, _ state.Mode) uint64 {
		return classes(b, func(i int) uint { return classOf(a.at(i), 52, 11) })
	},
}

func classes(want pair, class func(i int) uint) (out uint64) {
	for i := range state.NumLanes {
		out |= uint64(want.lo[i]>>class(i)&1) << i
	}
	return out
}

// classOf returns the class bit of v, a float with the given widths of mantissa and exponent.
func classOf(v uint64, mant, exp uint) uint {
	m, e := v&(1<<mant-1), v>>mant&(1<<exp-1)
	positive := v>>(mant+exp) == 0
	var class uint // as of a negative number
	switch {
	case e == 1<<exp-1 && m != 0:
		return uint(m >> (mant - 1))
	case e == 1<<exp-1:
		class = 2
	case e != 0:
		class = 3
	case m != 0:
		class = 4
	default:
		class = 5
	}
	if positive {
		return 11 - class
	}
	return class
}
