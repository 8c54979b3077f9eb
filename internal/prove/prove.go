//go:build !js

package prove

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gcnsim/gcnsim/internal/prove/eval"
	"github.com/gcnsim/gcnsim/internal/prove/solve"
	"github.com/gcnsim/gcnsim/internal/prove/term"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// SMT returns the question as SMT-LIB text. A solver answers unsat if the proof is correct.
func (p *Proof) SMT(comments ...string) string { return solve.SMT(p.Question, comments...) }

// size limits the terms of two programs, the work to build them, and the gates of a question.
type size struct{ terms, work, gates int }

var (
	most   = size{terms: 400_000, gates: 1 << 20}
	little = size{400_000, 200_000, 1 << 12} // such a search takes a fraction of a second
)

func (p *Proof) size() size {
	if p.limits.Easy {
		return little
	}
	return most
}

// always has the assumptions of every proof.
var always = []string{"work-items do not race", "waves are full"}

// Kernels tries to prove that two kernels do the same. It takes little longer than limits.Time.
func Kernels(a, b Program, limits Limits) *Proof {
	start := time.Now()
	p := &Proof{limits: limits}
	defer func() { p.Time = time.Since(start) }()
	if p.Why = differ(a.Kernel, b.Kernel); p.Why != "" {
		return p
	}
	limit := limits.Time
	loops := p.try(a, b, eval.NewPlan(), start.Add(limit/2))
	if !p.Proved {
		p.noOverflow = true
		loops = p.try(a, b, eval.NewPlan(), start.Add(limit*3/4))
	}
	if why := p.Why; !p.Proved && loops && !limits.Easy {
		plan := eval.NewPlan()
		plan.UpTo = maxIterations
		if p.try(a, b, plan, start.Add(limit)); p.Proved {
			p.Proved, p.UpTo = false, maxIterations
		}
		p.Why = why
	}
	return p
}

// maxIterations is the number of iterations that are executed of each loop, if there is no proof for any number.
const maxIterations = 4

// try executes two kernels symbolically and compares their stores. It reports whether the kernels have loops.
func (p *Proof) try(a, b Program, plan *eval.Plan, until time.Time) (loops bool) {
	unit := uint8(4)
	for range maxAttempts {
		w := eval.NewWorld(plan, groupSize(a.Kernel, b.Kernel), unit, p.size().terms, until)
		w.NoOverflow, w.MaxWork = p.noOverflow, p.size().work
		x, errX := eval.Run(w, a.Object, a.Kernel, "a")
		y, errY := eval.Run(w, b.Object, b.Kernel, "b")
		if _, small := errors.AsType[eval.UnitError](errors.Join(errX, errY)); small && unit > 1 {
			unit = 1
			continue
		}
		if w.Full && time.Now().After(w.Until) {
			p.Why = "the time was over"
			return plan.HasLoops()
		}
		for i, err := range []error{errX, errY} {
			if err != nil {
				p.Why = fmt.Sprintf("%c has %v", 'a'+i, err)
				return plan.HasLoops()
			}
		}
		if !plan.Refine(x.Loops, y.Loops) {
			q := &query{World: w, Proof: p, until: until, kernel: a.Kernel}
			q.ask(x, y)
			return plan.HasLoops()
		}
	}
	p.Why = "the values in its loops were not matched"
	return true
}

// maxAttempts limits how often two programs are executed until the values that their loops share are known.
const maxAttempts = 20

// groupSize returns the maximum number of work-items in a work-group that all kernels allow.
func groupSize(kernels ...*codeobj.Kernel) int {
	most := 1024
	for _, k := range kernels {
		if k.MaxFlatGroupSize > 0 {
			most = min(most, int(k.MaxFlatGroupSize))
		}
	}
	return most
}

// differ returns why a comparison of the kernels is not possible, or "" if it is.
func differ(a, b *codeobj.Kernel) string {
	type argument struct {
		size uint32
		kind codeobj.ArgKind
	}
	explicit := func(k *codeobj.Kernel) (all []argument) {
		for _, x := range codeobj.Explicit(k) {
			all = append(all, argument{x.Size, x.Kind})
		}
		return all
	}
	switch {
	case !slices.Equal(explicit(a), explicit(b)):
		return "they have other arguments"
	case len(a.Args) == 0 && a.KernargBytes > 0 || len(b.Args) == 0 && b.KernargBytes > 0:
		return "no metadata tell of the arguments"
	case a.ReqdGroupSize != b.ReqdGroupSize:
		return "they want other work-groups"
	}
	return ""
}

// query compares two executed programs.
type query struct {
	*eval.World
	*Proof
	until  time.Time
	kernel *codeobj.Kernel
	within bool // assume that accesses stay in their buffers
}

// ask compares the stores of two programs and sets the result of the proof.
func (q *query) ask(a, b *eval.Result) {
	if len(a.Stores())+len(b.Stores()) == 0 {
		q.Why = "neither stores anything"
		return
	}
	if len(a.Parts) != len(b.Parts) || len(a.Loops) != len(b.Loops) {
		q.Why = "they have other loops or barriers"
		return
	}
	control := q.control(a, b)
	differs := q.Or(control, q.partsDiffer(a, b, q.apart))
	q.Solver = !differs.IsFalse()
	if q.refute(differs, nil, 4) == solve.Unsat {
		q.sure(nil, a, b)
		return
	}
	// The programs may store in a different order, or store several times where the other stores once.
	differs = q.Or(control, q.partsDiffer(a, b, q.leave))
	if !q.InOrder && q.refute(differs, nil, 3) == solve.Unsat {
		q.sure(nil, a, b)
		return
	}
	inside, ok := q.inside(a, b, maxBuffer)
	if !ok || q.InOrder {
		return
	}
	switch q.refute(differs, inside, 2) {
	case solve.Unsat:
		q.within = true
		q.sure(inside, a, b)
	case solve.Sat:
		q.input(differs, a, b)
	}
}

// control is true for inputs where the programs differ in the iterations of a loop or in the barriers.
func (q *query) control(a, b *eval.Result) *term.Term {
	differs := q.Bool(false)
	for i, x := range a.Loops {
		y := b.Loops[i]
		differs = q.Or(differs, q.Xor(x.Entry, y.Entry), q.Xor(x.Goes, y.Goes))
	}
	for i := range a.Parts {
		x, y := a.Parts[i].Path, b.Parts[i].Path
		if x == nil || y == nil {
			differs = q.Or(differs, q.Bool(x != y))
			continue
		}
		differs = q.Or(differs, q.Xor(x, y))
	}
	return differs
}

// partsDiffer is true if the stores of one part differ according to apart, which compares lists of stores.
func (q *query) partsDiffer(a, b *eval.Result, apart func(x, y []eval.Access) *term.Term) *term.Term {
	differs := q.Bool(false)
	for i := range a.Parts {
		for space, x := range a.Parts[i].Stores {
			differs = q.Or(differs, apart(x, b.Parts[i].Stores[space]))
		}
	}
	return differs
}

// leave is true if two lists of stores leave different values at one address.
func (q *query) leave(x, y []eval.Access) *term.Term {
	if len(x)+len(y) == 0 {
		return q.Bool(false)
	}
	w := slices.Concat(x, y)[0].Addr.Width
	at := q.Var(w, fmt.Sprintf("an address of %d bits", w), false)
	before := q.Fn(8*q.Unit, fmt.Sprintf("memory of %d bits", w), at)
	return q.Not(q.Eq(q.Overlay(x, at, before), q.Overlay(y, at, before)))
}

// query returns a query that may use 1/part of the remaining time.
func (q *query) query(part time.Duration) *solve.Query {
	return &solve.Query{Bank: q.Bank, Until: time.Now().Add(time.Until(q.until) / part), MaxGates: q.size().gates,
		Solver: q.limits.Solver}
}

// refute asks if the programs can differ under the assumptions more. It uses 1/part of the remaining time.
func (q *query) refute(differs *term.Term, more []*term.Term, part time.Duration) solve.Answer {
	q.Question = append(q.facts(append(more, differs)), append(more, differs)...)
	asked := q.query(part)
	answer, _ := asked.Check(q.Question)
	switch {
	case asked.Failed != nil:
		q.Why = fmt.Sprintf("the solver failed: %v", asked.Failed)
	case q.Full:
		q.Why = "the terms are too large"
		if time.Now().After(q.until) {
			q.Why = "the time was over"
		}
		return solve.Unknown
	case answer == solve.Sat:
		q.Why = "there may be an input for which they differ"
	case answer == solve.Unknown && time.Now().Before(asked.Until):
		q.Why = "the solver does not know, or the question is too large for it"
	case answer == solve.Unknown:
		q.Why = "the time was over"
	}
	return answer
}

// maxBuffer is the assumed limit on the size of a buffer: less than 2 GiB.
const maxBuffer = 1 << 31

// inside returns the assumption that all accesses of one program are in the buffers of the arguments, that each buffer
// has less than most bytes, and that buffers do not overlap. ok is false if an address is no argument plus an offset.
func (q *query) inside(a, b *eval.Result, most uint64) (all []*term.Term, ok bool) {
	pointers, size := q.pointers(), q.Const(64, most)
	for i, p := range pointers {
		all = append(all, q.Ult(p.Term, q.Const(64, 1<<47)))
		for _, r := range pointers[:i] {
			all = append(all, q.Not(q.Ult(q.Sub(p.Term, r.Term), size)), q.Not(q.Ult(q.Sub(r.Term, p.Term), size)))
		}
	}
	var within [2]*term.Term
	for i, of := range []*eval.Result{a, b} {
		within[i] = q.Bool(true)
		for _, x := range slices.Concat(of.Loads, of.Stores()) {
			of := slices.IndexFunc(pointers, func(p pointer) bool { return partOf(p.Term, x.Addr) })
			if of < 0 {
				return nil, false
			}
			in := q.Ult(q.Sub(x.Addr, pointers[of].Term), size)
			within[i] = q.And(within[i], q.Or(q.Not(x.Cond), in))
		}
	}
	return append(all, q.Or(within[0], within[1])), true
}

// partOf reports whether t is the pointer p plus an offset.
func partOf(p, t *term.Term) bool {
	if t == p {
		return true
	}
	for i, a := range p.Args {
		j := slices.Index(t.Args, a)
		if t.Op != term.Sum || j < 0 || t.Coef[j] != p.Coef[i] {
			return false
		}
	}
	return len(p.Args) > 0
}

// sure checks that the assumptions do not contradict each other. It then sets the proof and lists the assumptions.
func (q *query) sure(more []*term.Term, a, b *eval.Result) {
	possible := []*term.Term{q.Bool(true)}
	for _, x := range slices.Concat(a.Loads, a.Stores(), b.Loads, b.Stores()) {
		if q.within && !slices.Contains(possible, x.Cond) {
			possible = append(possible, x.Cond)
		}
	}
	facts := append(q.facts(slices.Concat(q.Question, possible)), more...)
	asked := q.query(1)
	if !asked.Possible(facts, possible...) || q.Full {
		switch q.Why = "what is assumed was not shown to be possible"; {
		case asked.Failed != nil:
			q.Why = fmt.Sprintf("the solver failed: %v", asked.Failed)
		case q.within:
			q.Why = "an access was not shown to be possible in a buffer"
		}
		return
	}
	q.Proved, q.Why = true, ""
	q.Proof.Assumed = slices.Clone(always)
	for _, x := range slices.Sorted(maps.Keys(q.World.Assumed)) {
		q.Proof.Assumed = append(q.Proof.Assumed, string(x))
	}
	if len(q.Split) > 0 {
		q.Proof.Assumed = append(q.Proof.Assumed, "sums of 32 bits whose sign is extended do not overflow")
	}
	if q.more(a, b) || q.more(b, a) {
		q.Proof.Assumed = append(q.Proof.Assumed, "loads that only one of them has find memory")
	}
	if q.within {
		q.Proof.Assumed = append(q.Proof.Assumed, "each argument has a buffer of its own of less than 2 GiB, which one of "+
			"them does not leave")
	}
	used := map[string]bool{}
	for _, x := range slices.Concat(a.Parts, b.Parts) {
		for _, x := range slices.Concat(x.Stores[0], x.Stores[1]) {
			for _, f := range solve.Functions([]*term.Term{x.Cond, x.Addr, x.Value}) {
				if of := q.World.Opaque[f.Name]; of != "" {
					used[of] = true
				}
			}
		}
	}
	q.Proof.Opaque = slices.Sorted(maps.Keys(used))
	if len(q.Proof.Opaque) > 0 {
		q.Proof.Assumed = append(q.Proof.Assumed, "equal operands give equal results in "+list(q.Proof.Opaque))
	}
}

// more reports whether a loads from an address that b does not access under the same condition.
func (q *query) more(a, b *eval.Result) bool {
	reached := map[*term.Term][]*term.Term{}
	for _, x := range slices.Concat(b.Loads, b.Stores()) {
		reached[x.Addr] = append(reached[x.Addr], x.Cond)
	}
	return slices.ContainsFunc(a.Loads, func(x eval.Access) bool {
		return !slices.ContainsFunc(reached[x.Addr], func(c *term.Term) bool { return term.Implies(x.Cond, c) })
	})
}

// maxNamed is the maximum number of operations that list names.
const maxNamed = 6

// list joins names for a sentence.
func list(names []string) string {
	if len(names) > maxNamed {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:maxNamed], ", "), len(names)-maxNamed)
	}
	return strings.Join(names, ", ")
}

// normal combines stores to the same cell, and sorts stores to cells that cannot overlap.
func (q *query) normal(stores []eval.Access) (all []eval.Access) {
	for _, x := range stores {
		if x.Cond.IsFalse() {
			continue
		}
		at := len(all)
		for at > 0 {
			t := &all[at-1]
			if t.Addr == x.Addr {
				t.Value = q.Ite(x.Cond, x.Value, t.Value)
				t.Cond = q.Or(t.Cond, x.Cond)
				break
			}
			if !q.distinct(t.Addr, x.Addr) && !q.And(t.Cond, x.Cond).IsFalse() {
				at = 0
				break
			}
			at--
		}
		if at == 0 {
			all = append(all, x)
		}
	}
	for changed := true; changed; {
		changed = false
		for i := 1; i < len(all); i++ {
			x, y := all[i-1], all[i]
			if x.Addr.ID > y.Addr.ID && q.distinct(x.Addr, y.Addr) {
				all[i-1], all[i], changed = y, x, true
			}
		}
	}
	return all
}

// distinct reports whether two cells can never overlap.
func (q *query) distinct(x, y *term.Term) bool {
	d := q.Sub(x, y)
	return d.Op == term.Const && d.K >= uint64(q.Unit) && -d.K >= uint64(q.Unit)
}

// apart is true if the stores of two lists differ, one by one.
func (q *query) apart(x, y []eval.Access) *term.Term {
	if !q.InOrder {
		x, y = q.normal(x), q.normal(y)
	}
	if len(x) != len(y) {
		return q.Bool(true)
	}
	differs := q.Bool(false)
	for i := range x {
		other := q.Not(q.And(q.Eq(x[i].Addr, y[i].Addr), q.Eq(x[i].Value, y[i].Value)))
		differs = q.Or(differs, q.Xor(x[i].Cond, y[i].Cond), q.And(x[i].Cond, y[i].Cond, other))
	}
	return differs
}

// facts returns the assumptions about the variables in conditions of.
func (q *query) facts(of []*term.Term) (all []*term.Term) {
	for axis := range 3 {
		id, size := q.ID(axis), q.Size(axis)
		if n := uint64(q.kernel.ReqdGroupSize[axis]); n > 0 {
			all = append(all, q.Eq(size, q.Const(16, n)))
		}
		all = append(all, q.Ult(q.Zext(16, id), size), q.Ult(size, q.Const(16, uint64(q.GroupSize)+1)))
	}
	all = append(all, q.Not(q.Left))
	for _, s := range q.Split {
		all = append(all, q.Eq(s[0], s[1]))
	}
	has, roots := map[*term.Term]bool{}, slices.Clone(of)
	var walk func(t *term.Term)
	walk = func(t *term.Term) {
		if !has[t] {
			has[t] = true
			for _, a := range t.Args {
				walk(a)
			}
		}
	}
	for len(roots) > 0 {
		for _, t := range roots {
			walk(t)
		}
		roots = roots[:0]
		for _, s := range q.Some { // if one lane has a bit of the mask, some lane has one
			if has[s.Is] && !has[s.Mask] {
				roots = append(roots, s.Mask)
			}
		}
	}
	for _, s := range q.Some {
		if has[s.Is] {
			all = append(all, q.Or(q.Not(s.Mask), s.Is))
		}
	}
	return all
}
