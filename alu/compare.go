package alu

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/simd"
	"github.com/gcnsim/gcnsim/state"
)

// compareOf returns the compare of a row of VOPC.
func compareOf(r *gcn.Row) compareOp {
	switch t := r.Sig.Src[0]; {
	case r.Cond == gcn.CondClass:
		return classOps[t]
	case t == gcn.F32:
		return compareF32(r.Cond)
	case t.Float():
		return floatCompare(t, r.Cond)
	default:
		return intCompare(t, r.Cond)
	}
}

// floatCompare compares as the manuals' ordered and unordered conditions do. Input
// denormals are flushed as MODE says; -0 equals +0.
//
//go:noinline
func floatCompare(t gcn.Type, want gcn.Cond) compareOp {
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

// comparison is a compare of 32 bits: one of package simd, of the operands as they are or
// swapped, and xor-ed with flip.
type comparison struct {
	op   simd.CompareOp // nil: none holds
	swap bool
	flip uint64
}

func (c comparison) bind() compareOp {
	if c.op == nil {
		return func(_, _ pair, _ state.Mode) uint64 { return c.flip }
	}
	return func(a, b pair, m state.Mode) uint64 {
		in, _ := flushed32(m)
		if c.swap {
			a, b = b, a
		}
		return c.op(a.lo, b.lo, in) ^ c.flip
	}
}

// compareF32 is floatCompare for float32.
func compareF32(want gcn.Cond) compareOp {
	var c comparison
	if want&gcn.CondUnordered != 0 { // the opposite of the rest
		want, c.flip = ^want, state.FullExec
	}
	switch want & (gcn.CondLess | gcn.CondEqual | gcn.CondGreater) {
	case 0:
	case gcn.CondLess:
		c.op = simd.Compare("lt f32")
	case gcn.CondEqual:
		c.op = simd.Compare("eq f32")
	case gcn.CondLessEqual:
		c.op = simd.Compare("le f32")
	case gcn.CondGreater:
		c.op, c.swap = simd.Compare("lt f32"), true
	case gcn.CondGreaterEqual:
		c.op, c.swap = simd.Compare("le f32"), true
	case gcn.CondUnequal:
		c.op = simd.Compare("lg f32")
	default:
		c.op, c.flip = simd.Compare("unordered f32"), ^c.flip
	}
	return c.bind()
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// intCompare compares integers of type t.
func intCompare(t gcn.Type, want gcn.Cond) compareOp {
	switch t {
	case gcn.I32:
		return compare32(want, simd.Compare("lt i32"))
	case gcn.U32:
		return compare32(want, simd.Compare("lt u32"))
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

// compare32 makes a compare of integers of 32 bits of the one that is less.
func compare32(want gcn.Cond, less simd.CompareOp) compareOp {
	var c comparison
	if want&gcn.CondEqual != 0 { // the opposite of the rest
		want, c.flip = ^want, state.FullExec
	}
	switch want & gcn.CondUnequal {
	case 0:
	case gcn.CondLess:
		c.op = less
	case gcn.CondGreater:
		c.op, c.swap = less, true
	default:
		c.op, c.flip = simd.Compare("eq"), ^c.flip
	}
	return c.bind()
}

// The other integer compares flip the sign bit of signed operands: then unsigned order is theirs.

//go:noinline
func compare16(want gcn.Cond, flip uint32) compareOp {
	return func(a, b pair, _ state.Mode) uint64 {
		var less, same uint64
		for i := range a.lo {
			x, y := a.lo[i]<<16^flip, b.lo[i]<<16^flip
			less |= bit(x < y) << i
			same |= bit(x == y) << i
		}
		return combine(want, less, same, ^(less | same))
	}
}

//go:noinline
func compare64(want gcn.Cond, flip uint64) compareOp {
	return func(a, b pair, _ state.Mode) uint64 {
		var less, same uint64
		for i := range a.lo {
			x, y := a.at(i)^flip, b.at(i)^flip
			less |= bit(x < y) << i
			same |= bit(x == y) << i
		}
		return combine(want, less, same, ^(less | same))
	}
}

// combine returns the lanes of the outcomes in want; unordered are those left over.
func combine(want gcn.Cond, less, same, more uint64) (out uint64) {
	for r, lanes := range [4]uint64{less, same, more, ^(less | same | more)} {
		if want>>r&1 != 0 {
			out |= lanes
		}
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
