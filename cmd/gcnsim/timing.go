package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/gcn/chip"
	"github.com/gcnsim/gcnsim/internal/boards"
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
			return compared(cmd.OutOrStdout(), chips)
		},
	}
	cmd.Flags().StringVar(&name, "chip", "", "only this chip or board")
	completes(cmd, "chip", slices.Concat(timing.Presets(), boardNames())...)
	return cmd
}

// compared says which figures of boards with one of the chips the model was compared with,
// of all if none is given.
func compared(w io.Writer, chips []string) error {
	var lines []string
	for _, b := range chip.Boards() {
		if chips == nil || slices.ContainsFunc(chips, func(name string) bool { return chip.Lookup(name).Name == b.Chip }) {
			lines = append(lines, boards.Lines([]string{b.Name})...)
		}
	}
	if chips == nil {
		lines = append(lines, boards.Lines([]string{"mi100"})...)
	}
	if len(lines) == 0 {
		lines = []string{"nothing of this chip: no published figure is in the table"}
	}
	_, err := io.WriteString(w, "\ncompared with figures of boards, see docs/TIMING.md:\n  "+strings.Join(lines, "\n  ")+"\n")
	return err
}

// boardNames are the names of the boards.
func boardNames() []string {
	var all []string
	for _, b := range chip.Boards() {
		all = append(all, b.Name)
	}
	return all
}
