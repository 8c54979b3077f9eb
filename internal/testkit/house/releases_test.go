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

// TestReleasesAreBuiltAlike: goreleaser uses the flags of .ci/build.
func TestReleasesAreBuiltAlike(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		return string(text)
	}
	config := read(".goreleaser.yaml")
	build := read(".ci/build")
	list := func(key string) []string {
		m := regexp.MustCompile(`(?m)^    ` + key + `: \[(.*)\]$`).FindStringSubmatch(config)
		require.NotNil(t, m, key)
		return strings.Split(m[1], ", ")
	}
	for _, variable := range list("env") {
		assert.Contains(t, build, variable+" ")
	}
	for _, flag := range list("flags") {
		assert.Contains(t, build, " "+flag+" ")
	}
	assert.Contains(t, build, "-ldflags='"+list("ldflags")[0]+"'")
}

// TestActionsArePinned: workflows name actions by commit hash, so that nobody can replace them, with the version as a
// comment. dependabot updates them.
func TestActionsArePinned(t *testing.T) {
	files, err := filepath.Glob(".github/workflows/*.yml")
	require.NoError(t, err)
	uses, pinned := regexp.MustCompile(`uses: .*`), regexp.MustCompile(`^uses: [\w/-]+@[0-9a-f]{40} # v[\d.]+$`)
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, use := range uses.FindAllString(string(text), -1) {
			assert.Regexp(t, pinned, use, file)
			found++
		}
	}
	require.Greater(t, found, 10)
}
