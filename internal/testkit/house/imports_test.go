package house

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const module = "github.com/gcnsim/gcnsim/"

// layers orders the packages: a package may only import packages on lines above its own. Packages on the same line
// must not import one another, unless beside allows it. A pattern that ends in * matches every package whose path
// starts with it; the longest matching pattern counts.
var layers = [][]string{
	{"handbook", "internal/tool/*", "internal/base/*", "cmd/gcnsim/interrupt"},
	{"internal/isa"},
	{"gcn"},
	{"internal/isa/chip", "internal/tool/abi"},
	{"internal/isa/asm", "internal/isa/format", "internal/packet/*"},
	{"gcn/*"},
	{"state*"},
	{"internal/base/block"},
	{"internal/base/executor", "internal/draw/touched"},
	{"alu", "flat", "internal/r600", "lds", "mimg", "mtbuf", "mubuf", "smem", "internal/testkit/*"},
	{"sim/codeobj", "internal/sim/*"}, // sim reads code objects
	{"sim"},
	{"sim/check/internal/*"}, // packages of the checker
	{"sim/*", "internal/explain", "internal/sim/compare", "internal/sim/record",
		"internal/sim/timing", "internal/sim/trace"},
	{"internal/prove*"},
	{"internal/draw", "internal/device*", "internal/verdict"},
	{"sim/gcntest"},
	{"page*"},
	{"cmd/internal/*"},
	{"cmd/*", "examples*", "internal/base/simd/gen", "page/wasm", "cmd/internal/boards/measure"},
}

// wing returns the line and the pattern in layers that match a package, or -1.
func wing(pkg string) (line int, pattern string) {
	line = -1
	for i, layer := range layers {
		for _, p := range layer {
			prefix, more := strings.CutSuffix(p, "*")
			if (p == pkg || more && strings.HasPrefix(pkg, prefix)) && len(p) > len(pattern) {
				line, pattern = i, p
			}
		}
	}
	return line, pattern
}

// beside has, for a package or a pattern, the packages on the same line that it may import.
var beside = map[string][]string{
	"handbook":             {"internal/tool/*"},
	"mtbuf":                {"mubuf"},
	"state*":               {"state*"},
	"sim/codeobj":          {"internal/sim/codeobj"},
	"internal/sim/codeobj": {"internal/sim/hidden"},
	"sim/explain":          {"internal/explain"},
	"internal/sim/trace":   {"internal/sim/timing", "sim/check"},
	"sim/compare":          {"internal/sim/compare"},
	"sim/spec":             {"sim/check", "internal/sim/compare", "sim/texture", "internal/sim/timing"},
	"sim/timing":           {"internal/sim/timing"},
	"sim/trace":            {"internal/sim/trace"},
	"sim/record":           {"internal/sim/record"},
	"internal/sim/record":  {"internal/explain", "internal/sim/timing", "sim/check", "sim/texture"},
	"internal/tool/*":      {"internal/tool/*"},
	"internal/testkit/*":   {"internal/testkit/*"},
	"internal/device*":     {"internal/device*"},
	"page*":                {"page*"},
	"internal/prove*":      {"internal/prove*"},
	"cmd/internal/*":       {"cmd/internal/*"},
	"examples*":            {"examples*"},
}

// mayImport reports whether layers and beside allow pkg to import another package of this module.
func mayImport(pkg, imported string) bool {
	from, wingOfPkg := wing(pkg)
	to, wingOfImported := wing(imported)
	return to < from || to == from && (slices.Contains(beside[pkg], imported) ||
		slices.Contains(beside[wingOfPkg], wingOfImported))
}

// standard reports whether an import path belongs to the standard library.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func TestImportsRunDownward(t *testing.T) {
	for _, p := range listed(t).own {
		pkg, ours := strings.CutPrefix(p.ImportPath, module)
		if !ours {
			continue // this package itself
		}
		line, _ := wing(pkg)
		assert.NotEqual(t, -1, line, "no layer names %s", pkg)
		for _, path := range p.Imports {
			if imported, ours := strings.CutPrefix(path, module); ours {
				assert.True(t, mayImport(pkg, imported), "%s imports %s", pkg, imported)
			} else if line < len(layers)-1 {
				allowed := standard(path) && (path != "encoding/json" || pkg == "sim/spec") ||
					strings.HasPrefix(path, "golang.org/x/sync/") ||
					strings.HasPrefix(path, "golang.org/x/sys/") ||
					strings.HasPrefix(pkg, "internal/testkit/") &&
						strings.HasPrefix(path, "github.com/stretchr/testify/") ||
					pkg == "internal/prove/solve" && strings.HasPrefix(path, "github.com/go-air/gini") ||
					pkg == "internal/tool/demangle" && path == "github.com/ianlancetaylor/demangle" ||
					strings.HasPrefix(path, "github.com/go-json-experiment/json") ||
					pkg == "cmd/internal/cli" && strings.HasPrefix(path, "github.com/spf13/") ||
					pkg == "cmd/internal/debug" && path == "github.com/google/go-dap" ||
					pkg == "cmd/internal/raster" && strings.HasPrefix(path, "golang.org/x/image/")
				assert.True(t, allowed, "%s imports %s: library packages take the standard library, golang.org/x/sync and "+
					"golang.org/x/sys; for JSON github.com/go-json-experiment/json, so that one decoder is linked, and sim/spec, "+
					"whose users know it, the type RawMessage of encoding/json", pkg, path)
			}
		}
	}
}
