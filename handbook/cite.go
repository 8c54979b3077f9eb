package handbook

import (
	"regexp"
	"strconv"
	"strings"
)

// The forms of a citation: "rule A6", "rules A4, A5 and C1", "rules A1 to A4". Between the
// words there may be a line break and the marks of a comment.
var (
	citation = regexp.MustCompile(`\b[Rr]ule` + gap + ident + `\b|\b[Rr]ules` + gap + ident + `\b(?:(?:,|` + gap +
		`and|` + gap + `or|` + gap + `to)` + gap + ident + `\b)*`)
	ids = regexp.MustCompile(`(to` + gap + `)?([A-Z]{1,3})([0-9]{1,2})\b`)
)

const (
	ident = `[A-Z]{1,3}[0-9]{1,2}`
	gap   = `(?:\s|//|#)+`
)

// Cited returns the identifiers that text cites, in order and with all that a range such
// as "rules C5 to C8" spans. They need not exist.
func Cited(text string) []string {
	var cited []string
	for _, c := range citation.FindAllString(text, -1) {
		last := 0
		for _, m := range ids.FindAllStringSubmatch(c, -1) {
			n, _ := strconv.Atoi(m[3]) // two digits
			if first := last + 1; strings.HasPrefix(m[1], "to") {
				for ; first < n; first++ {
					cited = append(cited, m[2]+strconv.Itoa(first))
				}
			}
			cited = append(cited, m[2]+m[3])
			last = n
		}
	}
	return cited
}
