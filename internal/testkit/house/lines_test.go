package house

import (
	"bufio"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// Lines of Go that may have more than 120 characters: a row of a table, or a line with a text that cannot be broken.
var (
	tableRow = regexp.MustCompile(`^\t+("[^"]*":\s*|[\w.()]+:\s*)?\{.*\},?( //.*)?$`)
	longText = regexp.MustCompile("\"(\\\\.|[^\"\\\\]){60,}\"|`[^`]{50,}")
)

// Lines of code, comments and documents have at most 120 characters. Tables, programs and output in documents, and
// lines with addresses of web pages, may be longer.
func TestLinesAreShort(t *testing.T) {
	for path, text := range texts(t) {
		if strings.HasSuffix(path, ".md") {
			for n, line := range prose(text) {
				assert.LessOrEqual(t, utf8.RuneCountInString(line), 120, "%s:%d: %s", path, n, line)
			}
		}
		if !strings.HasSuffix(path, ".go") || strings.HasPrefix(text, "// Code generated") {
			continue
		}
		within := false // inside of a raw string that began on an earlier line
		lines := bufio.NewScanner(strings.NewReader(text))
		for n := 1; lines.Scan(); n++ {
			line := lines.Text()
			inText := within
			if strings.Count(line, "`")%2 == 1 {
				within = !within
			}
			long := utf8.RuneCountInString(line) > 120
			if long && !inText && !within && !tableRow.MatchString(line) && !longText.MatchString(line) &&
				!strings.HasSuffix(path, "example_test.go") {
				assert.Fail(t, "a line has more than 120 characters", "%s:%d: %s", path, n, line)
			}
		}
	}
}

// prose returns the lines of a document that are sentences, by line number.
func prose(text string) map[int]string {
	lines := map[int]string{}
	quoted := false // between fences
	for i, line := range strings.Split(text, "\n") {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		quoted = quoted != fence
		if !quoted && !fence && !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "|") &&
			!strings.Contains(line, "://") && !longText.MatchString(line) {
			lines[i+1] = line
		}
	}
	return lines
}

// hardWords are phrases that make readers search for the noun, with the number of comments and sentences that may
// still contain them. The numbers must only fall.
var hardWords = map[string]int{
	`\b(is|are) what\b`: 1, `\bof which\b`: 1, `\b(is|are) none (of|that)\b`: 0, `\bbut for\b`: 0,
	`(// |\. |: |\| )Of (a|an|the|those|all|several|what|[a-z]+s)\b`: 0,
}

// Comments and documents get no new hard phrases: see CONTRIBUTING.md.
func TestPlainWords(t *testing.T) {
	for pattern, most := range hardWords {
		words := regexp.MustCompile(pattern)
		var met []string
		for path, text := range texts(t) {
			switch {
			case strings.HasPrefix(text, "// Code generated"):
			case strings.HasSuffix(path, ".go"):
				for line := range strings.Lines(text) {
					_, comment, ok := strings.Cut(line, "//")
					if ok && words.MatchString("//"+comment) && !strings.HasPrefix(comment, " Of returns") { // a function Of
						met = append(met, path+": "+strings.TrimSpace(line))
					}
				}
			case strings.HasSuffix(path, ".md"):
				for _, line := range prose(text) {
					if words.MatchString(line) {
						met = append(met, path+": "+line)
					}
				}
			}
		}
		slices.Sort(met)
		assert.LessOrEqual(t, len(met), most, "%s:\n%s", pattern, strings.Join(met, "\n"))
		t.Logf("%s: %d", pattern, len(met))
	}
}
