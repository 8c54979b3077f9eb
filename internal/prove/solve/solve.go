package solve

import (
	"math/bits"
	"slices"
	"time"

	"github.com/go-air/gini"
	"github.com/go-air/gini/logic"
	"github.com/go-air/gini/z"

	"github.com/gcnsim/gcnsim/internal/prove/term"
)

// maxApart is the maximum number of pairs of function applications that are compared.
const maxApart = 20000

// Query decides questions about the terms of a bank.
type Query struct {
	Bank     *term.Bank
	Until    time.Time // time limit
	MaxGates int       // size limit: larger questions have the answer Unknown
	Solver   Solver    // if not nil, answers instead of the built-in solver
	Failed   error     // error of Solver
}

// Check decides whether all conditions can hold at once. If the answer is Sat, it returns values for which they do.
func (q *Query) Check(conditions []*term.Term) (Answer, *term.Values) {
	switch {
	case slices.ContainsFunc(conditions, (*term.Term).IsFalse):
		return Unsat, nil
	case q.Solver != nil:
		return q.ask(conditions)
	}
	x := q.blast(conditions)
	if x == nil {
		return Unknown, nil
	}
	if r := x.try(x.T); r != Sat {
		return r, nil
	}
	read := func(t *term.Term) (v uint64) {
		for i, m := range x.have[t] {
			if m == x.T || m != x.F && x.sat.Value(m) {
				v |= 1 << i
			}
		}
		return v
	}
	// A function without bits is equal to one with the same operands, or the conditions do not depend on it.
	return Sat, &term.Values{Var: read, Fn: func(t *term.Term, _ []uint64) uint64 { return read(t) }}
}

// Possible reports whether, for each of the conditions, all facts and the condition can hold at once.
func (q *Query) Possible(facts []*term.Term, conditions ...*term.Term) bool {
	if q.Solver != nil {
		return !slices.ContainsFunc(conditions, func(c *term.Term) bool {
			answer, _ := q.ask(append(slices.Clip(facts), c))
			return answer != Sat
		})
	}
	x := q.blast(facts, conditions...)
	return x != nil && !slices.ContainsFunc(conditions, func(c *term.Term) bool { return x.try(x.of(c)[0]) != Sat })
}

// blaster converts terms to gates, one literal per bit.
type blaster struct {
	*Query
	*logic.C
	have map[*term.Term][]z.Lit
	all  z.Lit      // conjunction of the conditions
	sat  *gini.Gini // solver with the clauses of all, nil before the first try
	adds int        // number of literals of the clauses
	late bool       // the time limit passed before all clauses were added
}

// blast converts conditions and more terms to gates. The conditions must hold. It returns nil if a limit is exceeded.
func (q *Query) blast(conditions []*term.Term, more ...*term.Term) *blaster {
	x := &blaster{Query: q, C: logic.NewC(), have: map[*term.Term][]z.Lit{}}
	x.all = x.T
	same, ok := x.consistent(slices.Concat(conditions, more))
	for _, c := range slices.Concat(same, conditions) {
		x.all = x.And(x.all, x.of(c)[0])
	}
	for _, t := range more {
		x.of(t)
	}
	if !ok || x.over() {
		return nil
	}
	return x
}

// addsEvery is the number of added literals between two checks of the time limit.
const addsEvery = 1 << 14

// Add adds a literal of a clause to the solver. It does nothing after the time limit.
func (x *blaster) Add(m z.Lit) {
	if x.adds++; x.adds%addsEvery == 0 {
		x.late = x.late || x.over()
	}
	if !x.late {
		x.sat.Add(m)
	}
}

// try decides whether a condition can hold together with all conditions of the query.
func (x *blaster) try(condition z.Lit) Answer {
	if x.all == x.F || condition == x.F {
		return Unsat
	}
	if x.sat == nil {
		x.sat = gini.New()
		x.ToCnf(x)
		x.Add(x.all)
		x.Add(z.LitNull)
	}
	if x.late {
		return Unknown
	}
	x.sat.Assume(condition)
	return Answer(x.sat.Try(max(time.Until(x.Until), 0)))
}

// over reports whether the question exceeds a limit.
func (x *blaster) over() bool {
	return x.Bank.Full || x.Len() > x.MaxGates || time.Now().After(x.Until)
}

// consistent returns conditions that functions with equal operands are equal. ok is false if there are too many pairs.
func (x *blaster) consistent(conditions []*term.Term) (all []*term.Term, ok bool) {
	byName := map[string][]*term.Term{}
	pairs := 0
	for _, t := range Functions(conditions) {
		for _, u := range byName[t.Name] {
			if pairs++; pairs > maxApart || x.over() {
				return nil, false
			}
			same := x.Bank.Bool(true)
			for i, a := range t.Args {
				same = x.Bank.And(same, x.Bank.Eq(a, u.Args[i]))
			}
			if !same.IsFalse() {
				all = append(all, x.Bank.Or(x.Bank.Not(same), x.Bank.Eq(t, u)))
			}
		}
		byName[t.Name] = append(byName[t.Name], t)
	}
	return all, true
}

// of returns the bits of a term, the lowest bit first.
func (x *blaster) of(t *term.Term) []z.Lit {
	if have, ok := x.have[t]; ok {
		return have
	}
	r := x.compute(t)
	for i := range r {
		if t.Poss>>i&1 == 0 && t.Op != term.Var && t.Op != term.Fn {
			r[i] = x.F
		}
	}
	x.have[t] = r
	return r
}

func (x *blaster) compute(t *term.Term) []z.Lit {
	w := int(t.Width)
	if x.over() {
		return x.number(0, w)
	}
	var args [][]z.Lit
	if t.Op != term.Fn {
		for _, a := range t.Args {
			args = append(args, x.of(a))
		}
	}
	switch t.Op {
	case term.Const:
		return x.number(t.K, w)
	case term.Var, term.Fn:
		r := make([]z.Lit, w)
		for i := range r {
			r[i] = x.Lit()
		}
		return r
	case term.Sum:
		return x.sum(t, args)
	case term.Mul:
		r := args[0]
		for _, a := range args[1:] {
			r = x.product(r, a)
		}
		return r
	case term.And, term.Or, term.Xor:
		f := map[term.Op]func(a, b z.Lit) z.Lit{term.And: x.And, term.Or: x.Or, term.Xor: x.Xor}[t.Op]
		r := args[0]
		for _, a := range args[1:] {
			r = x.each(f, r, a)
		}
		return r
	case term.Not:
		return []z.Lit{args[0][0].Not()}
	case term.Shl, term.Shr, term.Sar:
		return x.shift(t.Op, args[0], args[1])
	case term.Extract:
		return append([]z.Lit(nil), args[0][t.K:int(t.K)+w]...)
	case term.Zext, term.Sext:
		fill := x.F
		if t.Op == term.Sext {
			fill = args[0][len(args[0])-1]
		}
		r := append([]z.Lit(nil), args[0]...)
		for len(r) < w {
			r = append(r, fill)
		}
		return r
	case term.Ite:
		c := args[0][0]
		return x.each(func(a, b z.Lit) z.Lit { return x.Choice(c, a, b) }, args[1], args[2])
	case term.Eq:
		all := x.T
		for i := range args[0] {
			all = x.And(all, x.Xor(args[0][i], args[1][i]).Not())
		}
		return []z.Lit{all}
	}
	a, b := append([]z.Lit(nil), args[0]...), append([]z.Lit(nil), args[1]...) // computes a < b
	if t.Op == term.Slt {
		last := len(a) - 1
		a[last], b[last] = a[last].Not(), b[last].Not()
	}
	less := x.F
	for i := range a {
		less = x.Choice(x.Xor(a[i], b[i]), b[i], less)
	}
	return []z.Lit{less}
}

func (x *blaster) each(f func(a, b z.Lit) z.Lit, a, b []z.Lit) []z.Lit {
	r := make([]z.Lit, len(a))
	for i := range r {
		r[i] = f(a[i], b[i])
	}
	return r
}

func (x *blaster) number(v uint64, w int) []z.Lit {
	r := make([]z.Lit, w)
	for i := range r {
		r[i] = x.F
		if v>>i&1 != 0 {
			r[i] = x.T
		}
	}
	return r
}

// add returns a + b + carry.
func (x *blaster) add(a, b []z.Lit, carry z.Lit) []z.Lit {
	r := make([]z.Lit, len(a))
	for i := range r {
		half := x.Xor(a[i], b[i])
		r[i] = x.Xor(half, carry)
		carry = x.Or(x.And(a[i], b[i]), x.And(half, carry))
	}
	return r
}

// shifted returns a << n.
func (x *blaster) shifted(a []z.Lit, n int) []z.Lit {
	return append(x.number(0, n), a...)[:len(a)]
}

// inverted returns ^a.
func inverted(a []z.Lit) []z.Lit {
	r := make([]z.Lit, len(a))
	for i := range r {
		r[i] = a[i].Not()
	}
	return r
}

// sum returns the bits of a sum. It subtracts a part by adding the inverted part and 1.
func (x *blaster) sum(t *term.Term, args [][]z.Lit) []z.Lit {
	w, k := int(t.Width), t.K
	var parts [][]z.Lit
	for i, a := range args {
		c := t.Coef[i]
		minus := -c & term.Mask(t.Width)
		negative := bits.OnesCount64(minus) < bits.OnesCount64(c)
		if negative {
			c = minus
		}
		for c != 0 {
			n := bits.TrailingZeros64(c)
			c &= c - 1
			part := x.shifted(a, n)
			if negative {
				part = inverted(part)
				k++
			}
			parts = append(parts, part)
		}
	}
	r := x.number(k, w)
	for _, p := range parts {
		r = x.add(r, p, x.F)
	}
	return r
}

// product returns a * b.
func (x *blaster) product(a, b []z.Lit) []z.Lit {
	r := x.number(0, len(a))
	for i, m := range b {
		if m == x.F {
			continue
		}
		part := x.shifted(a, i)
		for j := range part {
			part[j] = x.And(part[j], m)
		}
		r = x.add(r, part, x.F)
	}
	return r
}

// shift returns a shifted by a variable number of bits, n.
func (x *blaster) shift(op term.Op, a, n []z.Lit) []z.Lit {
	w, fill := len(a), x.F
	if op == term.Sar {
		fill = a[w-1]
	}
	r, far := append([]z.Lit(nil), a...), x.F
	for i, bit := range n {
		if 1<<min(i, 30) >= w {
			far = x.Or(far, bit)
			continue
		}
		moved := make([]z.Lit, w)
		for j := range moved {
			from := j + 1<<i
			if op == term.Shl {
				from = j - 1<<i
			}
			moved[j] = fill
			if from >= 0 && from < w {
				moved[j] = r[from]
			}
		}
		r = x.each(func(a, b z.Lit) z.Lit { return x.Choice(bit, a, b) }, moved, r)
	}
	for j := range r {
		r[j] = x.Choice(far, fill, r[j])
	}
	return r
}
