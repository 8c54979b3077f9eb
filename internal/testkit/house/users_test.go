package house

import (
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exempt are public names that no page shows, with the reason why they are public.
var exempt = map[string]string{
	"the checker and the time model, through which code executes unseen": "sim.Config.Watchers state.Wave.Privileged " +
		"state.Wave.Temp",
	"the device, and executors of image instructions": "sim.Machine.Compute " +
		"tile.Layout.Plan tile.Plan.Square",
	"page/build, a module of its own":                                           "page.Files",
	"explanations and times of buffers, in mubuf for the one plan of addresses": "mubuf.Layout mubuf.LayoutOf",
	"commands, sweeps and the page, which show what a specification and its checks found": "check.Checker.NoInit " +
		"check.Checker.Parts check.Checker.Paths check.Checker.Setting check.Site.Executor " +
		"spec.Chip spec.Decimal spec.DefaultGroup spec.Dispatch.IsRandom spec.Dispatch.Schedules " +
		"spec.Failed spec.FailedReply spec.IsSpec spec.ParseArg spec.ParseRules spec.RaisedBy " +
		"spec.Random.Fill spec.Reply.Executed spec.Reply.Took spec.Reply.Untimed spec.Save spec.SaveDriver spec.Sensitivity.Most",
}

// standardMethods are methods that the standard library calls, and methods of a [sim.Watcher], which the simulator
// calls.
var standardMethods = strings.Fields("Error Is String Unwrap MarshalJSON MarshalText UnmarshalJSON UnmarshalJSONFrom " +
	"UnmarshalText Begin Issue Needs Retire Start Unseen")

// use matches a name of a package, a member of a type, or a key of a struct literal.
var use = regexp.MustCompile(`(\w*)\.([A-Z]\w*)|\b([A-Z]\w*):`)

// uses returns the names that Examples, example programs and pages of docs use: "sim.New" for functions, ".Watch" for
// members.
func uses(t *testing.T) map[string]bool {
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/cli/*.md", "examples/*/*.go", "examples/*/*.md",
		"*/example_test.go", "*/*/example_test.go"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.Greater(t, len(files), 40)
	used := map[string]bool{}
	for _, file := range files {
		if file == "CHANGELOG.md" || strings.HasPrefix(file, "internal") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range use.FindAllStringSubmatch(string(text), -1) {
			used[m[1]+"."+m[2]], used["."+m[2]], used["."+m[3]] = true, true, true
		}
	}
	return used
}

// isError reports whether o is an error type, or a type whose pointer is one.
func isError(o types.Object) bool {
	_, ok := o.(*types.TypeName)
	failure := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	return ok && types.Implements(types.NewPointer(o.Type()), failure)
}

// TestPublicNamesHaveUsers: each function, variable and method that users can call is used in an Example, an example
// program or a page of docs. Types, their fields and constants must occur there as results or arguments. Codes are
// constants of fields.
func TestPublicNamesHaveUsers(t *testing.T) {
	used, packages := uses(t), publicPackages(t)
	met := refusedTypes{refused: func(string) bool { return false }, seen: map[types.Type]bool{}}
	for _, pkg := range packages {
		for _, name := range pkg.Scope().Names() {
			o := pkg.Scope().Lookup(name)
			if o.Exported() && (used[pkg.Name()+"."+name] || isError(o)) {
				met.visit("", o.Type())
			}
		}
	}
	var without, inside []string
	for _, names := range exempt {
		inside = append(inside, strings.Fields(names)...)
	}
	miss := func(name string, has bool) {
		if has == slices.Contains(inside, name) {
			without = append(without, name)
		}
	}
	for _, pkg := range packages {
		for _, name := range pkg.Scope().Names() {
			o := pkg.Scope().Lookup(name)
			if !o.Exported() {
				continue
			}
			full := pkg.Name() + "." + name
			_, isType := o.(*types.TypeName)
			_, isConst := o.(*types.Const)
			_, isCode := o.Type().(*types.Basic) // a constant of a field
			seen := met.seen[types.Unalias(o.Type())]
			miss(full, used[full] || isType && seen || isConst && (seen || isCode))
			if o, ok := o.(*types.TypeName); ok && seen {
				for m, kind := range members(o) {
					if m.Exported() {
						_, called := o.Type().Underlying().(*types.Interface)
						miss(full+"."+m.Name(), kind == "field" || called || used["."+m.Name()] ||
							slices.Contains(standardMethods, m.Name()))
					}
				}
			}
		}
	}
	assert.Empty(t, without, "public names without a user, or exempt names with one")
}
