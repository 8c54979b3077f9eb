package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/sim/timing"
)

func timingCommand() *cobra.Command {
	var chip string
	cmd := &cobra.Command{
		Use:   "timing",
		Short: "List the parameters of the time model: value by chip, unit and source",
		Args:  arguments(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var chips []string
			if chip != "" {
				chips = []string{strings.ToLower(chip)}
			}
			if err := timing.WriteParams(cmd.OutOrStdout(), chips...); err != nil {
				return wrong(err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&chip, "chip", "", "only this chip")
	completes(cmd, "chip", timing.Presets()...)
	return cmd
}
