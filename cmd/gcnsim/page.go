package main

import (
	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/internal/cli"
	"github.com/gcnsim/gcnsim/page"
)

func pageCommand() *cobra.Command {
	var port int
	cmd := &cobra.Command{
		Use:   "page",
		Short: "Serve the page on which one writes programs, runs them and steps through them",
		Args:  cli.Arguments(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.Wrong(page.Serve(cmd.Context(), port, cmd.OutOrStdout()))
		},
	}
	cmd.Flags().IntVar(&port, "port", 8000, "port of this machine; 0 takes a free one")
	return cmd
}
