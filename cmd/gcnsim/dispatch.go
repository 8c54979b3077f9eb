package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/sim/spec"
)

func dispatchCommand() *cobra.Command {
	var jobs int
	var object string
	var fail cli.FailOn
	cmd := &cobra.Command{
		Use:   "dispatch SPEC.json",
		Short: "Run a compiled kernel over a grid: a JSON specification in, a JSON result out",
		Example: `  gcnsim dispatch vadd.json
  echo '{"code_object":"k.co","kernel":"k","grid":[64],"workgroup":[64],"args":[{"buffer":{"size":256}}],"dump":[{"arg":0,"hex":true}]}' | gcnsim dispatch -`,
		Args: cli.Arguments(1, 1, "one specification, SPEC.json, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, name, err := cli.ReadAll(cmd, args, cli.MaxInputBytes)
			if errors.Is(err, context.Canceled) {
				return err
			}
			var reply *spec.Reply
			if err == nil {
				reply, err = request.RunSpec(cmd.Context(), text, name,
					&request.Options{Options: spec.Options{Workers: jobs}, Object: object, Uses: cli.Uses(cmd), Change: fail.Checks},
					func(left func() string) { cli.Leaves(cmd, left) })
			}
			if form := (*spec.RequestError)(nil); errors.As(err, &form) {
				err = request.Located(name, err)
			}
			if flag := (*request.FlagError)(nil); errors.As(err, &flag) {
				return flag
			}
			if err != nil {
				reply = spec.FailedReply(err)
			}
			if failed := spec.WriteJSON(cmd.OutOrStdout(), reply); failed != nil {
				return cli.Wrong(failed)
			}
			if errors.Is(err, context.Canceled) {
				return err
			}
			if !reply.OK {
				return cli.ErrFailed
			}
			return fail.Judge(reply.Findings)
		},
	}
	cli.NumberFlag(cmd, &jobs, "jobs", 1, cli.MaxJobs, "how many work-groups run at a time (default: one for each CPU)")
	cmd.Flags().StringVar(&object, "object", "", "code object that takes the place of that of the specification")
	cli.Reads(cmd, "object")
	fail.Add(cmd)
	return cmd
}
