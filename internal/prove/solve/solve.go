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

// maxApart bounds the pairs of functions that are compared.
const maxApart = 20000

// Query asks about terms of a bank.
type Query struct {
	Bank     *term.Bank
	Until    time.Time // when to give up
	MaxGates int       // questions with more gates are given up
	Solver   Solver    // answers in place of the built-in solver, if it is not nil
	Failed   error     // why Solver gave no answer
}

// Check says whether all conditions can hold at once, and for which values of variables and functions.
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
	// A function without bits is of operands that another one has, or does not matter.
	return Sat, &term.Values{Var: read, Fn: func(t *term.Term, _ []uint64) uint64 { return read(t) }}
}

// Possible reports whether all facts can hold at once with each of the conditions.
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

// blaster makes gates of terms.
type blaster struct {
	*Query
	*logic.C
	have map[*term.Term][]z.Lit
	all  z.Lit      // what has to hold
	sat  *gini.Gini // has it
	adds int        // literals of its clauses
	late bool       // not all clauses were added
}

// blast makes gates of conditions that have to hold and of more terms, nil if that takes too long.
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

// addsEvery is how many literals are added between two looks at the clock.
const addsEvery = 1 << 14

// Add gives the solver a literal of a clause, up to the time.
func (x *blaster) Add(m z.Lit) {
	if x.adds++; x.adds%addsEvery == 0 {
		x.late = x.late || x.over()
	}
	if !x.late {
		x.sat.Add(m)
	}
}

// try asks whether a condition can hold with all others.
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

// over reports whether the question is too large or the time has passed.
func (x *blaster) over() bool {
	return x.Bank.Full || x.Len() > x.MaxGates || time.Now().After(x.Until)
}

// consistent returns that functions are equal where their operands are; ok is false if there are too many.
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

// of returns the bits of a term, the lowest first.
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
	a, b := append([]z.Lit(nil), args[0]...), append([]z.Lit(nil), args[1]...) // a < b
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

// add adds with a carry.
func (x *blaster) add(a, b []z.Lit, carry z.Lit) []z.Lit {
	r := make([]z.Lit, len(a))
	for i := range r {
		half := x.Xor(a[i], b[i])
		r[i] = x.Xor(half, carry)
		carry = x.Or(x.And(a[i], b[i]), x.And(half, carry))
	}
	return r
}

// shifted is a << n.
func (x *blaster) shifted(a []z.Lit, n int) []z.Lit {
	return append(x.number(0, n), a...)[:len(a)]
}

// inverted is ^a.
func inverted(a []z.Lit) []z.Lit {
	r := make([]z.Lit, len(a))
	for i := range r {
		r[i] = a[i].Not()
	}
	return r
}

// sum adds the parts of a sum: one that is subtracted is inverted, and 1 is added.
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

// product multiplies.
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

// shift shifts by a number that is not known.
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
