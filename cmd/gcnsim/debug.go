package main

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/debug"
	"github.com/gcnsim/gcnsim/cmd/internal/report"
	"github.com/gcnsim/gcnsim/cmd/internal/shrink"
)

// debugOptions are from the command line of debug or from the arguments of a launch request.
type debugOptions struct {
	run         report.Options
	group       uint64
	at          debug.Place
	checkpoints uint64
	listen      string
}

func (o *debugOptions) flags(cmd *cobra.Command) {
	runFlags(cmd, &o.run)
	for _, name := range []string{"timing", "stats", "sensitivity", "trace", "konata", "report", "window",
		"fidelity"} {
		_ = cmd.Flags().MarkHidden(name) // the flags exist
	}
	cli.NumberFlag(cmd, &o.group, "group", 0, math.MaxInt64, "number of the first work-group that is looked at, in the "+
		"order of the grid; those before it run to their ends first")
	cmd.Flags().Var(&o.at, "at", "stop first before this instruction of a wave; what is before the colons is its "+
		"work-group, all count from 0")
	cli.NumberFlag(cmd, &o.checkpoints, "checkpoints", 0, math.MaxInt32, "bytes that states of the run may take, from "+
		"which it goes back")
	cmd.Flags().StringVar(&o.listen, "listen", "", "wait for one client at this `ADDRESS` of the machine itself, as in "+
		"127.0.0.1:4711 or localhost:0, in place of standard input and output")
}

func debugCommand() *cobra.Command {
	o := &debugOptions{checkpoints: debug.DefaultCheckpoints}
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
					again = &debugOptions{checkpoints: debug.DefaultCheckpoints}
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
				return debug.Launch(program, data, nil, &again.run, debug.Options{First: int64(again.group), At: again.at,
					Checkpoints: int(again.checkpoints)})
			}
			if o.listen == "" {
				return cli.Wrong(debug.Serve(cmd.InOrStdin(), cmd.OutOrStdout(), launch))
			}
			l, err := debug.Listen(o.listen)
			if err != nil {
				return cli.Wrong(err)
			}
			defer l.Close()
			fmt.Fprintf(cmd.ErrOrStderr(), "waiting for a client at %s\n", l.Addr())
			return cli.Wrong(debug.ServeOne(cmd.Context(), l, launch))
		},
	}
	o.flags(cmd)
	return cmd
}

// debugLine returns the debug command for the same execution as the command run of a file, with the flags that both
// have.
func debugLine(run *cobra.Command, file string) string {
	known := debugCommand().Flags()
	words := []string{"gcnsim debug"}
	run.Flags().Visit(func(f *pflag.Flag) {
		if same := known.Lookup(f.Name); same == nil || same.Hidden {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			words = append(words, "--"+f.Name+"="+shrink.Quoted(v))
		}
	})
	return strings.Join(append(words, shrink.Quoted(file)), " ")
}
