package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/internal/job"
	"github.com/gcnsim/gcnsim/internal/wholefile"
)

func dispatchCommand() *cobra.Command {
	var jobs int
	cmd := &cobra.Command{
		Use:   "dispatch SPEC.json",
		Short: "Run a compiled kernel over a grid: a JSON specification in, a JSON result out",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			reply, err := dispatchFile(cmd.Context(), args[0], &job.Options{Workers: jobs})
			if err != nil {
				reply = &job.DispatchReply{Error: job.Failed(err)}
			}
			b, err := job.Marshal(reply)
			if err != nil {
				return wrong(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s\n", b)
			if !reply.OK {
				return errFailed
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&jobs, "jobs", 0, "how many work-groups run at a time (default: one for each CPU)")
	return cmd
}

// dispatchFile runs the specification in the file path, whose files are relative to it.
func dispatchFile(ctx context.Context, path string, o *job.Options) (*job.DispatchReply, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	req, err := job.ParseDispatch(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	o.Files = directory(filepath.Dir(path))
	return req.Run(ctx, o)
}

// directory is where the files are that a specification names, unless it names them by
// absolute paths.
type directory string

func (d directory) ReadFile(name string) ([]byte, error) { return os.ReadFile(d.path(name)) }

func (d directory) WriteFile(name string, data []byte) error {
	return wholefile.Write(d.path(name), data)
}

func (d directory) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(string(d), name)
}
