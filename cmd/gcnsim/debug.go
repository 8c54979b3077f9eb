package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/debug"
	"github.com/gcnsim/gcnsim/cmd/internal/report"
)

// debugOptions come from the command line of debug, or from the arguments of a launch request.
type debugOptions struct {
	run         report.Options
	group       uint64
	checkpoints uint64
	listen      string
}

func (o *debugOptions) flags(cmd *cobra.Command) {
	runFlags(cmd, &o.run)
	for _, name := range []string{"timing", "stats", "sensitivity", "trace", "konata", "report", "window", "draw",
		"picture", "fidelity"} {
		_ = cmd.Flags().MarkHidden(name) // they are there
	}
	cli.NumberFlag(cmd, &o.group, "group", 0, math.MaxInt64, "number of the first work-group that is looked at, in the "+
		"order of the grid; those before it run to their ends first")
	cli.NumberFlag(cmd, &o.checkpoints, "checkpoints", 0, math.MaxInt32, "bytes that states of the run may take, from "+
		"which it goes back (default 268435456)")
	cmd.Flags().StringVar(&o.listen, "listen", "", "wait for one client at this `ADDRESS` of the machine itself, as in "+
		"127.0.0.1:4711 or localhost:0, in place of standard input and output")
}

const checkpointBytes = 256 << 20

func debugCommand() *cobra.Command {
	o := &debugOptions{checkpoints: checkpointBytes}
	cmd := &cobra.Command{
		Use:   "debug [FILE]",
		Short: "Step through a program in an editor, forward and back",
		Long: `Step through a program in an editor, forward and back.

It speaks the Debug Adapter Protocol on standard input and output: an editor starts it. docs/DEBUG.md has the lines that
editors need. FILE and the flags are those of run; the arguments program and args of a launch request take their place.`,
		Example: `  gcnsim debug --mcpu=fiji program.s
  gcnsim debug --listen=localhost:4711 --kernel=vadd --grid=256 --arg=buffer=1024 vadd.co`,
		Args: cli.Arguments(0, 1, "at most one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			launch := func(program string, more []string) (*debug.Debugger, error) {
				again := o
				if len(more) > 0 {
					again = &debugOptions{checkpoints: checkpointBytes}
					flags := &cobra.Command{Use: "debug"}
					again.flags(flags)
					if err := flags.ParseFlags(more); err != nil {
						return nil, fmt.Errorf("args: %w", err)
					}
				}
				if program == "" && len(args) == 1 {
					program = args[0]
				}
				if program == "" {
					return nil, errors.New("there is no program; give program in the launch request, or a FILE")
				}
				data, err := cli.ReadFile(program)
				if err != nil {
					return nil, err
				}
				return debug.Launch(program, data, &again.run, debug.Options{First: int64(again.group),
					Checkpoints: int(again.checkpoints)})
			}
			if o.listen != "" {
				return cli.Wrong(serveDebug(cmd.Context(), cmd, o.listen, launch))
			}
			return cli.Wrong(debug.Serve(cmd.InOrStdin(), cmd.OutOrStdout(), launch))
		},
	}
	o.flags(cmd)
	return cmd
}

// serveDebug answers one client that connects to an address of the machine itself.
func serveDebug(ctx context.Context, cmd *cobra.Command, address string, launch debug.Launcher) error {
	l, err := debug.Listen(address)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { l.Close() })()
	fmt.Fprintf(cmd.ErrOrStderr(), "waiting for a client at %s\n", l.Addr())
	conn, err := l.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	return debug.Serve(conn, conn, launch)
}
