package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/internal/specjson"
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
			var reply *specjson.DispatchReply
			if err == nil {
				reply, err = specjson.RunSpec(cmd.Context(), text, name,
					&specjson.Options{Workers: jobs, Object: object, Judged: fail.From() != nil, Uses: cli.Uses(cmd)},
					func(left func() string) { cli.Leaves(cmd, left) })
			}
			if request := (*specjson.RequestError)(nil); errors.As(err, &request) {
				err = specjson.Located(name, err)
			}
			if flag := (*specjson.FlagError)(nil); errors.As(err, &flag) {
				return flag
			}
			if err != nil {
				reply = specjson.FailedDispatch(err)
			}
			if failed := specjson.Write(cmd.OutOrStdout(), reply); failed != nil {
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
