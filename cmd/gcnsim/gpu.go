package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/boards"
	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/gpu"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
)

func gpuCommand() *cobra.Command {
	var o gpu.Options
	var fail cli.FailOn
	cmd := &cobra.Command{
		Use:   "gpu --chip=C [flags] -- PROGRAM [ARG...]",
		Short: "Run a Vulkan or OpenCL program with a virtual Radeon",
		Long: `Run a Vulkan or OpenCL program with a virtual Radeon.

The program is any that uses Mesa's drivers; it and all processes that it starts see one card, whose shaders run on
the simulator. What it prints is untouched. The exit status is the program's, or 1 if that is 0 and a shader or a
command stream went wrong.`,
		Example: `  gcnsim gpu --chip=hawaii -- vulkaninfo --summary
  gcnsim gpu --chip=fiji --check=all -- clinfo`,
		Args: cli.Arguments(1, -1, "a program and its arguments, after --"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cli.EndsItself(cmd)
			o.Uses = cli.Uses(cmd)
			out, err := gpu.Run(cmd.Context(), &o, args, cmd.ErrOrStderr())
			switch {
			case err != nil:
				return cli.Wrong(fmt.Errorf("gcnsim gpu: %w", err))
			case out.Status != cli.ExitOK:
				return cli.Exited(out.Status)
			case out.Faults > 0:
				return cli.ErrFailed
			}
			return fail.Judge(out.Findings)
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // flags behind the program belong to the program
	cli.ChoiceFlag(cmd, &o.Chip, "chip", "which card: "+strings.Join(chip.Names(), ", "),
		slices.Concat(chip.Names(), boards.Names()))
	_ = cmd.MarkFlagRequired("chip") // the flag exists
	cli.TimingFlag(cmd, &o.Timing, "clocks that the program reads are those of the time model, and show how long its "+
		"kernels take")
	flags.BoolVar(&o.Stats, "stats", false, "count dispatches, instructions, lanes and bytes by kernel")
	flags.BoolVar(&o.Runtime, "runtime", false, "show the kernels of ROCm's runtime itself, for copies and fills, too")
	flags.StringVar(&o.Trace, "trace", "", "write a Chrome trace (for Perfetto), in cycles, to this file")
	flags.StringVar(&o.Report, "report", "", "write an HTML page about the kernels to this file")
	flags.BoolVar(&o.List, "list", false,
		"show a line for each dispatch and draw: its number, grid, instructions and kernel")
	flags.StringVar(&o.Only, "only", "", "look only at dispatches of the kernel NAME, or at the Nth of them: NAME:N")
	flags.StringVar(&o.Debug, "debug", "", "stop the first dispatch, or that of the kernel NAME, until a debugger has "+
		"left it, as gcnsim debug is one")
	flags.Lookup("debug").NoOptDefVal = gpu.AnyKernel
	flags.StringVar(&o.Listen, "listen", "localhost:0", "`ADDRESS` of this machine where --debug waits for one client")
	flags.StringVar(&o.Save, "save", "",
		"write each distinct dispatch, as a code object and a specification for dispatch, "+
			"diff and reduce, to this directory")
	flags.StringVar(&o.Log, "log", "", "write what the program asked the device and it has not to this file")
	flags.StringVar(&o.Commands, "commands", "", "write a listing of the command buffers that are executed to this file")
	cli.CheckFlag(cmd, &o.Check)
	cli.LimitFlag(cmd, &o.Limit)
	fail.Add(cmd)
	cli.Needs(cmd, "fail-on", "check")
	cli.Needs(cmd, "listen", "debug")
	cli.Writes(cmd, "trace", "report", "log", "commands")
	return cmd
}
