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

// promises returns what docs/VERSIONS.md promises of each package: "stable" or "not yet".
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

// TestVersionsNameEveryPackage: docs/VERSIONS.md says of each public package whether it is stable, and
// names no other.
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

// TestStableShowsStable: users of a stable package meet no type of one that is not.
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
