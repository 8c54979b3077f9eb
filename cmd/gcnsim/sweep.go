package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/gcnsim/interrupt"
	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/sweep"
)

func sweepCommand() *cobra.Command {
	s := sweep.Sweep{Jobs: runtime.GOMAXPROCS(0), Version: cli.Version(),
		Limits: sweep.Limits{Seconds: 60, Megabytes: 2048}}
	var fail cli.FailOn
	cmd := &cobra.Command{
		Use:   "sweep CORPUS.jsonl...",
		Short: "Run a corpus of cases, or a shard of it; what is killed goes on where it was",
		Example: `  gcnsim sweep corpus.jsonl --out=results/ --jobs=8
  gcnsim sweep corpus.jsonl --out=results/ --shard=3/64
  gcnsim sweep merge results/ --json=sweep.json`,
		Args: cli.Arguments(1, -1, "the files of a corpus"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if s.Corpus, err = sweep.Open(args...); err != nil {
				return cli.Wrong(err)
			}
			for _, what := range s.Corpus.Malformed {
				fmt.Fprintln(cmd.ErrOrStderr(), what)
			}
			if err := fail.Needs(func() (bool, error) { return s.Corpus.Checked(), nil }, "case"); err != nil {
				return cli.Wrong(err)
			}
			self, err := os.Executable()
			if err != nil {
				return cli.Wrong(err)
			}
			s.Worker = func() *exec.Cmd { return exec.Command(self, append([]string{"sweep", "worker"}, fail.Args()...)...) }
			s.Progress = sweep.Bar(cmd.ErrOrStderr())
			cli.Leaves(cmd, s.Left)
			p, err := s.Run(cmd.Context())
			if err != nil {
				return cli.Wrong(err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), p)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.Dir, "out", "results", "the directory of results")
	f.Var(&s.Shard, "shard", "run this part of the cases only, I from 0")
	cli.NumberFlag(cmd, &s.Jobs, "jobs", 1, cli.MaxJobs, "how many processes run cases")
	cli.LimitFlag(cmd, &s.Limits.Instructions)
	cli.SecondsFlag(cmd, &s.Limits.Seconds, "seconds", sweep.MaxSeconds,
		"how long a case may take; 0 is as long as it likes")
	cli.NumberFlag(cmd, &s.Limits.Megabytes, "megabytes", 0, sweep.MaxMegabytes,
		"MiB that the process of a case may take; 0 is no limit")
	fail.Add(cmd)
	cmd.AddCommand(sweepMerge(), sweepWorker())
	return cmd
}

func sweepMerge() *cobra.Command {
	var to sweep.Outputs
	cmd := &cobra.Command{
		Use:   "merge RESULTS...",
		Short: "Say what the results of all shards are together",
		Args:  cli.Arguments(1, -1, "the directories of results"),
		RunE: func(cmd *cobra.Command, args []string) error {
			to.Uses = cli.Uses(cmd)
			if err := to.Claim(args...); err != nil {
				return cli.Wrong(err)
			}
			m, err := sweep.Merge(args...)
			if err == nil {
				err = to.Write(m)
			}
			if err != nil {
				return cli.Wrong(err)
			}
			fmt.Fprint(cmd.OutOrStdout(), m)
			if !m.OK() {
				return cli.ErrFailed
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&to.JSON, "json", "", "write everything as JSON to `FILE`")
	cmd.Flags().StringVar(&to.Specs, "specs", "",
		"write the smallest case of each kind of failure as a specification into `DIR`")
	return cmd
}

func sweepWorker() *cobra.Command {
	var fail cli.FailOn
	cmd := &cobra.Command{
		Use:    "worker",
		Short:  "Run cases given on standard input: what sweep starts",
		Hidden: true,
		Args:   cli.Arguments(0, 0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			interrupt.Ignore() // otherwise the current case would be cancelled and recorded as such
			ctx := context.WithoutCancel(cmd.Context())
			return cli.Wrong(sweep.Serve(ctx, os.Stdin, os.Stdout, fail.From()))
		},
	}
	fail.Add(cmd)
	return cmd
}
