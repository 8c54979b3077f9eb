// Command gcnsim assembles, disassembles and executes GCN machine code. What it prints
// for programs (asm, dis, exec, dispatch) is a contract: see docs/CLI.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/internal/files"
	"github.com/gcnsim/gcnsim/internal/job"
	"github.com/gcnsim/gcnsim/state"
)

// Exit statuses.
const (
	exitOK          = 0
	exitInput       = 1 // the input was wrong, a check failed or output could not be written
	exitUsage       = 2 // the command line was wrong
	exitInterrupted = 128 + 2
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	cancel()
	os.Exit(status)
}

// inputError is an error of the input, not of the command line.
type inputError struct{ err error }

func (e *inputError) Error() string { return e.err.Error() }
func (e *inputError) Unwrap() error { return e.err }

// wrong marks err as an error of the input.
func wrong(err error) error {
	if errors.Is(err, errFailed) {
		return errFailed
	}
	return &inputError{err}
}

// exited ends a command with a status, after its output has said why.
type exited int

func (e exited) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// errFailed ends a command with exitInput after its output has said why.
const errFailed = exited(exitInput)

// run executes one command line and returns the exit status. When ctx ends, it returns
// soon, even if the command does not, unless that is patient: then nothing more is written.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out, messages := files.NewOutput(stdout, "standard output"), files.NewOutput(stderr, "standard error")
	left := &leftover{}
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(files.NewInput(ctx, stdin))
	root.SetOut(out)
	root.SetErr(messages)
	done := make(chan error, 1)
	go func() { done <- execute(context.WithValue(ctx, leftoverKey, left), root) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		select {
		case err = <-done:
		case <-left.wait():
			err = ctx.Err()
		}
	}
	failed := out.Close()
	_ = messages.Close() // there is nowhere to say it
	var input *inputError
	var status exited
	switch {
	case ctx.Err() != nil && err != nil && !left.patient.Load():
		fmt.Fprintf(stderr, "gcnsim: %v\n", &job.Interrupted{Left: left.String(), Err: err})
		return exitInterrupted
	case failed != nil:
		fmt.Fprintf(stderr, "gcnsim: %v\n", failed)
		return exitInput
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &input):
		fmt.Fprintln(stderr, err)
		return exitInput
	}
	fmt.Fprintf(stderr, "gcnsim: %v\nRun 'gcnsim --help' for usage.\n", err)
	return exitUsage
}

// execute runs the command that the arguments of root choose. A panic is an error.
func execute(ctx context.Context, root *cobra.Command) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = wrong(fmt.Errorf("gcnsim: this is a defect of the simulator, please report it with what it read: %w",
				&state.Panic{Value: v, Stack: string(debug.Stack())}))
		}
	}()
	return root.ExecuteContext(ctx)
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "gcnsim",
		Short:         "Simulate the memory unit of an AMD GCN wavefront",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(
		asmCommand(),
		diffCommand(),
		disCommand(),
		dispatchCommand(),
		execCommand(),
		explainCommand(),
		gpuCommand(),
		pageCommand(),
		reduceCommand(),
		runCommand(),
		supportCommand(),
		sweepCommand(),
		timingCommand(),
	)
	return root
}

// version says which build this is: the module's version, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	text := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && text == "(devel)" {
			text = s.Value
		}
	}
	return fmt.Sprintf("%s, built with %s", text, info.GoVersion)
}

// arguments refuses too few or too many arguments; what says which ones there are.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return fmt.Errorf("%s: there are %d arguments; give %s", cmd.Name(), len(args), what)
		}
		return nil
	}
}
