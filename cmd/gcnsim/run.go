package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/show"
	"github.com/gcnsim/gcnsim/sim/check"
)

func runCommand() *cobra.Command {
	var o show.Options
	var fail failOn
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a program, or a dispatch, and print for people what it did",
		Long: `Run a program, or a dispatch, and print for people what it did.

FILE, or - for standard input, is a text in LLVM syntax, which runs on one wave whose registers are 0; a code object, whose kernels are
shown; or JSON, a specification of a dispatch or one request of exec.`,
		Example: `  gcnsim run --mcpu=fiji --stats program.s
  gcnsim run kernel.co
  gcnsim run --report=vadd.html vadd.json`,
		Args: arguments(1, 1, "one FILE, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, name, err := readAll(cmd, args, maxInputBytes)
			if err != nil {
				return err
			}
			o.Progress = show.Progress(cmd.ErrOrStderr())
			o.Leaves = func(text func() string) { leaves(cmd, text) }
			findings, err := show.Run(cmd.Context(), name, data, &o, cmd.OutOrStdout())
			switch {
			case errors.Is(err, show.ErrAnswered):
				return errFailed
			case err != nil:
				return wrong(err)
			}
			return fail.judge(findings)
		},
	}
	mcpuFlag(cmd, &o.MCPU, "processor of a text without .amdgcn_target; a chip name chooses the chip, too")
	cmd.Flags().StringVar(&o.Chip, "chip", "", "chip or board whose times and tiling registers are taken")
	completes(cmd, "chip", slices.Concat(tile.Chips(), boardNames())...)
	cmd.Flags().BoolVar(&o.Stats, "stats", false, "count instructions, lanes and bytes by instruction, and show when each issued and what it waited for")
	cmd.Flags().StringVar(&o.Trace, "trace", "", "write a Chrome trace (for Perfetto), in cycles, to this file")
	cmd.Flags().StringVar(&o.Konata, "konata", "", "write a trace for the Konata pipeline viewer to this file")
	cmd.Flags().StringVar(&o.Report, "report", "", "write an HTML page about the run to this file")
	cmd.Flags().Var(show.Window{Options: &o.Record}, "window", "first wave, and first instruction of each, that the report shows step by step; both count from 0")
	cmd.Flags().StringSliceVar(&o.Check, "check", nil, "look for findings of these kinds: "+strings.Join(check.Names(), ", "))
	cmd.Flags().StringVar(&o.Suppressions, "suppressions", "", "leave out the findings that this file names, a line each: a kind, then an address of dis, a symbol or vadd+0x48")
	cmd.Flags().BoolVar(&o.Fidelity, "fidelity", false, "show how surely each instruction does what hardware does, and why")
	failOnFlag(cmd, &fail)
	return cmd
}
