package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
)

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the pages of the manual, one for each command, into a directory",
		Long: `Write the pages of the manual, one for each command, into a directory.

DIR is made if it is not there; what its files of the same names hold is replaced. In a directory man1 of one that
MANPATH names, man shows them.`,
		Example: `  gcnsim man ~/.local/share/man/man1 && man gcnsim-run`,
		Args:    cli.Arguments(1, 1, "a directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return cli.Wrong(err)
			}
			pages, err := cli.WriteManual(args[0], cmd.Root())
			if err != nil {
				return cli.Wrong(err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d pages in %s\n", pages, args[0])
			return err
		},
	}
}
