// Package near finds what a mistyped name may have been meant to be.
package near

import (
	"slices"
	"strings"
)

// Finder keeps, of the names that it is shown, the name that is nearest to a given one.
type Finder struct {
	name  string
	best  string
	limit int // edits that are too many
}

// To returns a finder of names near to name: one typing mistake away, or in names of six characters and more two.
// Two mistakes in one short word are another word, as in v_div_f32 and v_sin_f32. A name that has the given one as one
// of its words, as code_object has object, counts as one mistake away.
func To(name string) *Finder { return &Finder{name: name, limit: 1 + max(1, min(2, len(name)/3))} }

// Try shows one name. If several are as near, the first one is kept.
func (f *Finder) Try(name string) {
	if strings.EqualFold(name, f.name) {
		f.best, f.limit = name, 0
	} else if d := distance(f.name, name, f.limit); d < f.limit && (d < 2 || !haveOtherWord(f.name, name)) {
		f.best, f.limit = name, d
	} else if f.limit > 1 && len(f.name) > 2 && slices.Contains(strings.FieldsFunc(name, isJoint), f.name) {
		f.best, f.limit = name, 1
	}
}

// haveOtherWord says whether a and b have as many words each, and a short one of a is another one in b.
func haveOtherWord(a, b string) bool {
	const short = 6 // letters below which one mistake is the most
	from, to := strings.FieldsFunc(a, isJoint), strings.FieldsFunc(b, isJoint)
	for i := range from {
		if len(from) == len(to) && len(from[i]) < short && distance(from[i], to[i], 2) >= 2 {
			return true
		}
	}
	return false
}

// isJoint says whether r stands between the words of a name.
func isJoint(r rune) bool { return r == '_' || r == '-' }

// Name returns the nearest name, "" if none is near.
func (f *Finder) Name() string { return f.best }

// distance counts insertions, deletions, substitutions and exchanges of neighbours between
// a and b; limit or more are all the same to the caller.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, prev, row = prev, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := prev[j]
			if a[i] != b[j] {
				cost++
			}
			cost = min(cost, prev[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cost = min(cost, before[j-1]+1)
			}
			row[j+1] = cost
		}
	}
	return row[len(b)]
}
