package gcnsim_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReleasesAreBuiltAlike: goreleaser builds for the hosts of make dist, with the flags of .ci/build.
func TestReleasesAreBuiltAlike(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		return string(text)
	}
	config := read(".goreleaser.yaml")
	hosts := regexp.MustCompile(`\|\| set -- (.*)`).FindStringSubmatch(read(".ci/dist"))
	require.NotNil(t, hosts)
	var targets []string
	for _, m := range regexp.MustCompile(`(?m)^      - ([a-z]+)_([a-z0-9]+)$`).FindAllStringSubmatch(config, -1) {
		targets = append(targets, m[1]+"/"+m[2])
	}
	assert.Equal(t, strings.Fields(hosts[1]), targets)
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
