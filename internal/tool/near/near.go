// Package near finds the known name that is most similar to a mistyped one.
package near

import (
	"slices"
	"strings"
)

// Finder finds the nearest of the names that are passed to Try.
type Finder struct {
	name  string
	best  string
	limit int // number of typing mistakes that is too large
}

// To returns a finder for names that differ from name by one typing mistake, or by two if name has six or more
// characters. Two mistakes within one short word are not accepted, because they make another word, as in v_div_f32
// and v_sin_f32. A name that contains name as one of its words, such as code_object for object, counts as one
// mistake.
func To(name string) *Finder { return &Finder{name: name, limit: 1 + max(1, min(2, len(name)/3))} }

// Try considers one name. The first of several equally near names is kept.
func (f *Finder) Try(name string) {
	if strings.EqualFold(name, f.name) {
		f.best, f.limit = name, 0
	} else if d := distance(f.name, name, f.limit); d < f.limit && (d < 2 || !haveOtherWord(f.name, name)) {
		f.best, f.limit = name, d
	} else if f.limit > 1 && len(f.name) > 2 && slices.Contains(strings.FieldsFunc(name, isJoint), f.name) {
		f.best, f.limit = name, 1
	}
}

// haveOtherWord reports whether a and b have the same number of words, and a short word differs by more than one
// mistake.
func haveOtherWord(a, b string) bool {
	const short = 6 // below this length a word may have only one mistake
	from, to := strings.FieldsFunc(a, isJoint), strings.FieldsFunc(b, isJoint)
	for i := range from {
		if len(from) == len(to) && len(from[i]) < short && distance(from[i], to[i], 2) >= 2 {
			return true
		}
	}
	return false
}

// isJoint reports whether r separates words in a name.
func isJoint(r rune) bool { return r == '_' || r == '-' }

// Name returns the nearest name, or "" if none is near.
func (f *Finder) Name() string { return f.best }

// distance counts insertions, deletions, substitutions and transpositions of neighbours. The result is not exact if
// it is limit or more.
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
