package cli

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// documented returns a command whose texts have what man would obey.
func documented() *cobra.Command {
	root := &cobra.Command{Use: "tool", Short: "Do things", Version: "v1.2.3, built with go1"}
	sub := &cobra.Command{Use: "run FILE", Short: "Run it", RunE: func(*cobra.Command, []string) error { return nil },
		Long:    "Run it.\n\n.amdgcn_target names 'x', or \\x^y.\n\n  kept   as it\n  is\n",
		Example: "  tool run a~b `c`\n'single'"}
	sub.Flags().StringP("out", "o", "", "write to this `FILE`")
	sub.Flags().Bool("all-of-it", false, ".all")
	root.AddCommand(sub)
	return root
}

// TestPageInMan: man warns of nothing and shows texts as they are.
func TestPageInMan(t *testing.T) {
	if _, err := exec.LookPath("man"); err != nil {
		t.Skip("man is not installed")
	}
	show := exec.Command("man", "--warnings", "-E", "ascii", "-l", "-")
	show.Env = append(show.Environ(), "MANWIDTH=78", "MANPAGER=cat", "LC_ALL=C", "GROFF_NO_SGR=1", "MAN_KEEP_FORMATTING=")
	show.Stdin = strings.NewReader(string(manualPage(documented().Commands()[0])))
	var messages strings.Builder
	show.Stderr = &messages
	out, err := show.Output()
	require.NoError(t, err, messages.String())
	assert.Empty(t, messages.String())
	for _, text := range []string{"tool-run - run it", "tool run FILE [flags]", ".amdgcn_target names 'x', or \\x^y.",
		"kept   as it\n", "-o, --out=FILE\n", "--all-of-it\n", "  .all\n", "tool run a~b `c`", "'single'\n",
		"tool(1)", "tool v1.2.3"} {
		assert.Contains(t, string(out), text)
	}
}

func TestPageOfTheRoot(t *testing.T) {
	text := string(manualPage(documented()))
	assert.Contains(t, text, "\n\\fBtool\\-run\\fR(1)\nRun it\n")
	assert.Contains(t, text, ".SH \"SYNOPSIS\"\ntool COMMAND\n")
}
