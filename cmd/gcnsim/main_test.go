package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/gcnsim/interrupt"
	"github.com/gcnsim/gcnsim/sim/check"
)

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){"gcnsim": main})
}

// tests are the tests of the package, which an interrupt ends at once.
type tests struct{ *testing.M }

func (t tests) Run() int {
	interrupt.Release()
	return t.M.Run()
}

func TestScripts(t *testing.T) {
	kernels, err := os.Getwd()
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("KERNELS", kernels+"/../../testdata/kernels")
			return nil
		},
	})
}

// TestCommandIsThin: a command holds flags, files and exit codes, which takes a function of at most
// 60 lines and a file of at most 160; what else it needs is a package's.
func TestCommandIsThin(t *testing.T) {
	fset := token.NewFileSet()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		assert.LessOrEqual(t, fset.File(file.Pos()).LineCount(), 160, name)
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				lines := fset.Position(f.End()).Line - fset.Position(f.Pos()).Line + 1
				assert.LessOrEqual(t, lines, 60, "%s: %s", name, f.Name)
			}
		}
	}
}

// TestHelpIsForPeople looks for names of the source in what help prints.
func TestHelpIsForPeople(t *testing.T) {
	name := regexp.MustCompile(`\b[a-z]\w*\.[A-Z]\w*`)
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, text := range []string{cmd.Short, cmd.Long, cmd.UsageString()} {
			assert.Empty(t, name.FindAllString(text, -1), cmd.CommandPath())
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(rootCommand())
}

// TestPageNamesFlagsAndKinds: docs/CLI.md names every flag, by its name or its letter, and every
// kind of finding.
func TestPageNamesFlagsAndKinds(t *testing.T) {
	text, err := os.ReadFile("../../docs/CLI.md")
	require.NoError(t, err)
	page, flags := string(text), 0
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			form := `--` + f.Name + `\b`
			if f.Shorthand != "" {
				form += `|[\[ ]-` + f.Shorthand + `[\] ]`
			}
			assert.True(t, regexp.MustCompile(form).MatchString(page), "%s: --%s", cmd.CommandPath(), f.Name)
			flags++
		})
		for _, sub := range cmd.Commands() {
			if !sub.Hidden {
				assert.True(t, strings.Contains(page, sub.CommandPath()), sub.CommandPath())
				visit(sub)
			}
		}
	}
	visit(rootCommand())
	require.Greater(t, flags, 50)
	for _, kind := range check.Names() {
		assert.True(t, strings.Contains(page, "`"+kind+"`"), kind)
	}
}
