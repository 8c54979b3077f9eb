package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

const fuzzed = `package merged

import "testing"

func classify(b []byte) string {
	switch {
	case len(b) > 2 && b[0] == 'x':
		return "x"
	case len(b) > 0 && b[0] == 'y':
		return "y"
	}
	return ""
}

// FuzzClassify reaches three places.
func FuzzClassify(f *testing.F) {
	f.Add([]byte("seed"))
	f.Fuzz(func(t *testing.T, b []byte) { classify(b) })
}
`

// TestTargetsSayWhatHolds: the comment of each fuzz target starts with its name and describes the tested property.
func TestTargetsSayWhatHolds(t *testing.T) {
	target, said := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(f \*testing\.F\)`), 0
	require.NoError(t, filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range target.FindAllStringSubmatch(string(text), -1) {
			assert.Regexp(t, `\n// `+m[1]+`(:|( \w+)+) .*\n(// .*\n)*func `+m[1]+`\(`, string(text), path)
			said++
		}
		return err
	}))
	require.Greater(t, said, 40)
}

// TestMerge: of several inputs that reach the same code the smallest is kept; inputs that reach no more than the
// seeds are dropped.
func TestMerge(t *testing.T) {
	if !effort.Full() {
		t.Skip("GCNSIM_TESTS=full compiles a module")
	}
	dir := t.TempDir()
	pkg := fmt.Sprintf("example.test/merged%d", os.Getpid())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+pkg+"\n\ngo 1.26\n"), 0o666))
	code, test, _ := strings.Cut(fuzzed, "func FuzzClassify")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "merged.go"),
		[]byte(strings.Replace(code, "import \"testing\"\n", "", 1)), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "merged_test.go"),
		[]byte("package merged\n\nimport \"testing\"\n\nfunc FuzzClassify"+test), 0o666))
	cache, err := output(dir, "go", "env", "GOCACHE")
	require.NoError(t, err)
	folder := filepath.Join(strings.TrimSpace(cache), "fuzz", filepath.FromSlash(pkg), "FuzzClassify")
	require.NoError(t, os.MkdirAll(folder, 0o777))
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(filepath.Dir(folder))) })
	for i, text := range []string{"xaaaa", "xaa", "y", "nothing"} {
		data := fmt.Sprintf("go test fuzz v1\n[]byte(%q)\n", text)
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprint(i)), []byte(data), 0o666))
	}
	require.NoError(t, mergePackage(pkg, dir, 10))
	names, err := filepath.Glob(filepath.Join(dir, "testdata", "fuzz", "FuzzClassify", "*"))
	require.NoError(t, err)
	var kept []string
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		kept = append(kept, strings.Fields(string(data))[4])
	}
	assert.ElementsMatch(t, []string{`[]byte("xaa")`, `[]byte("y")`}, kept)
}
