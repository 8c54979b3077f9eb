package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/internal/job"
)

func dispatchCommand() *cobra.Command {
	var jobs jobCount
	var fail failOn
	cmd := &cobra.Command{
		Use:   "dispatch SPEC.json",
		Short: "Run a compiled kernel over a grid: a JSON specification in, a JSON result out",
		Example: `  gcnsim dispatch vadd.json
  echo '{"code_object":"k.co","kernel":"k","grid":[64],"workgroup":[64],"args":[{"buffer":{"size":256}}],"dump":[{"arg":0,"hex":true}]}' | gcnsim dispatch -`,
		Args: arguments(1, 1, "one specification, SPEC.json, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, name, err := readAll(cmd, args, maxInputBytes)
			if errors.Is(err, context.Canceled) {
				return err
			}
			var reply *job.DispatchReply
			if err == nil {
				reply, err = dispatchSpec(cmd, text, name, &job.Options{Workers: int(jobs)})
			}
			if request := (*job.RequestError)(nil); errors.As(err, &request) {
				err = located(name, err)
			}
			if err != nil {
				reply = &job.DispatchReply{Error: job.Failed(err)}
			}
			if failed := job.Write(cmd.OutOrStdout(), reply); failed != nil {
				return wrong(failed)
			}
			if errors.Is(err, context.Canceled) {
				return err
			}
			if !reply.OK {
				return errFailed
			}
			return fail.judge(reply.Findings)
		},
	}
	cmd.Flags().Var(&jobs, "jobs", "how many work-groups run at a time (default: one for each CPU)")
	failOnFlag(cmd, &fail)
	return cmd
}

// dispatchSpec runs the specification text of the file name, whose files are relative to
// it, or to the working directory if it comes from standard input.
func dispatchSpec(cmd *cobra.Command, text []byte, name string, o *job.Options) (*job.DispatchReply, error) {
	req, err := job.ParseDispatch(text)
	if err != nil {
		return nil, err
	}
	files := &outputs{Files: directory(filepath.Dir(name))}
	o.Files = files
	var done, total atomic.Int64
	progress := o.Progress
	o.Progress = func(d, t int) {
		done.Store(int64(d))
		total.Store(int64(t))
		if progress != nil {
			progress(d, t)
		}
	}
	unfinished := func() string {
		text := "no work-group had ended"
		if n := total.Load(); n > 0 {
			text = fmt.Sprintf("at least %d of %d work-groups had ended", done.Load(), n)
		}
		return fmt.Sprintf("%s, %d of %d output files were written", text, files.written.Load(), req.OutputFiles())
	}
	leaves(cmd, unfinished)
	reply, err := req.Run(cmd.Context(), o)
	if errors.Is(err, context.Canceled) {
		err = &interruptedError{unfinished(), err}
	}
	return reply, err
}

// outputs counts the files that are written.
type outputs struct {
	job.Files
	written atomic.Int64
}

func (o *outputs) WriteFile(name string, data []byte) error {
	err := o.Files.WriteFile(name, data)
	if err == nil {
		o.written.Add(1)
	}
	return err
}
