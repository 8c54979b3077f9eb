// Package gcnsim_test holds what is true of the module as a whole.
package gcnsim_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/gcnsim/gcnsim/"

// layers orders the packages: imports run downward only. Packages of one layer do not
// import one another, but for what beside names. A pattern that ends in * stands for what
// begins so; the longest that matches counts.
var layers = [][]string{
	{"cmd/gcnsim/interrupt", "handbook", "internal/builtins", "internal/contexts", "internal/crash", "internal/effort", "internal/enum", "internal/golden", "internal/half", "internal/literal", "internal/near", "internal/plural", "internal/pngfile", "internal/ranges", "internal/rule", "internal/simd"},
	{"gcn"},
	{"gcn/chip", "internal/abi"},
	{"gcn/*", "device/pm4"},
	{"state"},
	{"state/*"},
	{"internal/unit"},
	{"alu", "flat", "lds", "mimg", "mtbuf", "mubuf", "r600", "smem", "internal/elftest", "internal/imgtest", "internal/insttest", "internal/memtest", "internal/guesttest", "internal/files", "internal/disasm"},
	{"internal/bind", "internal/reach"},
	{"sim/codeobj", "internal/svg"}, // sim reads code objects
	{"sim"},
	{"sim/*", "examples/internal/*", "internal/svgtest"},
	{"internal/listing", "internal/boards"},
	{"internal/job", "device"},
	{"page/lessons"},
	{"page/internal/engine"},
	{"page"},
	{"internal/show", "device/*"},
	{"internal/gpu", "internal/suite"},
	{"internal/boards/run"},
	{"internal/cli"},
	{"internal/sweep"},
	{"internal/s3"},
	{"cmd/*", "internal/simd/gen", "internal/boards/measure", "examples", "examples/*", "page/build", "page/wasm"},
}

// level returns the layer of a package, -1 if none names it.
func level(pkg string) int {
	best, length := -1, -1
	for i, layer := range layers {
		for _, pattern := range layer {
			prefix, more := strings.CutSuffix(pattern, "*")
			if (pattern == pkg || more && strings.HasPrefix(pkg, prefix)) && len(pattern) > length {
				best, length = i, len(pattern)
			}
		}
	}
	return best
}

// beside are the imports allowed within a level.
var beside = map[string][]string{"mtbuf": {"mubuf"}, "sim/trace": {"sim/timing", "sim/check"}, "sim/gcntest": {"sim/check"}, "sim/spec": {"sim/check", "sim/compare", "sim/texture", "sim/timing"}, "sim/record": {"sim/timing", "sim/check", "sim/texture"}}

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
		assert.NotEqual(t, -1, level(pkg), "no layer names %s", pkg)
		for _, path := range paths[1:] {
			if imported, ours := strings.CutPrefix(path, module); ours {
				down := level(imported) < level(pkg) || slices.Contains(beside[pkg], imported)
				assert.True(t, down, "%s imports %s", pkg, imported)
			} else if level(pkg) < level("cmd/gcnsim") && !strings.HasPrefix(pkg, "examples/") {
				allowed := standard(path) || strings.HasPrefix(path, "golang.org/x/sync/") || strings.HasPrefix(path, "golang.org/x/sys/") ||
					strings.HasPrefix(pkg, "internal/") && strings.HasPrefix(path, "github.com/stretchr/testify/") ||
					pkg == "internal/cli" && strings.HasPrefix(path, "github.com/spf13/") ||
					pkg == "internal/s3" && strings.HasPrefix(path, "github.com/minio/minio-go/")
				assert.True(t, allowed, "%s imports %s: library packages take the standard library, golang.org/x/sync and golang.org/x/sys", pkg, path)
			}
		}
	}
}
