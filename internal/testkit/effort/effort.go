// Package effort decides which part of a long test is executed: nothing with go test -short, all of it with the
// environment variable GCNSIM_TESTS=full, as in make full, and otherwise a sample.
package effort

import (
	"os"
	"testing"

	"github.com/gcnsim/gcnsim/internal/testkit/golden"
)

// sample is the number of cases for each case in a sample. It is a prime, so that a periodic list of cases is sampled
// evenly.
const sample = 7

// Full reports whether tests execute all of their cases. They also do so when they write golden files.
func Full() bool { return os.Getenv("GCNSIM_TESTS") == "full" || golden.Rewriting() }

// Rounds returns how many of n random cases a test executes: all, or a seventh and at least one.
func Rounds(n int) int {
	if Full() {
		return n
	}
	return max(n/sample, min(n, 1))
}

// LeavesOut reports whether a test skips its i-th case. A sample has one of seven cases.
func LeavesOut(i int) bool { return !Full() && i%sample != 0 }

// Long skips a test under go test -short. Tests call it that start other programs, or that take more than some tenths
// of a second.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes long: go test without -short runs it")
	}
}
