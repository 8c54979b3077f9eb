// Package wrap breaks text into lines.
package wrap

import (
	"strings"
	"unicode/utf8"
)

// Lines breaks text into lines of at most width columns where words allow it.
func Lines(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
