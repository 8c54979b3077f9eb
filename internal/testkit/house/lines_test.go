package house

import (
	"bufio"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// What a line of Go may be that is longer than 120 characters: a row of a table, or one that has a text
// which cannot be broken.
var (
	tableRow = regexp.MustCompile(`^\t+("[^"]*":\s*|[\w.()]+:\s*)?\{.*\},?( //.*)?$`)
	longText = regexp.MustCompile("\"(\\\\.|[^\"\\\\]){60,}\"|`[^`]{50,}")
)

// Lines of code, of comments and of documents have at most 120 characters. What documents quote (tables, programs,
// output) and addresses of pages are as long as they are.
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
		within := false // a text in backquotes that began on an earlier line
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

// prose returns the lines of a document that are sentences, by their number.
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
