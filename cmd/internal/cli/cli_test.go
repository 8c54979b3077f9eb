package cli

import (
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// documented returns a command with a subcommand whose texts contain characters that are special in manual pages.
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

// TestPageInMan: man prints no warnings and shows the texts unchanged.
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

func TestSettings(t *testing.T) {
	assert.Empty(t, settings([]debug.BuildSetting{{Key: "GOARCH", Value: "amd64"}}))
	assert.Equal(t, []string{"tags s3", "commit 0123 of 2026-11-23T12:00:00Z", "modified"},
		settings([]debug.BuildSetting{{Key: "-tags", Value: "s3"}, {Key: "vcs.revision", Value: "0123"},
			{Key: "vcs.time", Value: "2026-11-23T12:00:00Z"}, {Key: "vcs.modified", Value: "true"}}))
}

// told returns the output of a progress display that receives a message every 50 milliseconds.
func told(terminal bool, seconds int) string {
	var b strings.Builder
	now := time.Unix(0, 0)
	p := newProgress(&b, "diff", terminal, func() time.Time { return now })
	for range seconds * 20 {
		now = now.Add(50 * time.Millisecond)
		p.Tell("on the way")
	}
	p.End()
	return b.String()
}

// TestProgress: a file receives no lines from a short command and few from a long one. A terminal has one line, which
// is cleared.
func TestProgress(t *testing.T) {
	const line = "gcnsim: diff: on the way\n"
	assert.Empty(t, told(false, 4))
	assert.Equal(t, line, told(false, 20))
	assert.Equal(t, strings.Repeat(line, 3), told(false, 70))
	terminal := told(true, 2)
	assert.Equal(t, 20, strings.Count(terminal, "on the way"))
	assert.True(t, strings.HasSuffix(terminal, "\r\x1b[K"))
	assert.NotContains(t, terminal, "\n")
}
