package eval

import (
	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/gcnsim/gcnsim/internal/prove/term"
)

// lanes is a vector in a list: the lane twice, as an even lane and the next odd lane, or a table of bytes. If places is
// set, its bytes are indices of bytes of the lane.
type lanes struct {
	t      [2]*term.Term
	table  []byte
	places bool
}

// list returns the result of a list for operands a, nil if the list has float operations.
func (p *program) list(body func(e *vector.Code, a, b, c vector.Value) vector.Value, a [4]*term.Term) *term.Term {
	return List(p.Bank, func(c *vector.Code) vector.Value { return body(c, c.Arg(0), c.Arg(1), c.Arg(2)) }, a)
}

// holds returns the result of an integer comparison.
func (p *program) holds(op *vector.Comparison, x, y *term.Term) *term.Term {
	r := List(p.Bank, func(c *vector.Code) vector.Value {
		return op.Holds(c, op.Operand(c, c.Arg(0), 0), op.Operand(c, c.Arg(1), 0))
	}, [4]*term.Term{x, y})
	if r == nil {
		p.fail("a comparison")
		return p.Bool(false)
	}
	var held *term.Term
	switch c := p.AsMask(r); {
	case c != nil:
		held = c
	case r.Op == term.Const:
		held = p.Bool(r.K != 0)
	default:
		held = p.Extract(31, 31, r)
	}
	if op.Inverted {
		return p.Not(held)
	}
	return held
}

// List returns the result of a list for args, nil if the list has float operations.
func List(b *term.Bank, body func(c *vector.Code) vector.Value, args [4]*term.Term) *term.Term {
	var c vector.Code
	last := body(&c)
	l := &lister{Bank: b, code: &c, args: args, have: map[vector.Value]lanes{}}
	r := l.of(last)
	if l.bad || r.t[0] == nil {
		return nil
	}
	return r.t[0]
}

// lister computes the vectors of a list as terms.
type lister struct {
	*term.Bank
	code *vector.Code
	args [4]*term.Term
	have map[vector.Value]lanes
	bad  bool // the list has an unsupported operation
}

func (l *lister) of(v vector.Value) lanes {
	if x, ok := l.have[v]; ok {
		return x
	}
	x := l.compute(&l.code.Instrs[v])
	l.have[v] = x
	return x
}

// same returns a vector with t in both lanes.
func same(t *term.Term) lanes { return lanes{t: [2]*term.Term{t, t}} }

// each applies f to both lanes.
func each(f func(x, y *term.Term) *term.Term, x, y lanes) lanes {
	r := lanes{}
	for i := range r.t {
		r.t[i] = f(x.t[i], y.t[i])
	}
	return r
}

// parts returns a function that applies f to each part of n bits.
func (l *lister) parts(n uint8, f func(x, y *term.Term) *term.Term) func(x, y *term.Term) *term.Term {
	return func(x, y *term.Term) *term.Term {
		r := f(l.Extract(n-1, 0, x), l.Extract(n-1, 0, y))
		for at := n; at < 32; at += n {
			r = l.Concat(f(l.Extract(at+n-1, at, x), l.Extract(at+n-1, at, y)), r)
		}
		return r
	}
}

// all returns a number of w bits, all set if c holds and all 0 if not.
func (l *lister) all(w uint8, c *term.Term) *term.Term {
	return l.Ite(c, l.Const(w, ^uint64(0)), l.Const(w, 0))
}

// choose returns a function for the minimum or, if largest is set, the maximum of x and y in the order less.
func (l *lister) choose(less func(x, y *term.Term) *term.Term, largest bool) func(x, y *term.Term) *term.Term {
	return func(x, y *term.Term) *term.Term {
		if x.ID > y.ID {
			x, y = y, x
		}
		if largest {
			return l.Ite(less(x, y), y, x)
		}
		return l.Ite(less(x, y), x, y)
	}
}

// binary returns the function of an operation on two operands in one lane, nil if op is another operation.
func (l *lister) binary(op vector.Opcode) func(x, y *term.Term) *term.Term {
	switch op {
	case vector.Add:
		return l.Add
	case vector.Sub:
		return l.Sub
	case vector.Mul:
		return l.Mul
	case vector.And:
		return func(x, y *term.Term) *term.Term { return l.And(x, y) }
	case vector.Or:
		return func(x, y *term.Term) *term.Term { return l.Or(x, y) }
	case vector.Xor:
		return func(x, y *term.Term) *term.Term { return l.Xor(x, y) }
	case vector.AndNot:
		return func(x, y *term.Term) *term.Term { return l.And(x, l.Not(y)) }
	case vector.Shl:
		return l.Shl
	case vector.Shr:
		return l.Shr
	case vector.Sar:
		return l.Sar
	case vector.MinS:
		return l.choose(l.Slt, false)
	case vector.MaxS:
		return l.choose(l.Slt, true)
	case vector.MinU:
		return l.choose(l.Ult, false)
	case vector.MaxU:
		return l.choose(l.Ult, true)
	case vector.Equal:
		return func(x, y *term.Term) *term.Term { return l.all(32, l.Eq(x, y)) }
	case vector.Greater:
		return func(x, y *term.Term) *term.Term { return l.all(32, l.Slt(y, x)) }
	case vector.AddB:
		return l.parts(8, l.Add)
	case vector.SubB:
		return l.parts(8, l.Sub)
	case vector.AverageB:
		return l.parts(8, func(x, y *term.Term) *term.Term {
			return l.Extract(8, 1, l.Add(l.Add(l.Zext(9, x), l.Zext(9, y)), l.Const(9, 1)))
		})
	case vector.SubSatB, vector.SubSatW:
		n := map[vector.Opcode]uint8{vector.SubSatB: 8, vector.SubSatW: 16}[op]
		return l.parts(n, func(x, y *term.Term) *term.Term { return l.Ite(l.Ult(x, y), l.Const(n, 0), l.Sub(x, y)) })
	case vector.MaxB:
		return l.parts(8, l.choose(l.Ult, true))
	case vector.EqualB:
		return l.parts(8, func(x, y *term.Term) *term.Term { return l.all(8, l.Eq(x, y)) })
	case vector.GreaterB:
		return l.parts(8, func(x, y *term.Term) *term.Term { return l.all(8, l.Slt(y, x)) })
	case vector.MulAddW:
		return func(x, y *term.Term) *term.Term {
			product := func(lo uint8) *term.Term {
				return l.Mul(l.Sext(32, l.Extract(lo+15, lo, x)), l.Sext(32, l.Extract(lo+15, lo, y)))
			}
			return l.Add(product(0), product(16))
		}
	}
	return nil
}

// compute returns the result of an instruction of the list.
func (l *lister) compute(i *vector.Instr) lanes {
	n := i.Imm
	switch i.Op {
	case vector.Arg:
		if l.args[n] == nil {
			return same(l.Const(32, 0))
		}
		return same(l.args[n])
	case vector.Const:
		return same(l.Const(32, uint64(n)))
	case vector.Bytes:
		return lanes{table: vector.Tables[n][:]}
	case vector.None, vector.NoteOperand, vector.NoteFinite:
		l.bad = true
		return same(l.Const(32, 0))
	}
	x := l.of(i.X)
	if r, ok := l.unary(i, x); ok {
		return r
	}
	if i.Op == vector.Equal { // max(a, b) == a means not a < b
		if m := l.code.Instrs[i.X]; m.Op == vector.MaxU && (m.X == i.Y || m.Y == i.Y) {
			a, b := l.of(m.X).t[0], l.of(m.Y).t[0]
			if m.Y == i.Y {
				a, b = b, a
			}
			return same(l.all(32, l.Not(l.Ult(a, b))))
		}
	}
	y := l.of(i.Y)
	if r, ok := l.bytes(i, x, y); ok {
		return r
	}
	if x.t[0] == nil || y.t[0] == nil {
		l.bad = true
		return same(l.Const(32, 0))
	}
	if f := l.binary(i.Op); f != nil {
		return each(f, x, y)
	}
	return l.other(i, x, y)
}

// unary computes instructions with one vector operand. ok is false for other instructions.
func (l *lister) unary(i *vector.Instr, x lanes) (r lanes, ok bool) {
	k := l.Const(32, uint64(i.Imm))
	var f func(x *term.Term) *term.Term
	words := func(shift func(x, n *term.Term) *term.Term) func(x *term.Term) *term.Term {
		by := l.Const(16, uint64(i.Imm))
		return func(x *term.Term) *term.Term {
			return l.parts(16, func(x, _ *term.Term) *term.Term { return shift(x, by) })(x, x)
		}
	}
	switch i.Op {
	case vector.ShlBy:
		f = func(x *term.Term) *term.Term { return l.Shl(x, k) }
	case vector.ShrBy:
		f = func(x *term.Term) *term.Term { return l.Shr(x, k) }
	case vector.SarBy:
		f = func(x *term.Term) *term.Term { return l.Sar(x, k) }
	case vector.ShlByW:
		f = words(l.Shl)
	case vector.ShrByW:
		f = words(l.Shr)
	case vector.SarByW:
		f = words(l.Sar)
	case vector.ShrByQ:
		if x.t[0] == nil {
			return r, false
		}
		q := l.Shr(l.Concat(x.t[1], x.t[0]), l.Const(64, uint64(i.Imm)))
		return lanes{t: [2]*term.Term{l.Extract(31, 0, q), l.Extract(63, 32, q)}}, true
	}
	if f == nil || x.t[0] == nil {
		return r, false
	}
	return lanes{t: [2]*term.Term{f(x.t[0]), f(x.t[1])}}, true
}

// bytes computes byte shuffles and table lookups. ok is false for other instructions.
func (l *lister) bytes(i *vector.Instr, x, y lanes) (r lanes, ok bool) {
	byteOf := func(t *term.Term, n uint8) *term.Term { return l.Extract(8*n+7, 8*n, t) }
	join := func(f func(n uint8) *term.Term) lanes {
		return same(l.Concat(l.Concat(f(3), f(2)), l.Concat(f(1), f(0))))
	}
	perLane := func(table []byte) bool { return table != nil && table[0]>>2 == 0 && table[4]>>2 == 1 }
	switch {
	case i.Op == vector.Or && perLane(y.table) && y.table[1] == 0: // y has the index of the first byte of each lane
		return lanes{t: x.t, places: true}, true
	case i.Op != vector.ShuffleB:
		return r, false
	case perLane(y.table) && x.t[0] != nil:
		return join(func(n uint8) *term.Term { return byteOf(x.t[0], y.table[n]) }), true
	case y.places && x.t[0] != nil: // indices from 0 to 3
		return join(func(n uint8) *term.Term {
			at := byteOf(y.t[0], n)
			l.bad = l.bad || at.Poss&^3 != 0
			r := byteOf(x.t[0], 0)
			for k := uint8(1); k < 4; k++ {
				r = l.Ite(l.Eq(at, l.Const(8, uint64(k))), byteOf(x.t[0], k), r)
			}
			return r
		}), true
	case x.table != nil && y.t[0] != nil:
		return join(func(n uint8) *term.Term {
			at := byteOf(y.t[0], n)
			l.bad = l.bad || at.Poss&^15 != 0
			r := l.Const(8, uint64(x.table[0]))
			for k := uint8(1); k < 16; k++ {
				r = l.Ite(l.Eq(at, l.Const(8, uint64(k))), l.Const(8, uint64(x.table[k])), r)
			}
			return r
		}), true
	}
	return r, false
}

// other computes the remaining instructions: 64-bit products, sums of bytes, and blends.
func (l *lister) other(i *vector.Instr, x, y lanes) lanes {
	switch i.Op {
	case vector.MulEvenU, vector.MulEvenS:
		extend := l.Zext
		if i.Op == vector.MulEvenS {
			extend = l.Sext
		}
		q := l.Mul(extend(64, x.t[0]), extend(64, y.t[0]))
		return lanes{t: [2]*term.Term{l.Extract(31, 0, q), l.Extract(63, 32, q)}}
	case vector.OddOf:
		return lanes{t: [2]*term.Term{x.t[0], y.t[1]}}
	case vector.MulAddB: // sums of pairs of bytes
		if !y.t[0].IsConst(0x01010101) {
			break
		}
		return each(func(x, _ *term.Term) *term.Term {
			pair := func(lo uint8) *term.Term {
				return l.Add(l.Zext(16, l.Extract(lo+7, lo, x)), l.Zext(16, l.Extract(lo+15, lo+8, x)))
			}
			return l.Concat(pair(16), pair(0))
		}, x, x)
	case vector.Blend, vector.BlendB:
		z := l.of(i.Z)
		n := uint8(32)
		if i.Op == vector.BlendB {
			n = 8
		}
		r := lanes{}
		for k := range r.t {
			for at := uint8(0); at < 32; at += n {
				part := func(t *term.Term) *term.Term { return l.Extract(at+n-1, at, t) }
				c := l.Extract(at+n-1, at+n-1, z.t[k])
				t := l.Ite(c, part(y.t[k]), part(x.t[k]))
				if at > 0 {
					t = l.Concat(t, r.t[k])
				}
				r.t[k] = t
			}
		}
		return r
	}
	l.bad = true
	return same(l.Const(32, 0))
}
