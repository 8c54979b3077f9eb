package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/gcn/chip"
	"github.com/gcnsim/gcnsim/sim/timing"
)

func timingCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "timing",
		Short: "List the parameters of the time model: value by chip, unit and source",
		Args:  arguments(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var chips []string
			if name != "" {
				chips = []string{strings.ToLower(name)}
			}
			if err := timing.WriteParams(cmd.OutOrStdout(), chips...); err != nil {
				return wrong(err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "chip", "", "only this chip or board")
	completes(cmd, "chip", slices.Concat(timing.Presets(), boardNames())...)
	return cmd
}

// boardNames are the names of the boards.
func boardNames() []string {
	var all []string
	for _, b := range chip.Boards() {
		all = append(all, b.Name)
	}
	return all
}
