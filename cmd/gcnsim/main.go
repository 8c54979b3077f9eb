// Command gcnsim assembles, disassembles and executes GCN machine code. The output of asm, dis, exec and dispatch,
// which other programs read, is a contract: see docs/CLI.md.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/gcnsim/interrupt"
	"github.com/gcnsim/gcnsim/cmd/internal/cli"
)

func main() { os.Exit(run(interrupt.Context(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run executes one command line and returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return cli.Run(ctx, rootCommand(), args, stdin, stdout, stderr)
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "gcnsim",
		Short:         "Simulate the memory unit of an AMD GCN wavefront",
		Version:       cli.Version() + "\n" + cli.Build(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(
		asmCommand(),
		checkCommand(),
		debugCommand(),
		diffCommand(),
		disCommand(),
		dispatchCommand(),
		drawCommand(),
		execCommand(),
		explainCommand(),
		gpuCommand(),
		gradeCommand(),
		huntCommand(),
		manCommand(),
		pageCommand(),
		reduceCommand(),
		runCommand(),
		supportCommand(),
		sweepCommand(),
		testCommand(),
		timingCommand(),
		versionCommand(root.Version),
	)
	return root
}

func versionCommand(version string) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the build and the commit, as --version does",
		Args:  cli.Arguments(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "gcnsim version %s\n", version)
			return err
		},
	}
}
