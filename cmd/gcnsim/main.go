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

	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitOK    = 0
	exitInput = 1 // the input was wrong or a check failed
	exitUsage = 2 // the command line was wrong
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	cancel()
	os.Exit(status)
}

// inputError is an error of the input, not of the command line. A silent one has been
// reported already.
type inputError struct {
	err    error
	silent bool
}

func (e *inputError) Error() string { return e.err.Error() }
func (e *inputError) Unwrap() error { return e.err }

// wrong marks err as an error of the input.
func wrong(err error) error { return &inputError{err: err} }

// errFailed ends a command with exitInput after its output has said why.
var errFailed = &inputError{err: errors.New("failed"), silent: true}

// run executes one command line and returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:           "gcnsim",
		Short:         "Simulate the memory unit of an AMD GCN wavefront",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(asmCommand(), disCommand(), execCommand(), dispatchCommand(), runCommand(), supportCommand(), explainCommand(), timingCommand())
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var input *inputError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &input):
		if !input.silent {
			fmt.Fprintln(stderr, err)
		}
		return exitInput
	}
	fmt.Fprintf(stderr, "gcnsim: %v\nRun 'gcnsim --help' for usage.\n", err)
	return exitUsage
}

// open returns the input of a command: the file named by its only argument, or stdin
// when there is none or it is "-". The name is what messages call it.
func open(cmd *cobra.Command, args []string) (r io.ReadCloser, name string, err error) {
	if len(args) == 0 || args[0] == "-" {
		return io.NopCloser(cmd.InOrStdin()), "<stdin>", nil
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, "", wrong(err)
	}
	return f, args[0], nil
}
