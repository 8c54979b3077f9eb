package cli

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// Annotations of flags that name files.
const (
	reads  = "gcnsim_reads"
	writes = "gcnsim_writes"
)

// Reads says that flags of cmd name files that it reads.
func Reads(cmd *cobra.Command, flags ...string) { annotate(cmd, reads, flags) }

// Writes says that flags of cmd name files that it writes. That they can be, and are no others that
// the command line names, is looked at before it runs.
func Writes(cmd *cobra.Command, flags ...string) { annotate(cmd, writes, flags) }

func annotate(cmd *cobra.Command, what string, flags []string) {
	for _, name := range flags {
		_ = cmd.Flags().SetAnnotation(name, what, nil) // the flag is there
	}
}

// Uses returns the files that the command line of cmd names, to which it adds those that files name.
func Uses(cmd *cobra.Command) *files.Uses {
	u, _ := cmd.Context().Value(usesKey).(*files.Uses)
	return u
}

// claim adds what the command line names to the uses of cmd.
func claim(cmd *cobra.Command, args []string) error {
	u := Uses(cmd)
	var all []error
	for _, arg := range args {
		if arg == "-" {
			all = append(all, u.ReadsFrom(cmd.InOrStdin(), files.TheInput))
		} else {
			all = append(all, u.Reads(arg, files.TheInput))
		}
	}
	each := func(what string, add func(path, by string) error) {
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if _, is := f.Annotations[what]; is {
				all = append(all, add(f.Value.String(), "--"+f.Name))
			}
		})
	}
	each(reads, u.Reads)
	each(writes, u.Writes)
	return errors.Join(all...)
}
