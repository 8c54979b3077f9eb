// Package effort says how much of a long test a run does: all of it or, in short mode, a
// sample.
package effort

import "testing"

// sample is how many cases stand for one that short mode tries: a prime, so that a list
// that repeats itself is sampled evenly.
const sample = 7

// Rounds returns how many of n random cases a test tries: all of them; in short mode an
// seventh, and at least one.
func Rounds(n int) int {
	if testing.Short() {
		return max(n/sample, min(n, 1))
	}
	return n
}

// LeavesOut reports whether a test does without the i-th of its cases: in short mode it
// tries one of seven.
func LeavesOut(i int) bool { return testing.Short() && i%sample != 0 }
