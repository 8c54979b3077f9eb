// Package gcnsim_test holds what is true of the module as a whole.
package gcnsim_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/gcnsim/gcnsim/"

// level orders the packages: imports run downward only. Packages of one level do not
// import one another, but for what beside names.
func level(pkg string) int {
	switch first, _, nested := strings.Cut(pkg, "/"); {
	case pkg == "handbook":
		return -1
	case pkg == "gcn":
		return 0
	case first == "gcn":
		return 1
	case first == "state":
		if nested {
			return 3
		}
		return 2
	case first == "sim":
		if pkg == "sim/codeobj" { // sim reads code objects
			return 4
		}
		if nested {
			return 6
		}
		return 5
	case strings.HasPrefix(pkg, "examples/internal/"):
		return 6
	case pkg == "internal/near":
		return -1
	case pkg == "internal/job":
		return 7
	case first == "cmd", first == "examples":
		return 8
	}
	return 3 // executors
}

// beside are the imports allowed within a level.
var beside = map[string]string{"mtbuf": "mubuf", "sim/trace": "sim/timing"}

// standard reports whether an import path is of the standard library.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func TestImportsRunDownward(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...").Output()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Greater(t, len(lines), 10)
	for _, line := range lines {
		paths := strings.Fields(line)
		pkg, ours := strings.CutPrefix(paths[0], module)
		if !ours {
			continue // this package
		}
		for _, path := range paths[1:] {
			if imported, ours := strings.CutPrefix(path, module); ours {
				down := level(imported) < level(pkg) || beside[pkg] == imported
				assert.True(t, down, "%s imports %s", pkg, imported)
			} else if level(pkg) < level("cmd/gcnsim") && !strings.HasPrefix(pkg, "examples/") {
				allowed := standard(path) || strings.HasPrefix(path, "golang.org/x/sync/") ||
					strings.HasPrefix(pkg, "internal/") && strings.HasPrefix(path, "github.com/stretchr/testify/")
				assert.True(t, allowed, "%s imports %s: library packages take the standard library and golang.org/x/sync", pkg, path)
			}
		}
	}
}
