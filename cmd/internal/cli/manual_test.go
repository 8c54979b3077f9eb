package cli

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// documented returns a command with a command whose texts have signs that a page could obey.
func documented() *cobra.Command {
	root := &cobra.Command{Use: "tool", Short: "Do things", Version: "v1.2.3, built with go1"}
	sub := &cobra.Command{Use: "run FILE", Short: "Run it", RunE: func(*cobra.Command, []string) error { return nil },
		Long:    "Run it.\n\nIt names .amdgcn_target, 'x' and s[0:3].\n",
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
	dir := t.TempDir()
	pages, err := WriteManual(dir, documented())
	require.NoError(t, err)
	assert.Equal(t, 2, pages)
	show := exec.Command("man", "--warnings", "-E", "ascii", "-l", filepath.Join(dir, "tool-run.1"))
	show.Env = append(show.Environ(), "MANWIDTH=78", "MANPAGER=cat", "LC_ALL=C", "GROFF_NO_SGR=1", "MAN_KEEP_FORMATTING=")
	var messages strings.Builder
	show.Stderr = &messages
	out, err := show.Output()
	require.NoError(t, err, messages.String())
	assert.Empty(t, messages.String())
	for _, text := range []string{"tool-run - Run it", "tool run FILE [flags]", "It names .amdgcn_target, 'x' and s[0:3].",
		"-o, --out=", "--all-of-it", ".all\n", "tool run a~b `c`", "'single'\n", "tool(1)", "tool v1.2.3"} {
		assert.Contains(t, string(out), text)
	}
}
