// Command gcnsim assembles, disassembles and executes GCN machine code. What it prints
// for programs (asm, dis, exec, dispatch) is a contract: see docs/CLI.md.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/internal/cli"
)

// insist is how long after an interrupt another one ends the program at once. Those who pass
// signals on may send the first one twice.
const insist = time.Second

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, func() { time.AfterFunc(insist, cancel) })
	status := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	cancel()
	os.Exit(status)
}

// run executes one command line and returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return cli.Run(ctx, rootCommand(), args, stdin, stdout, stderr)
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "gcnsim",
		Short:         "Simulate the memory unit of an AMD GCN wavefront",
		Version:       cli.Version(),
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
