package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

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
			chips := timing.Presets()
			if chip != "" {
				chips = []string{strings.ToLower(chip)}
			}
			if err := writeParams(cmd.OutOrStdout(), chips); err != nil {
				return wrong(err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&chip, "chip", "", "only this chip")
	completes(cmd, "chip", timing.Presets()...)
	return cmd
}

// writeParams writes a line for each parameter, with its values on chips, then what the
// model leaves out.
func writeParams(w io.Writer, chips []string) error {
	var columns [][]timing.Field
	for _, chip := range chips {
		p, err := timing.Preset(chip)
		if err != nil {
			return err
		}
		columns = append(columns, p.Fields())
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "parameter\t%s\tsource\tunit\n", strings.Join(chips, "\t"))
	for i, f := range columns[0] {
		fmt.Fprint(out, f.Name)
		for _, fields := range columns {
			fmt.Fprintf(out, "\t%v", fields[i].Value)
		}
		fmt.Fprintf(out, "\t%s\t%s\n", f.Source, f.Unit)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nleft out of the time model:")
	for _, what := range timing.Gaps() {
		fmt.Fprintln(w, "  "+what)
	}
	return nil
}
