package alu

import (
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// compareOf returns the comparison of a row of VOPC.
func compareOf(r *isa.Row) kernel {
	switch t := r.Sig.Src[0]; {
	case r.Cond == isa.CondClass:
		return classOps[t]
	case t.Info().Float:
		return floatRelation(r.Cond).kernel(t)
	default:
		return intRelation(r.Cond).kernel(t)
	}
}

// floatCompare compares floats under the ordered and unordered conditions of the manuals. Input denormals are flushed
// according to MODE; -0 equals +0.
//
//go:noinline
func floatCompare(t isa.Type, want isa.Cond) compareOp {
	f := formatOf(t)
	return func(a, b pair, m state.Mode) uint64 {
		flush := envOf(t, m).flushIn
		var less, same, more uint64
		for i := range a.lo {
			x, y := f.float(f.flushIf(a.get(i, t), flush)), f.float(f.flushIf(b.get(i, t), flush))
			less |= bit(x < y) << i
			same |= bit(x == y) << i
			more |= bit(x > y) << i
		}
		return combine(want, less, same, more)
	}
}

// relation is a comparison built from one in package simd, whose name is completed by the type. The operands may be
// swapped; the result is XORed with flip.
type relation struct {
	name string // "" if no lane can satisfy the condition
	swap bool
	flip uint64
	want isa.Cond // the condition to compute
}

// kernel returns the comparison for operands of type t. Package block can compile those of 32 bits.
func (c relation) kernel(t isa.Type) kernel {
	op := c.bind(t)
	if t != isa.F32 && t != isa.I32 && t != isa.U32 {
		return op
	}
	does := &block.Compare{Swap: c.swap, Invert: c.flip != 0}
	if c.name != "" {
		does.Op = vector.Compare(c.of(t))
	}
	return described{op, block.Vector{Compare: does}}
}

// bind returns the comparison for operands of type t.
//
//go:noinline
func (c relation) bind(t isa.Type) compareOp {
	if c.name == "" {
		return func(_, _ pair, _ state.Mode) uint64 { return c.flip }
	}
	name, flip := c.of(t), c.flip
	if t.Info().Dwords == 2 {
		return c.bindWide(t, simd.WideCompare(name))
	}
	op := simd.Compare(name)
	switch t {
	case isa.F32:
		return func(a, b pair, m state.Mode) uint64 {
			in, _ := flushed32(m)
			if c.swap {
				a, b = b, a
			}
			return op(a.lo, b.lo, in) ^ flip
		}
	case isa.F16:
		return func(a, b pair, m state.Mode) uint64 {
			if c.swap {
				a, b = b, a
			}
			return op(a.lo, b.lo, lostHalf(envOf(isa.F16, m).flushIn)) ^ flip
		}
	}
	return func(a, b pair, _ state.Mode) uint64 {
		if c.swap {
			a, b = b, a
		}
		return op(a.lo, b.lo, 0) ^ flip
	}
}

// bindWide does what bind does, for operands of 64 bits.
func (c relation) bindWide(t isa.Type, op simd.WideCompareOp) compareOp {
	slow := floatCompare(t, c.want)
	return func(a, b pair, m state.Mode) uint64 {
		if t == isa.F64 && envOf(t, m).flushIn {
			return slow(a, b, m)
		}
		if c.swap {
			a, b = b, a
		}
		return op(a.lo, a.hi, b.lo, b.hi) ^ c.flip
	}
}

// of returns the simd name of the comparison for operands of type t. Equality is the same for signed and unsigned.
func (c relation) of(t isa.Type) string {
	if c.name == "eq" {
		switch t {
		case isa.I16:
			t = isa.U16
		case isa.I32:
			t = isa.U32
		case isa.I64:
			t = isa.U64
		}
	}
	return c.name + " " + t.String()
}

// floatRelation returns the relation that computes a condition on floats.
func floatRelation(want isa.Cond) relation {
	c := relation{want: want}
	if want&isa.CondUnordered != 0 { // computed as the complement of the ordered condition
		want, c.flip = ^want, state.FullExec
	}
	switch want & (isa.CondLess | isa.CondEqual | isa.CondGreater) {
	case 0:
	case isa.CondLess:
		c.name = "lt"
	case isa.CondEqual:
		c.name = "eq"
	case isa.CondLessEqual:
		c.name = "le"
	case isa.CondGreater:
		c.name, c.swap = "lt", true
	case isa.CondGreaterEqual:
		c.name, c.swap = "le", true
	case isa.CondUnequal:
		c.name = "lg"
	default:
		c.name, c.flip = "unordered", ^c.flip
	}
	return c
}

// intRelation returns the relation that computes a condition on integers.
func intRelation(want isa.Cond) relation {
	c := relation{want: want}
	if want&isa.CondEqual != 0 { // computed as the complement of the condition without equality
		want, c.flip = ^want, state.FullExec
	}
	switch want & isa.CondUnequal {
	case 0:
	case isa.CondLess:
		c.name = "lt"
	case isa.CondGreater:
		c.name, c.swap = "lt", true
	default:
		c.name, c.flip = "eq", ^c.flip
	}
	return c
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// combine returns the lanes whose comparison satisfies want. Lanes in none of less, same and more are unordered.
func combine(want isa.Cond, less, same, more uint64) (out uint64) {
	for r, lanes := range [4]uint64{less, same, more, ^(less | same | more)} {
		if want>>r&1 != 0 {
			out |= lanes
		}
	}
	return out
}

// classOps are v_cmp_class for each type. The bits of SRC1 select classes of SRC0, from bit 0 on: signaling NaN,
// quiet NaN, -infinity, -normal, -denormal, -0, +0, +denormal, +normal, +infinity (AMD GCN ISA manuals,
// V_CMP_CLASS_F32).
var classOps = map[isa.Type]compareOp{
	isa.F16: func(a, b pair, _ state.Mode) uint64 {
		return classes(b, func(i int) uint { return classOf(uint64(a.lo[i]&0xffff), 10, 5) })
	},
	isa.F32: func(a, b pair, _ state.Mode) uint64 {
		return classes(b, func(i int) uint { return classOf(uint64(a.lo[i]), 23, 8) })
	},
	isa.F64: func(a, b pair, _ state.Mode) uint64 {
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
	var class uint // class number for a negative v
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
