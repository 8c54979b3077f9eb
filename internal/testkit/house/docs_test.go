package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var quoted = regexp.MustCompile("`([^`\n]+)`")

// Paths in the pages for maintainers exist.
func TestPathsInArchitecture(t *testing.T) {
	page, err := os.ReadFile("docs/ARCHITECTURE.md")
	require.NoError(t, err)
	found := 0
	for _, m := range quoted.FindAllStringSubmatch(string(page), -1) {
		path := m[1]
		if !strings.Contains(path, "/") && !strings.HasSuffix(path, ".go") || strings.ContainsAny(path, " {") ||
			strings.HasPrefix(path, "./") {
			continue
		}
		files, err := filepath.Glob(path)
		require.NoError(t, err)
		assert.NotEmpty(t, files, path)
		found++
	}
	require.Greater(t, found, 20)
}

var qualified = regexp.MustCompile("`\\*?([a-z][a-z0-9]*)\\.([A-Z][A-Za-z0-9]*)")

// Names of Go in documents exist: `sim.Config` must be a name in package sim.
func TestNamesInPages(t *testing.T) {
	sources := make(map[string]*strings.Builder) // source text by package name
	for path, text := range texts(t) {
		if isCode(path) && !strings.HasPrefix(path, "examples/") {
			pkg := filepath.Base(filepath.Dir(path))
			if sources[pkg] == nil {
				sources[pkg] = new(strings.Builder)
			}
			sources[pkg].WriteString(text)
		}
	}
	pages, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	commands, err := filepath.Glob("docs/cli/*.md")
	require.NoError(t, err)
	found := 0
	for _, path := range append(append(pages, commands...), "README.md", "RATIONALE.md") {
		page, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, m := range qualified.FindAllStringSubmatch(string(page), -1) {
			if source := sources[m[1]]; source != nil {
				assert.True(t, regexp.MustCompile(`\b`+m[2]+`\b`).MatchString(source.String()),
					"%s: package %s has no %s", path, m[1], m[2])
				found++
			}
		}
	}
	require.Greater(t, found, 25)
}

// Every package that exports something has an example.
func TestEveryPackageHasAnExample(t *testing.T) {
	list, err := os.ReadFile(filepath.Join("docs", "api.txt"))
	require.NoError(t, err)
	found := 0
	for line := range strings.Lines(string(list)) {
		pkg, names, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || pkg == "all" || names == "0" {
			continue
		}
		tests, err := filepath.Glob(filepath.Join(pkg, "*_test.go"))
		require.NoError(t, err)
		has := false
		for _, file := range tests {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			has = has || strings.Contains(string(text), "\nfunc Example")
		}
		assert.True(t, has, "package %s has no example", pkg)
		found++
	}
	require.Greater(t, found, 20)
}

// docs/ARCHITECTURE.md lists every package in its table of rooms.
func TestArchitectureNamesEveryPackage(t *testing.T) {
	page, err := os.ReadFile("docs/ARCHITECTURE.md")
	require.NoError(t, err)
	for _, layer := range layers {
		for _, pkg := range layer {
			if !strings.HasSuffix(pkg, "*") {
				assert.True(t, strings.Contains(string(page), "`"+pkg+"`"), "docs/ARCHITECTURE.md does not name %s",
					pkg)
			}
		}
	}
}
