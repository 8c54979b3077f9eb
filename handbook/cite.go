package handbook

import (
	"strconv"
	"strings"
	"unicode"
)

// Cited returns the identifiers that text cites, in order. A range such as "rules C5 to C8" yields all of its
// identifiers, which need not exist. Citations have the forms "rule A6", "rules A4, A5 and C1" and "rules A1 to A4".
// Between the words there may be a line break and comment marks.
func Cited(text string) []string {
	words := strings.FieldsFunc(strings.ReplaceAll(text, "//", " "), func(r rune) bool {
		return r == '#' || unicode.IsSpace(r)
	})
	var cited []string
	for len(words) > 1 {
		one, several := endsIn(words[0], "ule"), endsIn(words[0], "ules")
		words = words[1:]
		if !one && !several {
			continue
		}
		last, join := 0, ""
		for at := 0; at < len(words); at++ {
			letters, number, after := leading(words[at])
			if letters == "" {
				break
			}
			n, _ := strconv.Atoi(number) // number has at most two digits
			for i := last + 1; join == "to" && i < n; i++ {
				cited = append(cited, letters+strconv.Itoa(i))
			}
			cited, last, join = append(cited, letters+number), n, ""
			if after == "" && at+1 < len(words) {
				at++
				join = words[at]
			}
			if one || after != "," && join != "and" && join != "or" && join != "to" {
				break
			}
		}
	}
	return cited
}

// endsIn reports whether word ends with "rule" or "rules", capitalized or not, as a word of its own. tail is "rule"
// or "rules" without the first letter.
func endsIn(word, tail string) bool {
	before, ok := strings.CutSuffix(word, tail)
	n := len(before) - 1
	return ok && n >= 0 && (before[n] == 'r' || before[n] == 'R') && (n == 0 || !isWord(before[n-1]))
}

// leading returns the letters and the number of the identifier at the start of word, and the rest of word. letters is
// empty if there is no identifier.
func leading(word string) (letters, number, after string) {
	after = strings.TrimLeft(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	letters = word[:len(word)-len(after)]
	digits := len(after) - len(strings.TrimLeft(after, "0123456789"))
	number, after = after[:digits], after[digits:]
	if len(letters) > 3 || digits == 0 || digits > 2 || after != "" && isWord(after[0]) {
		return "", "", ""
	}
	return letters, number, after
}

// isWord reports whether c is a letter, a digit or an underscore.
func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}
