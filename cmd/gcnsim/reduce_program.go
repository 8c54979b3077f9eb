package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/cmd/internal/shrink"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

// ofProgram reduces a program.
func (r *reduction) ofProgram(cmd *cobra.Command, args []string) (err error) {
	if err := cli.Unused(cmd, "of the input of two programs", "spec", "seeds"); err != nil {
		return err
	}
	if len(args) > 0 {
		return fmt.Errorf("reduce: %s given; give none with --program", plural.Of(len(args), "argument"))
	}
	if r.ir != "" && r.output == "" {
		return &request.FlagError{Flag: "ir", Err: errors.New("the LLVM IR is written beside the output; give -o")}
	}
	if err := r.test.Check(); err != nil {
		return &request.FlagError{Flag: "test", Err: err}
	}
	if r.program.Text, err = cli.ReadFile(r.program.Name); err != nil {
		return cli.Wrong(err)
	}
	r.test.Name, r.test.Time = r.program.Name, 60*time.Second
	if r.each > 0 {
		r.test.Time = time.Duration(r.each * float64(time.Second))
	}
	if r.output != "" {
		r.program.Smaller = func(text []byte) error { return files.Write(r.output, text) }
		cli.Leaves(cmd, func() string { return r.output + " has the smallest text so far" })
	}
	cli.WritesAll(cmd) // also ends processes that the test command has started
	progress := cli.ProgressOf(cmd)
	r.program.Progress = progress.Tell
	limit, start := time.Duration(r.all*float64(time.Second)), time.Now()
	note, err := r.program.ReduceWith(cmd.Context(), &r.test, limit, !r.alone)
	progress.End()
	fmt.Fprint(cmd.ErrOrStderr(), note)
	smallest := r.program.Text
	if err == nil && r.ir != "" {
		err = r.lower(cmd, limit-time.Since(start))
	}
	if err == nil && r.test.Bisects() {
		err = r.bisect(cmd)
	}
	switch {
	case errors.Is(err, shrink.ErrFails):
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\n", r.program.Name, err)
		return cli.ErrFailed
	case err != nil:
		return cli.Wrong(err)
	case r.output != "":
		return cli.Wrong(files.Write(r.output, smallest))
	}
	_, err = cmd.OutOrStdout().Write(smallest)
	return cli.Wrong(err)
}

// lower reduces the LLVM IR of the smallest program, into a file of its own, within the remaining time.
func (r *reduction) lower(cmd *cobra.Command, left time.Duration) error {
	compiler := r.test
	compiler.Line = r.ir
	text, err := compiler.Lowered(cmd.Context(), r.program.Text)
	if err != nil {
		return &request.FlagError{Flag: "ir", Err: err}
	}
	if r.all == 0 {
		left = 0
	} else {
		left = max(left, time.Second)
	}
	out := r.output + ".ll"
	r.test.Name = r.program.Name + ".ll"
	r.program = shrink.Program{Name: r.test.Name, Text: text, Progress: r.program.Progress,
		Smaller: func(text []byte) error { return files.Write(out, text) }}
	note, err := r.program.ReduceWith(cmd.Context(), &r.test, left, !r.alone)
	fmt.Fprint(cmd.ErrOrStderr(), note)
	if errors.Is(err, shrink.ErrFails) {
		return fmt.Errorf("%s: of its LLVM IR %w; let clang go by the extension of {}, without -x", r.program.Name, err)
	}
	if err == nil {
		err = files.Write(out, r.program.Text)
	}
	return err
}

// bisect finds the compiler pass that breaks the smallest program.
func (r *reduction) bisect(cmd *cobra.Command) error {
	pass, err := r.test.Bisect(cmd.Context(), r.program.Text)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\n", r.program.Name, pass)
	return err
}
