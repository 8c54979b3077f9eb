package term

import (
	"math/bits"
	"slices"
)

// Not returns ^x.
func (b *Bank) Not(x *Term) *Term {
	switch {
	case x.Width > 1:
		return b.Sub(b.Const(x.Width, ^uint64(0)), x)
	case x.Op == Const:
		return b.Const(1, x.K^1)
	case x.Op == Not:
		return x.Args[0]
	}
	return b.intern(Term{Op: Not, Width: 1, Args: []*Term{x}})
}

// And returns the bitwise conjunction of xs.
func (b *Bank) And(xs ...*Term) *Term { return b.bitwise(And, xs) }

// Or returns the bitwise disjunction of xs.
func (b *Bank) Or(xs ...*Term) *Term { return b.bitwise(Or, xs) }

// Xor returns the bitwise exclusive or of xs.
func (b *Bank) Xor(xs ...*Term) *Term { return b.bitwise(Xor, xs) }

func (b *Bank) bitwise(op Op, xs []*Term) *Term {
	if xs[0].Width == 1 {
		switch op {
		case And:
			return b.all(xs)
		case Or:
			t := xs[0]
			for _, x := range xs[1:] {
				t = b.either(t, x)
			}
			return t
		}
		t := xs[0]
		for _, x := range xs[1:] {
			t = b.differ(t, x)
		}
		return t
	}
	w := xs[0].Width
	k := map[Op]uint64{And: Mask(w)}[op] // result of the constant operands
	var args []*Term
	for _, x := range xs {
		if x.Op == op {
			args = append(args, x.Args...)
		} else {
			args = append(args, x)
		}
	}
	rest := args[:0:0]
	for i, x := range args {
		switch {
		case x.Op == Const:
			switch op {
			case And:
				k &= x.K
			case Or:
				k |= x.K
			default:
				k ^= x.K
			}
			continue
		case len(args) > 1 && b.AsMask(x) != nil: // x has all bits 1 or all bits 0
			y, c := b.bitwise(op, slices.Delete(args, i, i+1)), b.AsMask(x)
			switch op {
			case And:
				return b.Ite(c, y, b.Const(w, 0))
			case Or:
				return b.Ite(c, b.Const(w, ^uint64(0)), y)
			}
			return b.Ite(c, b.Not(y), y)
		}
		if i := slices.Index(rest, x); i < 0 {
			rest = append(rest, x)
		} else if op == Xor {
			rest = slices.Delete(rest, i, i+1)
		}
	}
	return b.bitwiseOf(op, w, k, rest)
}

// bitwiseOf returns op of constant k and the terms rest, all different.
func (b *Bank) bitwiseOf(op Op, w uint8, k uint64, rest []*Term) *Term {
	if len(rest) == 0 {
		return b.Const(w, k)
	}
	sortTerms(rest)
	t := rest[0]
	if len(rest) > 1 {
		t = b.several(op, w, rest)
	}
	switch {
	case op == And && k == 0, op == Or && k == Mask(w):
		return b.Const(w, k)
	case op == And && k == Mask(w), op != And && k == 0:
		return t
	case op == Xor && k == Mask(w):
		return b.Not(t)
	case op == And:
		return b.choose(t, k)
	case op == Or: // the bits of k, plus the other bits of t
		return b.Add(b.Const(w, k), b.choose(t, ^k&Mask(w)))
	case k == 1<<(w-1):
		return b.Add(t, b.Const(w, k))
	case t.Poss&k == 0:
		return b.Add(t, b.Const(w, k))
	}
	return b.intern(Term{Op: Xor, Width: w, Args: sorted(t, b.Const(w, k))})
}

func sorted(x, y *Term) []*Term {
	if x.ID > y.ID {
		return []*Term{y, x}
	}
	return []*Term{x, y}
}

// several returns op of several terms. For Or and Xor of terms without a common bit, it returns a sum.
func (b *Bank) several(op Op, w uint8, rest []*Term) *Term {
	seen, apart := uint64(0), true
	for i, x := range rest {
		apart = apart && seen&x.Poss == 0
		seen |= x.Poss
		for _, y := range rest[:i] {
			if b.Not(x) != y {
				continue
			}
			return b.bitwiseOf(op, w, map[Op]uint64{And: 0, Or: Mask(w), Xor: Mask(w)}[op],
				slices.DeleteFunc(slices.Clone(rest), func(z *Term) bool { return z == x || z == y }))
		}
	}
	if apart && op != And {
		l := linear{w: w}
		for _, x := range rest {
			l.add(x, 1)
		}
		return b.sum(&l)
	}
	return b.intern(Term{Op: op, Width: w, Args: rest})
}

// maxRuns is the maximum number of runs of ones in a constant for which choose builds a sum of Extracts.
const maxRuns = 4

// choose returns x & k.
func (b *Bank) choose(x *Term, k uint64) *Term {
	w := x.Width
	if k &= x.Poss; k == x.Poss {
		return x
	}
	if bits.OnesCount64(k&^(k<<1)) > maxRuns {
		return b.intern(Term{Op: And, Width: w, Args: sorted(x, b.Const(w, k))})
	}
	l := linear{w: w}
	for k != 0 {
		lo := uint8(bits.TrailingZeros64(k))
		n := uint8(bits.TrailingZeros64(^(k >> lo)))
		if n == 0 || n > 64-lo {
			n = 64 - lo
		}
		l.add(b.Zext(w, b.Extract(lo+n-1, lo, x)), 1<<lo)
		k &^= Mask(n) << lo
	}
	return b.sum(&l)
}

// AsMask returns a condition c such that t has all bits 1 if c holds and all 0 if not, or nil if there is none.
func (b *Bank) AsMask(t *Term) *Term {
	if t.Op != Sum || len(t.Args) != 1 || t.Args[0].Op != Ite {
		return nil
	}
	a, m := t.Args[0], Mask(t.Width)
	if !a.Args[1].IsConst(1) || !a.Args[2].IsConst(0) {
		return nil
	}
	switch {
	case t.K == 0 && t.Coef[0] == m:
		return a.Args[0]
	case t.K == m && t.Coef[0] == 1:
		return b.Not(a.Args[0])
	}
	return nil
}

// Conjuncts returns the operands of a conjunction, t itself for another condition, and nil if t is true.
func Conjuncts(t *Term) []*Term {
	switch {
	case t.IsTrue():
		return nil
	case t.Op == And && t.Width == 1:
		return t.Args
	}
	return []*Term{t}
}

// Facts are conditions with known values.
type Facts struct {
	known  map[int]bool // value of a condition, by its ID
	denied []*Term      // conjunctions that are false
	under  map[*Term]*Term
}

// Know adds the fact that t holds.
func (f *Facts) Know(t *Term) {
	for _, c := range Conjuncts(t) {
		f.set(c, true)
	}
}

// Deny adds the fact that t does not hold.
func (f *Facts) Deny(t *Term) {
	switch {
	case t.Op == Not:
		f.Know(t.Args[0])
	case t.Op != Const:
		f.set(t, false)
		if t.Op == And {
			f.denied = append(f.denied, t)
		}
	}
}

func (f *Facts) set(c *Term, v bool) {
	if f.known == nil {
		f.known = map[int]bool{}
	}
	if c.Op == Not {
		c, v = c.Args[0], !v
	}
	f.known[c.ID], f.under = v, nil
}

// Decide returns the value of c under the facts. known is false if the facts do not determine it.
func (f *Facts) Decide(c *Term) (v, known bool) {
	if v, known = f.known[c.ID]; known {
		return v, true
	}
	switch {
	case c.Op == Const:
		return c.K == 1, true
	case c.Op == Not:
		v, known = f.Decide(c.Args[0])
		return !v, known
	case c.Op == And && c.Width == 1:
		all := true
		for _, a := range c.Args {
			v, known := f.Decide(a)
			if known && !v {
				return false, true
			}
			all = all && known
		}
		for _, d := range f.denied {
			if Implies(c, d) {
				return false, true
			}
		}
		return true, all
	}
	return false, false
}

// Implies reports whether each conjunct of d is a conjunct of c.
func Implies(c, d *Term) bool {
	have := Conjuncts(c)
	for _, x := range Conjuncts(d) {
		if !slices.Contains(have, x) {
			return false
		}
	}
	return true
}

// all returns the conjunction of xs. It simplifies a disjunction among them by the other conditions.
func (b *Bank) all(xs []*Term) *Term {
	var have []*Term
	for _, x := range xs {
		for _, c := range Conjuncts(x) {
			if c.IsFalse() {
				return c
			}
			if !slices.Contains(have, c) {
				have = append(have, c)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i, x := range have {
			if slices.Contains(have, b.Not(x)) {
				return b.Bool(false)
			}
			if x.Op != Not || x.Args[0].Op != And {
				continue
			}
			left, drop := x.Args[0].Args[:0:0], false
			for _, y := range x.Args[0].Args {
				drop = drop || slices.Contains(have, b.Not(y))
				if !slices.Contains(have, y) {
					left = append(left, y)
				}
			}
			if !drop && len(left) == len(x.Args[0].Args) {
				continue
			}
			have = slices.Delete(have, i, i+1)
			if !drop {
				return b.all(append(have, b.Not(b.all(left))))
			}
			changed = true
			break
		}
	}
	switch len(have) {
	case 0:
		return b.Bool(true)
	case 1:
		return have[0]
	}
	sortTerms(have)
	return b.intern(Term{Op: And, Width: 1, Args: have})
}

// either returns x or y. Common conjuncts are moved out of the disjunction.
func (b *Bank) either(x, y *Term) *Term {
	var both, ofX []*Term
	rest := slices.Clone(Conjuncts(y))
	for _, c := range Conjuncts(x) {
		if i := slices.Index(rest, c); i >= 0 {
			both, rest = append(both, c), slices.Delete(rest, i, i+1)
			continue
		}
		ofX = append(ofX, c)
	}
	t := b.Not(b.all([]*Term{b.Not(b.all(ofX)), b.Not(b.all(rest))}))
	return b.all(append(both, t))
}

// differ returns x xor y, for terms of one bit.
func (b *Bank) differ(x, y *Term) *Term {
	if x.Op == Const {
		x, y = y, x
	}
	switch {
	case y.IsFalse():
		return x
	case y.IsTrue():
		return b.Not(x)
	case x == y:
		return b.Bool(false)
	case x == b.Not(y):
		return b.Bool(true)
	case b.all([]*Term{x, y}) == y: // y implies x
		return b.all([]*Term{x, b.Not(y)})
	case b.all([]*Term{x, y}) == x:
		return b.all([]*Term{y, b.Not(x)})
	case x.Op == Not && y.Op == Not:
		return b.differ(x.Args[0], y.Args[0])
	case x.Op == Not:
		return b.Not(b.differ(x.Args[0], y))
	case y.Op == Not:
		return b.Not(b.differ(x, y.Args[0]))
	}
	return b.intern(Term{Op: Xor, Width: 1, Args: sorted(x, y)})
}

// Ite returns x if c holds, else y.
func (b *Bank) Ite(c, x, y *Term) *Term {
	switch {
	case c.IsTrue() || x == y:
		return x
	case c.IsFalse():
		return y
	case c.Op == Not:
		return b.Ite(c.Args[0], y, x)
	}
	var yes, no Facts
	yes.Know(c)
	no.Deny(c)
	x, y = b.Under(x, &yes), b.Under(y, &no)
	switch {
	case x == y:
		return x
	case x.Width == 1:
		return b.choice(c, x, y)
	case x.Op == Const && y.Op == Const && !(x.K == 1 && y.K == 0):
		return b.Add(y, b.Scale(b.Zext(x.Width, c), x.K-y.K))
	}
	if x.Op == Sum || y.Op == Sum {
		if t := b.common(c, x, y); t != nil {
			return t
		}
	}
	return b.intern(Term{Op: Ite, Width: x.Width, Args: []*Term{c, x, y}})
}

// common returns Ite for two sums with the common parts moved out. It returns nil if there are no common parts.
func (b *Bank) common(c, x, y *Term) *Term {
	var ofX, ofY linear
	ofX.add(x, 1)
	ofY.add(y, 1)
	both := linear{w: x.Width}
	for i, a := range ofX.atoms {
		if j := slices.Index(ofY.atoms, a); j >= 0 && ofX.coef[i] == ofY.coef[j] {
			both.add(a, ofX.coef[i])
		}
	}
	if len(both.atoms) == 0 {
		return nil
	}
	both.k = ofY.k
	t := b.sum(&both)
	return b.Add(t, b.Ite(c, b.Sub(x, t), b.Sub(y, t)))
}

// choice is Ite for x and y of one bit.
func (b *Bank) choice(c, x, y *Term) *Term {
	switch {
	case x.IsTrue():
		return b.either(c, y)
	case x.IsFalse():
		return b.all([]*Term{b.Not(c), y})
	case y.IsFalse():
		return b.all([]*Term{c, x})
	case y.IsTrue():
		return b.either(b.Not(c), x)
	}
	return b.either(b.all([]*Term{c, x}), b.all([]*Term{b.Not(c), y}))
}

// maxUnder is the maximum depth to which Under simplifies a term.
const maxUnder = 64

// Under simplifies t under the facts f: it replaces each Ite whose condition is known.
func (b *Bank) Under(t *Term, f *Facts) *Term { return b.under(t, f, maxUnder) }

func (b *Bank) under(t *Term, f *Facts, depth int) *Term {
	switch {
	case len(f.known) == 0 || depth == 0 || b.Full:
		return t
	case t.Width == 1:
		return b.underFact(t, f)
	case f.under == nil:
		f.under = map[*Term]*Term{}
	}
	if r := f.under[t]; r != nil {
		return r
	}
	b.works()
	r := b.underParts(t, f, depth)
	f.under[t] = r
	return r
}

func (b *Bank) underParts(t *Term, f *Facts, depth int) *Term {
	switch t.Op {
	case Ite:
		if v, known := f.Decide(t.Args[0]); known {
			return b.under(t.Args[2-b2i(v)], f, depth-1)
		}
		x, y := b.under(t.Args[1], f, depth-1), b.under(t.Args[2], f, depth-1)
		if x != t.Args[1] || y != t.Args[2] {
			return b.Ite(t.Args[0], x, y)
		}
	case Sum:
		l, changed := linear{w: t.Width, k: t.K}, false
		for i, a := range t.Args {
			x := b.under(a, f, depth-1)
			changed = changed || x != a
			l.add(x, t.Coef[i])
		}
		if changed {
			return b.sum(&l)
		}
	case Extract:
		if x := b.under(t.Args[0], f, depth-1); x != t.Args[0] {
			return b.Extract(uint8(t.K)+t.Width-1, uint8(t.K), x)
		}
	case Zext:
		if x := b.under(t.Args[0], f, depth-1); x != t.Args[0] {
			return b.Zext(t.Width, x)
		}
	case Sext:
		if x := b.under(t.Args[0], f, depth-1); x != t.Args[0] {
			return b.Sext(t.Width, x)
		}
	}
	return t
}

// underFact is Under for a term of one bit.
func (b *Bank) underFact(t *Term, f *Facts) *Term {
	v, known := f.Decide(t)
	switch {
	case known:
		return b.Bool(v)
	case t.Op == Not:
		if x := b.underFact(t.Args[0], f); x != t.Args[0] {
			return b.Not(x)
		}
	case t.Op == And:
		left := slices.DeleteFunc(slices.Clone(t.Args), func(c *Term) bool { v, known := f.Decide(c); return known && v })
		if len(left) < len(t.Args) {
			return b.all(left)
		}
	}
	return t
}

func b2i(v bool) int {
	if v {
		return 1
	}
	return 0
}

// Eq returns the condition x == y.
func (b *Bank) Eq(x, y *Term) *Term {
	if x.Width == 1 {
		return b.Not(b.differ(x, y))
	}
	d := b.Sub(x, y)
	w, m := d.Width, Mask(d.Width)
	switch {
	case d.Op == Const:
		return b.Bool(d.K == 0)
	case d.Op == Sum && d.Coef[0]>>(w-1) != 0: // choose the same one of d and -d each time
		d = b.Scale(d, m)
	}
	if d.Op == Zext {
		return b.Eq(d.Args[0], b.Const(d.Args[0].Width, 0))
	}
	if d.Op == Sum && len(d.Args) == 1 && d.Coef[0] == 1 {
		return b.equals(d.Args[0], -d.K&m)
	}
	if d.Op == Ite {
		return b.equals(d, 0)
	}
	return b.intern(Term{Op: Eq, Width: 1, Args: []*Term{d, b.Const(w, 0)}})
}

// equals returns the condition x == k. x must not be a sum.
func (b *Bank) equals(x *Term, k uint64) *Term {
	switch {
	case k&^x.Poss != 0:
		return b.Bool(false)
	case x.Op == Zext:
		return b.Eq(x.Args[0], b.Const(x.Args[0].Width, k))
	case x.Op == Ite && (x.Args[1].Op == Const || x.Args[2].Op == Const):
		c := b.Const(x.Width, k)
		return b.Ite(x.Args[0], b.Eq(x.Args[1], c), b.Eq(x.Args[2], c))
	}
	d := b.Sub(x, b.Const(x.Width, k))
	return b.intern(Term{Op: Eq, Width: 1, Args: []*Term{d, b.Const(x.Width, 0)}})
}

// Ult returns the condition x < y, unsigned.
func (b *Bank) Ult(x, y *Term) *Term {
	m := Mask(x.Width)
	switch {
	case x == y, y.IsConst(0), x.IsConst(m):
		return b.Bool(false)
	case x.Op == Const && y.Op == Const:
		return b.Bool(x.K < y.K)
	case y.IsConst(1):
		return b.Eq(x, b.Const(x.Width, 0))
	case y.Op == Const && x.Poss < y.K:
		return b.Bool(true)
	case x.Op == Const && x.K >= y.Poss:
		return b.Bool(false)
	case x.Op == Const:
		return b.Not(b.Ult(y, b.Const(x.Width, x.K+1)))
	case x.Op == Zext && y.Op == Zext && x.Args[0].Width == y.Args[0].Width:
		return b.Ult(x.Args[0], y.Args[0])
	case x.Op == Zext && y.Op == Const && y.K <= Mask(x.Args[0].Width):
		return b.Ult(x.Args[0], b.Const(x.Args[0].Width, y.K))
	}
	return b.intern(Term{Op: Ult, Width: 1, Args: []*Term{x, y}})
}

// Slt returns the condition x < y, signed.
func (b *Bank) Slt(x, y *Term) *Term {
	w := x.Width
	sign := uint64(1) << (w - 1)
	switch {
	case x == y, y.IsConst(sign), x.IsConst(sign - 1):
		return b.Bool(false)
	case (x.Poss|y.Poss)&sign == 0:
		return b.Ult(x, y)
	case x.Op == Const && y.Op == Const:
		return b.Bool(x.K^sign < y.K^sign)
	case y.IsConst(0):
		return b.Extract(w-1, w-1, x)
	case x.Op == Const:
		return b.Not(b.Slt(y, b.Const(w, x.K+1)))
	case x.Op == Sext && y.Op == Sext && x.Args[0].Width == y.Args[0].Width:
		return b.Slt(x.Args[0], y.Args[0])
	}
	return b.intern(Term{Op: Slt, Width: 1, Args: []*Term{x, y}})
}
