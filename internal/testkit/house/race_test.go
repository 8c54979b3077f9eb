package house

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// make race tests all packages whose goroutines share data.
func TestRaceCoversWhatIsShared(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	require.NoError(t, err)
	line := regexp.MustCompile(`go test -race ((?:.*\\\n)*.*)`).FindSubmatch(makefile)
	require.NotNil(t, line)
	covered := func(pkg string) bool {
		for pattern := range strings.FieldsSeq(string(line[1])) {
			pattern, below := strings.CutSuffix(strings.TrimPrefix(pattern, "./"), "/...")
			if pkg == pattern || below && strings.HasPrefix(pkg, pattern+"/") {
				return true
			}
		}
		return false
	}
	sharing, shared := regexp.MustCompile(`^(sync|sync/atomic|golang\.org/x/sync/.*)$`), 0
	for _, p := range listed(t).own {
		pkg, ours := strings.CutPrefix(p.ImportPath, module)
		if ours && slices.ContainsFunc(p.Imports, sharing.MatchString) {
			assert.True(t, covered(pkg), "%s shares something between goroutines: add it to make race", pkg)
			shared++
		}
	}
	require.Greater(t, shared, 10)
}
