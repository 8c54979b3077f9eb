package main

import (
	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/paths"
	"github.com/gcnsim/gcnsim/cmd/internal/report"
	"github.com/gcnsim/gcnsim/sim/check"
)

func checkCommand() *cobra.Command {
	var o paths.Options
	var fail cli.FailOn
	var form, suppressions string
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Check the kernels of code objects on all paths, without a run",
		Long: `Check the kernels of code objects on all paths, without a run.

FILE is a code object, the text of one as clang -S writes it, a bundle, an archive or a program that hipcc has linked.
Of each kernel all paths are followed, those through functions that it calls included, and instructions are judged
that follow one another on any of them: waits, wait states, VCCZ, registers that nothing has written, M0, barriers.
The status is 1 if there is a warning or an error, or a finding of the severity of --fail-on. Where a path cannot be
followed is a finding of kind unfollowed.`,
		Example: `  gcnsim check k.o
  gcnsim check --format=sarif build/*.co > findings.sarif`,
		Args: cli.Arguments(1, -1, "one or several files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.FailOn = check.Warning; fail.From() != nil {
				o.FailOn = *fail.From()
			}
			if suppressions != "" {
				var err error
				if o.Suppressions, err = report.ReadSuppressions(suppressions); err != nil {
					return cli.Wrong(err)
				}
			}
			var all []*cli.Result
			for _, name := range args {
				data, err := cli.ReadFile(name)
				if err != nil {
					return cli.Wrong(err)
				}
				results, err := o.Check(cmd.Context(), name, data)
				if err != nil {
					return cli.Wrong(err)
				}
				for _, r := range results {
					all = append(all, &cli.Result{Name: r.Name(), Verdict: r.Verdict, Text: r.Write, Lines: r.WriteJSON,
						Alerts: cli.AlertsOfPaths(r.Findings, r.Why, r.File)})
				}
			}
			return cli.Results(cmd.OutOrStdout(), "gcnsim check", args[0], all, form)
		},
	}
	cli.Judges(cmd)
	cmd.Flags().StringVar(&o.Kernel, "kernel", "", "the kernel that is checked (default: each)")
	cli.MCPUFlag(cmd, &o.Processor, "processor whose code is taken of files that have several")
	cli.CheckFlag(cmd, &o.Kinds)
	cmd.Flags().StringVar(&suppressions, "suppressions", "", "leave out the findings that this file names, as of run")
	cli.Reads(cmd, "suppressions")
	cli.FormatFlag(cmd, &form, "how findings are reported")
	fail.Add(cmd)
	return cmd
}
