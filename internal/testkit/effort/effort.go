// Package effort says how much of a long test a run does: nothing with go test -short, else a sample, or all of it if
// the environment has GCNSIM_TESTS=full, as make full sets it.
package effort

import (
	"os"
	"testing"

	"github.com/gcnsim/gcnsim/internal/testkit/golden"
)

// sample is how many cases stand for one that a sample tries: a prime, so that a list that repeats
// itself is sampled evenly.
const sample = 7

// Full reports whether tests try all of their cases: those that write golden files anew do so, too.
func Full() bool { return os.Getenv("GCNSIM_TESTS") == "full" || golden.Rewriting() }

// Rounds returns how many of n random cases a test tries: n, or a seventh of n and at least one.
func Rounds(n int) int {
	if Full() {
		return n
	}
	return max(n/sample, min(n, 1))
}

// LeavesOut reports whether a test does without the i-th of its cases: a sample has one of seven.
func LeavesOut(i int) bool { return !Full() && i%sample != 0 }

// Long skips a test under go test -short. A test calls it that starts other programs, or takes more than some tenths
// of a second.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes long: go test without -short runs it")
	}
}
