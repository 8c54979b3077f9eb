package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/boards"
	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
)

func timingCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "timing",
		Short: "List the parameters of the time model: value by chip, unit and source",
		Args:  cli.Arguments(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var chips []string
			if name != "" {
				chips = []string{name}
			}
			if err := timing.WriteParams(cmd.OutOrStdout(), chips...); err != nil {
				return cli.Wrong(err)
			}
			return boards.WriteCompared(cmd.OutOrStdout(), chips)
		},
	}
	cli.ChoiceFlag(cmd, &name, "chip", "only this chip or board", slices.Concat(timing.Presets(), boards.Names()))
	return cmd
}
