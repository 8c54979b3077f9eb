package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/suite"
	"github.com/gcnsim/gcnsim/sim/check"
)

func testCommand() *cobra.Command {
	var s suite.Suite
	var fail cli.FailOn
	var form string
	cmd := &cobra.Command{
		Use:   "test DIR",
		Short: "Run the specifications in a directory and say which kernels leave what they should",
		Long: `Run the specifications in a directory and say which kernels leave what they should.

Each FILE.json in DIR and below that is a specification of a dispatch is a test. It fails if the kernel leaves
something else than it expects, faults, or has a warning or an error of its checks: then the status is 1. A
specification that cannot run, or expects nothing, has no verdict: then the status is 3, unless a test fails. Files
that specifications name to be written are not written.`,
		Example: `  gcnsim test specs/
  gcnsim test --objects=build/ --format=junit specs/ > report.xml`,
		Args: cli.Arguments(1, 1, "a directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.Dir, s.FailOn = args[0], check.Warning
			if at := fail.From(); at != nil {
				s.FailOn = *at
			}
			names, skipped, err := s.Names()
			for _, what := range skipped {
				fmt.Fprintln(cmd.ErrOrStderr(), "left out: "+what+": it is no specification of dispatch")
			}
			if err != nil {
				return cli.Wrong(err)
			}
			p := cli.ProgressOf(cmd)
			var all []*cli.Result
			for i, name := range names {
				p.Tell(fmt.Sprintf("%d of %d tests", i, len(names)))
				r, err := s.Run(cmd.Context(), name)
				if err != nil {
					p.End()
					return cli.Wrong(err)
				}
				all = append(all, &cli.Result{Name: name, Verdict: r.Verdict, Text: r.Write, Lines: r.WriteJSON,
					Alerts: cli.AlertsOf(r.Reply, r.Why, filepath.Join(s.Dir, name))})
			}
			p.End()
			return cli.Results(cmd.OutOrStdout(), "gcnsim test "+s.Dir, s.Dir, all, form)
		},
	}
	cli.Judges(cmd)
	cmd.Flags().StringVar(&s.Objects, "objects", "",
		"directory of the code objects, at the paths that they have beside the specifications (default: DIR)")
	cli.NumberFlag(cmd, &s.Workers, "jobs", 1, cli.MaxJobs,
		"how many work-groups run at a time (default: one for each CPU)")
	cli.CheckFlag(cmd, &s.Check)
	cli.FormatFlag(cmd, &form, "how tests are reported")
	fail.Add(cmd)
	return cmd
}
