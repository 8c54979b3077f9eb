// Package solve decides whether conditions can hold together. It converts them to bits for a SAT solver. Functions that
// are unknown become variables, which are equal if the operands are equal. The package can also write the question as
// SMT-LIB text for another solver.
package solve

import (
	"slices"

	"github.com/gcnsim/gcnsim/internal/prove/term"
)

// Answer is the answer of a solver.
type Answer int8

// Answers.
const (
	Unknown Answer = 0 // a limit was exceeded
	Sat     Answer = 1
	Unsat   Answer = -1
)

// Functions returns all function applications in conditions, each once and after its operands.
func Functions(conditions []*term.Term) []*term.Term {
	return slices.DeleteFunc(terms(conditions), func(t *term.Term) bool { return t.Op != term.Fn })
}

// terms returns all terms in conditions, each once and after its operands.
func terms(conditions []*term.Term) (all []*term.Term) {
	seen := map[*term.Term]bool{}
	var walk func(t *term.Term)
	walk = func(t *term.Term) {
		if !seen[t] {
			seen[t] = true
			for _, a := range t.Args {
				walk(a)
			}
			all = append(all, t)
		}
	}
	for _, c := range conditions {
		walk(c)
	}
	return all
}
