package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/gcnsim/gcnsim/internal/job"
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

// execLine returns the answer to one request, without a newline.
func execLine(ctx context.Context, line []byte) []byte {
	b, err := job.Marshal(job.Exec(ctx, line, nil))
	if err != nil { // only an id that is no JSON could cause it, and that was decoded
		panic("gcnsim: reply: " + err.Error())
	}
	return b
}

// execLines answers each line of in that is not blank, in order, jobs at a time. An
// answer is written as soon as it and those before it are there, so that a pipe can
// converse.
func execLines(ctx context.Context, in io.Reader, out *bufio.Writer, jobs int) error {
	var group errgroup.Group
	answers := make(chan chan []byte, jobs-1) // with the one being written: jobs of them
	group.Go(func() error {
		defer close(answers)
		r := bufio.NewReader(in)
		for {
			line, err := r.ReadBytes('\n')
			if line = bytes.TrimSpace(line); len(line) > 0 {
				answer := make(chan []byte, 1)
				answers <- answer
				go func() { answer <- execLine(ctx, line) }()
			}
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
	var failed error
	for answer := range answers {
		out.Write(append(<-answer, '\n'))
		if err := out.Flush(); err != nil && failed == nil {
			failed = err // the remaining answers are taken all the same, so that the reader ends
		}
	}
	return errors.Join(group.Wait(), failed)
}
