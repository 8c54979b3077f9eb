package cli

import (
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// WriteManual writes the pages of the manual for cmd and the commands below it into dir, which must exist: gcnsim-run.1
// is the page of gcnsim run. It returns how many there are. The same build always gives the same bytes.
func WriteManual(dir string, cmd *cobra.Command) (int, error) {
	cmd.DisableAutoGenTag = true
	version, _, _ := strings.Cut(cmd.Version, ",")
	date := built()
	err := doc.GenManTree(cmd, &doc.GenManHeader{Section: "1", Date: &date, Source: cmd.Name() + " " + version}, dir)
	if err != nil {
		return 0, err
	}
	pages, err := filepath.Glob(filepath.Join(dir, cmd.Name()+"*.1"))
	return len(pages), err
}

// built returns the time of the commit that was built, the start of 1970 if the build does not know it.
func built() time.Time {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if at, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
				return at
			}
		}
	}
	return time.Unix(0, 0).UTC()
}
