package house

import (
	"go/types"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

var promise = regexp.MustCompile("(?m)^\\| `([a-z0-9/]+)` \\| (stable|not yet) \\|")

// promises returns the stability of each package in docs/VERSIONS.md: "stable" or "not yet".
func promises(t *testing.T) map[string]string {
	page, err := os.ReadFile("docs/VERSIONS.md")
	require.NoError(t, err)
	made := make(map[string]string)
	for _, m := range promise.FindAllStringSubmatch(string(page), -1) {
		assert.NotContains(t, made, m[1], "twice")
		made[m[1]] = m[2]
	}
	return made
}

// TestVersionsNameEveryPackage: docs/VERSIONS.md lists exactly the public packages, with their stability.
func TestVersionsNameEveryPackage(t *testing.T) {
	effort.Long(t)
	var named, there []string
	for path := range promises(t) {
		named = append(named, path)
	}
	for _, pkg := range publicPackages(t) {
		there = append(there, strings.TrimPrefix(pkg.Path(), module))
	}
	slices.Sort(named)
	assert.Equal(t, there, named)
}

// TestStableShowsStable: the API of a stable package contains no type of an unstable one.
func TestStableShowsStable(t *testing.T) {
	effort.Long(t)
	made := promises(t)
	var stable []*types.Package
	for _, pkg := range publicPackages(t) {
		if made[strings.TrimPrefix(pkg.Path(), module)] == "stable" {
			stable = append(stable, pkg)
		}
	}
	assert.Empty(t, meet(stable, func(path string) bool {
		return made[strings.TrimPrefix(path, module)] == "not yet"
	}))
}
