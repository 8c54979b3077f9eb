package main

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

func execCommand() *cobra.Command {
	var jobs int
	cmd := &cobra.Command{
		Use:   "exec [FILE]",
		Short: "Run programs on one wave: JSON lines of state in, JSON lines of state out",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, _, err := open(cmd, args)
			if err != nil {
				return err
			}
			defer in.Close()
			out := bufio.NewWriter(cmd.OutOrStdout())
			if err := execLines(cmd.Context(), in, out, max(jobs, 1)); err != nil {
				return wrong(err)
			}
			return out.Flush()
		},
	}
	cmd.Flags().IntVar(&jobs, "jobs", 1, "how many lines run at a time")
	return cmd
}

// execLines answers each line of in that is not blank, in order, jobs at a time. With
// one job an answer is flushed as soon as it is there, so that a pipe can converse.
func execLines(ctx context.Context, in io.Reader, out *bufio.Writer, jobs int) error {
	r := bufio.NewReader(in)
	for {
		var lines [][]byte
		var end error
		for len(lines) < jobs && end == nil {
			var line []byte
			line, end = r.ReadBytes('\n')
			if line = bytes.TrimSpace(line); len(line) > 0 {
				lines = append(lines, line)
			}
		}
		var group errgroup.Group
		replies := make([][]byte, len(lines))
		for i, line := range lines {
			group.Go(func() error {
				replies[i] = execLine(ctx, line)
				return nil
			})
		}
		_ = group.Wait() // no job fails
		for _, reply := range replies {
			out.Write(append(reply, '\n'))
		}
		if err := out.Flush(); err != nil {
			return err
		}
		if end != nil {
			if end == io.EOF {
				end = nil
			}
			return end
		}
	}
}
