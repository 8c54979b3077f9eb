package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/gcnsim/interrupt"
	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
	"github.com/gcnsim/gcnsim/sim/check"
)

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){"gcnsim": main})
}

// tests runs the tests of the package. An interrupt ends them at once.
type tests struct{ *testing.M }

func (t tests) Run() int {
	interrupt.Release()
	return t.M.Run()
}

func TestScripts(t *testing.T) {
	effort.Long(t)
	kernels, err := os.Getwd()
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("KERNELS", kernels+"/../../testdata/kernels")
			e.Setenv("NOFILE", syscall.ENOENT.Error()) // the text of this error depends on the system
			return nil
		},
	})
}

// TestCommandIsThin: a command only has flags, files and exit codes. Its functions have at most 60 lines and its
// files at most 160; other code belongs in packages.
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

// TestHelpIsForPeople: help texts contain no names from the source code.
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

// TestPageNamesCommandsWithAVerdict: docs/CLI.md lists the commands that exit with 3 where others exit with 1.
func TestPageNamesCommandsWithAVerdict(t *testing.T) {
	text, err := os.ReadFile("../../docs/CLI.md")
	require.NoError(t, err)
	sentence := regexp.MustCompile(`Only ((?s:.*?))\bend with 3`).FindStringSubmatch(string(text))
	require.NotNil(t, sentence)
	var named, judging []string
	for _, m := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(sentence[1], -1) {
		named = append(named, m[1])
	}
	for _, cmd := range rootCommand().Commands() {
		if cli.HasVerdict(cmd) {
			judging = append(judging, cmd.Name())
		}
	}
	assert.Equal(t, judging, named)
}

// TestPagesListFlags: each page of docs/cli ends with the flags of its commands, in the form of --help; -rewrite
// writes them. Each command has a page, and docs/cli/checks.md names each kind of finding.
func TestPagesListFlags(t *testing.T) {
	const heading = "\n## Flags\n"
	// commands on another page; "" means docs/CLI.md
	pages := map[string]string{"dis": "asm", "checks": "", "support": "", "man": "", "version": ""}
	lists := map[string]string{}
	var add func(page string, cmd *cobra.Command)
	add = func(page string, cmd *cobra.Command) {
		if flags := cmd.LocalNonPersistentFlags(); cmd.Runnable() && flags.HasAvailableFlags() {
			lists[page] += fmt.Sprintf("\n`%s`:\n\n```\n%s```\n", cmd.CommandPath(), flags.FlagUsagesWrapped(118))
		}
		for _, sub := range cmd.Commands() {
			add(page, sub)
		}
	}
	for _, cmd := range rootCommand().Commands() {
		page, ok := pages[cmd.Name()]
		if !ok {
			page = cmd.Name()
		}
		if page != "" {
			add(page, cmd)
		}
	}
	require.Greater(t, len(lists), 12)
	for page, list := range lists {
		file := filepath.Join("../../docs/cli", page+".md")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		before, _, _ := strings.Cut(string(text), heading)
		golden.Compare(t, file, []byte(strings.TrimRight(before, "\n")+"\n"+heading+list))
	}
	text, err := os.ReadFile("../../docs/cli/checks.md")
	require.NoError(t, err)
	for _, kind := range check.Names() {
		assert.Contains(t, string(text), "`"+kind+"`")
	}
}

// TestPagesGiveCommandsThatExist: the command lines in README.md and docs use existing commands and flags. If a line
// is not a synopsis, the command also accepts its flags and arguments. Scripts in testdata and the tests of the pages
// execute the lines that can be executed everywhere.
func TestPagesGiveCommandsThatExist(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	commands, err := filepath.Glob("../../docs/cli/*.md")
	require.NoError(t, err)
	line := regexp.MustCompile(`(?m)^(?:    )?(?:\$ )?(?:bin/)?gcnsim ([a-z]+(?: .*|$))`)
	quoted := regexp.MustCompile(`'[^']*'`)
	block := regexp.MustCompile("(?s)\n```.*?\n```|\n\n(?:    [^\n]*\n)+")
	comment := regexp.MustCompile(`\s+#.*|\s+<<.*|\s+>.*|\s+\|.*|&&.*|\s{3,}.*`)
	flag := regexp.MustCompile(`(?:^|[\s\[])(--[a-z][a-z0-9-]*)`)
	lines := 0
	for _, name := range append(append(pages, commands...), "../../README.md", "../../CONTRIBUTING.md") {
		page, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, code := range block.FindAllString(string(page), -1) {
			for _, m := range line.FindAllStringSubmatch(code, -1) {
				text, program, _ := strings.Cut(m[1], " -- ")
				words := strings.Fields(comment.ReplaceAllString(text, ""))
				cmd, args, err := rootCommand().Find(words)
				if !assert.NoError(t, err, "%s: %s", name, m[0]) || !assert.NotNil(t, cmd.Parent(), "%s: %s", name, m[0]) {
					continue
				}
				lines++
				for _, f := range flag.FindAllStringSubmatch(quoted.ReplaceAllString(text, ""), -1) {
					known := cmd.Flags().Lookup(f[1][2:]) != nil || f[1] == "--help"
					assert.True(t, known, "%s: %s: %s has no flag %s", name, m[0], cmd.CommandPath(), f[1])
				}
				if strings.ContainsAny(text, "[|'\"") || strings.Contains(text, "...") {
					continue // a synopsis, or text that a shell would expand
				}
				require.NoError(t, cmd.ParseFlags(args), "%s: %s", name, m[0])
				args = cmd.Flags().Args()
				if program != "" {
					args = append(args, program)
				}
				assert.NoError(t, cmd.ValidateArgs(args), "%s: %s", name, m[0])
			}
		}
	}
	assert.Greater(t, lines, 50)
}
