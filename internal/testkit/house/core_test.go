package house

import (
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// core lists the folders of the core and of the packages below it: see docs/ARCHITECTURE.md. A path without a slash
// at its end is a single package without its subfolders.
var core = []string{
	"handbook/", "internal/isa/", "gcn/", "state/", "internal/base/", "internal/tool/",
	"alu/", "flat/", "lds/", "mimg/", "mtbuf/", "mubuf/", "smem/",
	"sim", "sim/codeobj/", "internal/sim/codeobj/", "internal/sim/disasm/", "internal/sim/executors/",
	"internal/sim/hidden/", "internal/sim/registers/", "internal/sim/steps/", "internal/sim/unseen/",
}

// inCore reports whether a file belongs to the core.
func inCore(file string) bool {
	return slices.ContainsFunc(core, func(folder string) bool {
		return strings.HasPrefix(file, folder) && strings.HasSuffix(folder, "/") ||
			filepath.ToSlash(filepath.Dir(file)) == folder
	})
}

// TestCoreStandsAlone builds the core as if no other file of the module existed.
func TestCoreStandsAlone(t *testing.T) {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	kept := 0
	for _, file := range sources(t) {
		if inCore(file) {
			kept++
			continue
		}
		abs, err := filepath.Abs(file)
		require.NoError(t, err)
		overlay.Replace[abs] = "" // for go build the file does not exist
	}
	require.Greater(t, kept, 200)
	require.Greater(t, len(overlay.Replace), 300)
	name := filepath.Join(t.TempDir(), "overlay.json")
	text, err := json.Marshal(overlay)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, text, 0o600))
	out, err := exec.Command("go", "build", "-overlay", name, "./sim", "./internal/sim/executors", "./sim/codeobj/...",
		"./handbook/...", "./internal/isa/...", "./gcn/...", "./state/...", "./internal/base/executor", "./alu/...",
		"./flat/...", "./lds/...", "./mimg/...", "./mtbuf/...",
		"./mubuf/...", "./smem/...").CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.Command("go", "build", "-overlay", name, "./sim/check").CombinedOutput()
	require.Error(t, err, "the overlay hides nothing: %s", out)
}

// guests matches the names of packages that depend on the core.
var guests = regexp.MustCompile(`\b(sim/(check|timing|compare|spec|explain|trace|record|texture|gcntest)|package ` +
	`(check|timing|compare|trace|record)|internal/device|cmd/)\b`)

// TestCoreNamesNoGuest: no file of the core mentions a package that depends on it.
func TestCoreNamesNoGuest(t *testing.T) {
	for _, file := range sources(t) {
		if !inCore(file) {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Empty(t, guests.FindString(string(text)), file)
	}
}

// sources returns the hand-written Go files of the module, without tests.
func sources(t *testing.T) (files []string) {
	return slices.DeleteFunc(goFiles(t), isTest)
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// goFiles returns the Go files of the module.
func goFiles(t *testing.T) (files []string) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (d.Name() == "testdata" || d.Name() == "node_modules" ||
			strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !d.IsDir() && filepath.Ext(path) == ".go":
			files = append(files, filepath.ToSlash(path))
		}
		return nil
	})
	require.NoError(t, err)
	return files
}

// wingRow matches a row in the table of wings: folders and thousands of lines.
var wingRow = regexp.MustCompile("(?m)^\\| (`[^|]+`) \\| ([0-9.]+) \\|")

// TestWingsInArchitecture compares the number of lines of each wing with the table in docs/ARCHITECTURE.md. An error
// of a tenth or of 200 lines is allowed. Each file is in one wing.
func TestWingsInArchitecture(t *testing.T) {
	page, err := os.ReadFile("docs/ARCHITECTURE.md")
	require.NoError(t, err)
	wings := make(map[string]int) // the row of each folder
	var says, counted []float64
	for i, row := range wingRow.FindAllStringSubmatch(string(page), -1) {
		for _, folder := range quoted.FindAllStringSubmatch(row[1], -1) {
			wings[folder[1]] = i
		}
		n, err := strconv.ParseFloat(row[2], 64)
		require.NoError(t, err)
		says = append(says, n)
	}
	require.Greater(t, len(says), 10)
	counted = make([]float64, len(says))
	for _, file := range sources(t) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.Contains(string(text), "DO NOT EDIT") {
			continue
		}
		best, length := -1, 0
		for folder, i := range wings {
			prefix, below := strings.CutSuffix(folder, "*")
			inside := strings.HasPrefix(file, strings.TrimSuffix(prefix, "/")+"/") &&
				(!below || strings.Count(file, "/") > 1)
			if inside && len(folder) > length {
				best, length = i, len(folder)
			}
		}
		if assert.NotEqual(t, -1, best, "no wing has %s", file) {
			counted[best] += float64(strings.Count(string(text), "\n")) / 1000
		}
	}
	for folder, i := range wings {
		assert.LessOrEqual(t, math.Abs(counted[i]-says[i]), max(says[i]/10, 0.2), "%s has %.1f thousand lines", folder,
			counted[i])
	}
}

// rentRow matches a row in the table of rooms and rent: folders, thousands of lines without tests, and of tests.
var rentRow = regexp.MustCompile("(?m)^\\| (`[^|]+`) \\|[^|]+\\|[^|]+\\| ([0-9.]+) \\| ([0-9.]+) \\|$")

// TestRentInArchitecture compares the number of lines of each room and of its tests with the table in
// docs/ARCHITECTURE.md. An error of a tenth or of 200 lines is allowed.
func TestRentInArchitecture(t *testing.T) {
	page, err := os.ReadFile("docs/ARCHITECTURE.md")
	require.NoError(t, err)
	all := goFiles(t)
	rows := rentRow.FindAllStringSubmatch(string(page), -1)
	require.Greater(t, len(rows), 15)
	for _, row := range rows {
		var counted [2]float64 // lines without tests, and of tests
		for _, folder := range quoted.FindAllStringSubmatch(row[1], -1) {
			for _, file := range all {
				if !strings.HasPrefix(file, folder[1]+"/") {
					continue
				}
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				if strings.Contains(string(text), "DO NOT EDIT") {
					continue
				}
				of := 0
				if isTest(file) {
					of = 1
				}
				counted[of] += float64(strings.Count(string(text), "\n")) / 1000
			}
		}
		for of, n := range counted {
			says, err := strconv.ParseFloat(row[2+of], 64)
			require.NoError(t, err)
			assert.LessOrEqual(t, math.Abs(n-says), max(says/10, 0.2), "%s has %.1f thousand lines", row[1], n)
		}
	}
}
