package house

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)|<a href="([^"]+)"`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```")
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
)

// TestLinksInPages: the targets of links within the module exist: files, and headings of pages. Other links are not
// checked.
func TestLinksInPages(t *testing.T) {
	pages := markdown(t)
	found := 0
	for file, text := range pages {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			to := m[1] + m[2]
			if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				continue
			}
			found++
			name, anchor, hasAnchor := strings.Cut(to, "#")
			target := file
			if name != "" {
				target = path.Join(path.Dir(file), name)
			}
			_, err := os.Stat(filepath.FromSlash(target))
			assert.NoError(t, err, "%s links to %s", file, to)
			if err != nil || !hasAnchor {
				continue
			}
			assert.Contains(t, anchors(pages[target]), anchor, "%s links to %s", file, to)
		}
	}
	require.Greater(t, found, 60)
}

// TestIndexOfPages: docs/README.md links to each page of docs.
func TestIndexOfPages(t *testing.T) {
	pages := markdown(t)
	for file := range pages {
		if name, ok := strings.CutPrefix(file, "docs/"); ok && name != "README.md" && !strings.Contains(name, "/") {
			assert.Contains(t, pages["docs/README.md"], "("+name+")")
		}
	}
}

// markdown returns the text of each page of the module by path, without fenced code.
func markdown(t *testing.T) map[string]string {
	pages := make(map[string]string)
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "bin"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(file) != ".md":
			return nil
		}
		text, err := os.ReadFile(file)
		pages[filepath.ToSlash(file)] = fenced.ReplaceAllString(string(text), "")
		return err
	})
	require.NoError(t, err)
	return pages
}

// anchors returns the link names of a page's headings: letters and digits in lower case, a hyphen for a space.
func anchors(page string) (list []string) {
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		list = append(list, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1]))
	}
	return list
}
