package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/handbook"
)

// cites are the extensions of files that cite rules.
var cites = []string{".go", ".md", ".txtar", ".golden", ".txt", ".tsv", ".json", ".jsonl"}

// texts returns the files that cite rules, by path, without the handbook and the constants generated from it.
func texts(t *testing.T) map[string]string {
	t.Helper()
	all, err := files()
	require.NoError(t, err)
	return all
}

var files = sync.OnceValues(func() (map[string]string, error) {
	all := make(map[string]string)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains(cites, filepath.Ext(path)) ||
			slices.Contains([]string{"handbook", "internal/tool/rule"}, filepath.ToSlash(filepath.Dir(path))):
			return nil
		}
		b, err := os.ReadFile(path)
		all[filepath.ToSlash(path)] = string(b)
		return err
	})
	return all, err
})

// constant matches a rule's Go constant.
var constant = regexp.MustCompile(`\brule\.([A-Z]{1,3}[0-9]{1,2})\b`)

// quotedID matches a rule's identifier as a string, as in findings and records.
var quotedID = regexp.MustCompile(`"([A-Z]{1,3}[1-9][0-9]?)"`)

// holdsIDs are the packages in which a string that looks like a rule's identifier is one.
var holdsIDs = []string{"sim/check", "internal/sim/record", "sim/spec"}

// isCode reports whether a path is Go code other than a test.
func isCode(path string) bool {
	return strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go")
}

// numbered matches a comment that begins with a section number of some document.
var numbered = regexp.MustCompile(`(?m)// [3-9]\.[0-9]+(:|$)`)

// Comments cite rules instead of sections of documents that readers do not have.
func TestNoSectionsAreCited(t *testing.T) {
	for path, text := range texts(t) {
		if strings.HasSuffix(path, ".go") && path != "internal/testkit/house/citations_test.go" {
			assert.Empty(t, numbered.FindAllString(text, -1), path)
		}
	}
}

// Every cited rule is in the handbook. Every rule of the handbook is cited, or marked as background, which no code
// cites.
func TestCitations(t *testing.T) {
	cited := make(map[string]bool)
	for path, text := range texts(t) {
		forms := []*regexp.Regexp{constant}
		if isCode(path) && slices.Contains(holdsIDs, filepath.ToSlash(filepath.Dir(path))) {
			forms = append(forms, quotedID)
		}
		ids := handbook.Cited(text)
		for _, form := range forms {
			for _, m := range form.FindAllStringSubmatch(text, -1) {
				ids = append(ids, m[1])
			}
		}
		for _, id := range ids {
			r, ok := handbook.Lookup(id)
			assert.True(t, ok, "%s cites rule %s, which the handbook does not have", path, id)
			assert.False(t, r.Background && isCode(path), "%s cites rule %s, which %s.md marks as background", path, id,
				r.Chapter)
			cited[id] = true
		}
	}
	for _, r := range handbook.Rules() {
		assert.True(t, cited[r.ID] || r.Background,
			"rule %s (%s.md) is cited by nothing: cite it or mark it as background", r.ID, r.Chapter)
	}
}

// Texts that no file may contain, because readers cannot follow them: documents outside of the repository, pages of
// CLRX without the word CLRX, and bare identifiers in brackets.
var (
	outside = regexp.MustCompile(`\bspec/|\bseeds?/|(?i:\bseed:? ?(Gcn|RDNA buffer))|// Seed: `)
	page    = regexp.MustCompile(`(CLRX(?:\s|//)+)?\bGcn(Mem|State|Isa|Timings|Operands|Instrs)\w*`)
	bare    = regexp.MustCompile(`//.*\((K[1-9]|A[1-9]|C[1-8]|R[1-9]|F[1-9])\)`)
)

func TestDocumentsAreNamed(t *testing.T) {
	for path, text := range texts(t) {
		if path == "internal/testkit/house/citations_test.go" {
			continue
		}
		// A quick check before the slow regular expression.
		if lower := strings.ToLower(text); strings.Contains(lower, "spec/") || strings.Contains(lower, "seed") {
			assert.Empty(t, outside.FindAllString(text, -1), "%s: cite a rule of the handbook", path)
		}
		if strings.Contains(text, "Gcn") {
			for _, m := range page.FindAllStringSubmatch(text, -1) {
				assert.NotEmpty(t, m[1], "%s: write CLRX %s", path, m[0])
			}
		}
		if strings.HasSuffix(path, ".go") {
			assert.Empty(t, bare.FindAllString(text, -1), "%s: write rule before the identifier", path)
		}
	}
}
