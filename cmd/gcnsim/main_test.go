package main

import (
	"os"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gcnsim": main})
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
