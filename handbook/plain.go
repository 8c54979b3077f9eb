package handbook

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gcnsim/gcnsim/internal/tool/wrap"
)

// Plain returns the rule as text for a terminal that is width columns wide: its identifier and title, its generations
// and sources, and its text without the marks of Markdown.
func (r Rule) Plain(width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", r.ID, r.Title)
	sources := "none"
	if r.Sources != nil {
		sources = strings.Join(r.Sources, "; ")
	}
	for _, line := range wrap.Lines(fmt.Sprintf("%s. Sources: %s. Sure: %s. Chapter: %s.", r.Gens, sources, r.Sure,
		r.Chapter), width) {
		b.WriteString(line + "\n")
	}
	for block := range strings.SplitSeq(r.Text, "\n\n") {
		lines := strings.Split(block, "\n")
		switch {
		case strings.HasPrefix(block, "!["):
			continue // skip a picture
		case strings.HasPrefix(block, "|"):
			lines = table(lines, width)
		case !strings.HasPrefix(block, "    "):
			lines = paragraph(lines, width)
		}
		b.WriteString("\n")
		for _, line := range lines {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return b.String()
}

// item returns the length of the number at the start of an entry in a numbered list, such as "12. "; 0 if line is not
// an entry.
func item(line string) int {
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits == 0 || !strings.HasPrefix(line[digits:], ". ") {
		return 0
	}
	return digits + len(". ")
}

// paragraph wraps lines. Each item of a list is wrapped by itself.
func paragraph(lines []string, width int) []string {
	var out []string
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && item(lines[to]) == 0 {
			to++
		}
		indent := strings.Repeat(" ", item(lines[from]))
		for i, line := range wrap.Lines(unmarked(strings.Join(lines[from:to], " ")), width-len(indent)) {
			if i > 0 {
				line = indent + line
			}
			out = append(out, line)
		}
		from = to
	}
	return out
}

// unmarked removes the Markdown marks of code and emphasis.
func unmarked(s string) string {
	var b strings.Builder
	for i, part := range strings.Split(s, "`") {
		if i%2 == 0 {
			part = unemphasized(part)
		}
		b.WriteString(part)
	}
	return b.String()
}

// unemphasized removes the asterisks around text that neither starts nor ends with a space.
func unemphasized(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "*")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		marks := "*"
		if strings.HasPrefix(rest, "*") {
			marks = "**"
		}
		rest = rest[len(marks)-1:]
		text, after, closed := strings.Cut(rest, "*")
		if !closed || text == "" || strings.TrimSpace(text) != text {
			b.WriteString(marks)
			s = rest
			continue
		}
		b.WriteString(text)
		s = strings.TrimPrefix(after, "*")
	}
}

// minColumn is the smallest width to which a column of a table is reduced.
const minColumn = 16

// table formats a table in columns with two spaces between them. If it is wider than width, the text of its widest
// columns is wrapped.
func table(lines []string, width int) []string {
	var rows [][]string
	var widths []int
	for i, line := range lines {
		if i == 1 {
			continue // skip the line of dashes
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for c := range cells {
			cells[c] = unmarked(strings.TrimSpace(cells[c]))
			if c == len(widths) {
				widths = append(widths, 0)
			}
			widths[c] = max(widths[c], utf8.RuneCountInString(cells[c]))
		}
		rows = append(rows, cells)
	}
	for total := sum(widths) + 2*(len(widths)-1); total > width; total-- {
		widest := 0
		for c := range widths {
			if widths[c] > widths[widest] {
				widest = c
			}
		}
		if widths[widest] <= minColumn {
			break
		}
		widths[widest]--
	}
	var out []string
	for _, cells := range rows {
		wrapped, height := make([][]string, len(cells)), 0
		for c := range cells {
			wrapped[c] = wrap.Lines(cells[c], widths[c])
			height = max(height, len(wrapped[c]))
		}
		for i := range height {
			var b strings.Builder
			for c := range cells {
				text := ""
				if i < len(wrapped[c]) {
					text = wrapped[c][i]
				}
				fmt.Fprintf(&b, "%-*s  ", widths[c], text)
			}
			out = append(out, strings.TrimRight(b.String(), " "))
		}
	}
	return out
}

func sum(s []int) (n int) {
	for _, v := range s {
		n += v
	}
	return n
}
