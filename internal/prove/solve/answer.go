// Package solve asks whether conditions can hold together: a SAT solver decides them bit by bit. Functions that are
// known by their operands alone become variables that are equal where their operands are. The same question can be
// written as SMT-LIB text for another solver.
package solve

import (
	"slices"

	"github.com/gcnsim/gcnsim/internal/prove/term"
)

// Answer is the answer of a solver.
type Answer int8

// The answers.
const (
	Unknown Answer = 0 // the time was over
	Sat     Answer = 1
	Unsat   Answer = -1
)

// Functions returns the functions that conditions have, each once, operands before what has them.
func Functions(conditions []*term.Term) []*term.Term {
	return slices.DeleteFunc(terms(conditions), func(t *term.Term) bool { return t.Op != term.Fn })
}

// terms returns the terms that conditions have, each once, operands before what has them.
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
