// Touched prints the packages whose files differ from a commit (HEAD unless one is given), and those
// that import them. What imports a package of internal/sim counts as importing what that imports:
// sim finds executors through it.
package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

func main() {
	base := "HEAD"
	if len(os.Args) > 1 {
		base = os.Args[1]
	}
	files := append(lines("git", "diff", "--name-only", base),
		lines("git", "ls-files", "--others", "--exclude-standard")...)
	touched := make(map[string]bool) // folders
	for _, file := range files {
		dir, _, _ := strings.Cut("/"+path.Dir(file)+"/", "/testdata/")
		touched[strings.Trim(dir, "/.")] = true
	}
	const module = "github.com/gcnsim/gcnsim"
	imports := make(map[string][]string) // of a package: what it and its tests import
	for _, line := range lines("go", "list", "-f",
		`{{.ImportPath}}{{range .Imports}} {{.}}{{end}}{{range .TestImports}} {{.}}{{end}}`+
			`{{range .XTestImports}} {{.}}{{end}}`, "./...") {
		fields := strings.Fields(line)
		imports[fields[0]] = fields[1:]
	}
	chosen := make(map[string]bool)
	var add func(pkg string)
	add = func(pkg string) {
		for other, list := range imports {
			if slices.Contains(list, pkg) && !chosen[other] {
				chosen[other] = true
				if strings.HasPrefix(other, module+"/internal/sim/") {
					add(other)
				}
			}
		}
	}
	for pkg := range imports {
		if touched[strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/")] {
			chosen[pkg] = true
			add(pkg)
		}
	}
	chosen[module+"/internal/testkit/house"] = true // what is true of the module as a whole
	for _, pkg := range slices.Sorted(maps.Keys(chosen)) {
		fmt.Println(pkg)
	}
}

// lines returns what a command prints.
func lines(name string, args ...string) []string {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "touched:", name, err)
		os.Exit(1)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
}
