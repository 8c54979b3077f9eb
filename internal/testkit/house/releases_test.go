package house

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReleasesAreBuiltAlike: goreleaser builds with the flags of .ci/build.
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
