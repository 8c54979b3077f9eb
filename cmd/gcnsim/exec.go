package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim/spec"
)

func execCommand() *cobra.Command {
	jobs := 1
	var fail cli.FailOn
	cmd := &cobra.Command{
		Use:   "exec [FILE]",
		Short: "Run programs on one wave: JSON lines of state in, JSON lines of state out",
		Example: `  echo '{"mcpu":"fiji","asm":"v_mov_b32 v0, s0","sgpr":{"0":[7]},"dump":{"vgpr":[[0,1]]}}' | gcnsim exec
  gcnsim exec --jobs=4 requests.jsonl > replies.jsonl`,
		Args: cli.Arguments(0, 1, "at most one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, name, err := cli.Open(cmd, args)
			if err != nil {
				return err
			}
			defer in.Close()
			l := &request.Lines{Jobs: jobs, MaxLine: cli.MaxLineBytes, Seen: fail.See,
				Options: &spec.Options{Files: files.Dir(filepath.Dir(name))}}
			cli.Leaves(cmd, func() string { return fmt.Sprintf("%d requests were answered", l.Answered()) })
			if err := l.Answer(cmd.Context(), in, cmd.OutOrStdout()); err != nil {
				return cli.Wrong(err)
			}
			return fail.Seen()
		},
	}
	cli.NumberFlag(cmd, &jobs, "jobs", 1, cli.MaxJobs, "how many lines run at a time")
	fail.Add(cmd)
	return cmd
}
