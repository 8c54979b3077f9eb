package main

import (
	"math"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/page"
)

func pageCommand() *cobra.Command {
	port := uint16(8000)
	cmd := &cobra.Command{
		Use:   "page",
		Short: "Serve the page on which one writes programs, runs them and steps through them",
		Long: `Serve the page on which one writes programs, runs them and steps through them, to browsers of this machine alone.

It prints the address on standard output, and on standard error a line for each run and for what goes wrong. Ctrl-C ends it, with exit status 130.`,
		Args: cli.Arguments(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cli.Leaves(cmd, func() string { return "the page is not served any more" })
			return cli.Wrong(page.Serve(cmd.Context(), port, cmd.OutOrStdout(), cmd.ErrOrStderr()))
		},
	}
	cli.NumberFlag(cmd, &port, "port", 0, math.MaxUint16, "port of this machine; 0 takes a free one")
	return cmd
}
