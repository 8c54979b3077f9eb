package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/boards"
	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/report"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
)

func runCommand() *cobra.Command {
	var o report.Options
	var fail cli.FailOn
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a program, or a dispatch, and print for people what it did",
		Long: `Run a program, or a dispatch, and print for people what it did.

FILE, or - for standard input, is a text in LLVM syntax, which runs on one wave whose registers are 0; a code object,
or the text of one as clang -S writes it, of which a kernel runs if it is chosen; or JSON, a specification of a
dispatch or one request of exec. For a chip before GCN, of R600 or R700, it is a text with a vertex shader and a
pixel shader, which copy a picture.`,
		Example: `  gcnsim run --mcpu=fiji --stats program.s
  clang -x cl --target=amdgcn-amd-amdhsa -mcpu=fiji -nogpulib -S -o - k.cl | gcnsim run --grid=256 --arg=random=1024:f32 --arg=u32=7 -
  gcnsim run --report=vadd.html vadd.json
  gcnsim run --mcpu=rv770 copy.txt --arg in=in.png --arg out=out.png`,
		Args: cli.Arguments(1, 1, "one FILE, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, name, err := cli.ReadAll(cmd, args, cli.MaxInputBytes)
			if err != nil {
				return err
			}
			if o.Trace != "" || o.Konata != "" || o.Report != "" {
				cli.WritesAll(cmd)
			}
			if o.Report != "" && args[0] != "-" {
				o.Debug = debugLine(cmd, args[0])
			}
			o.Judged, o.Uses = fail.From() != nil, cli.Uses(cmd)
			o.Progress = report.Progress(cmd.ErrOrStderr())
			o.Leaves = func(text func() string) { cli.Leaves(cmd, text) }
			findings, err := report.Run(cmd.Context(), name, data, &o, cmd.OutOrStdout())
			switch {
			case errors.Is(err, report.ErrAnswered):
				return cli.ErrFailed
			case err != nil:
				return cli.Wrong(err)
			}
			return fail.Judge(findings)
		},
	}
	runFlags(cmd, &o)
	fail.Add(cmd)
	cli.Needs(cmd, "window", "report")
	cli.Reads(cmd, "suppressions", "trap-handler")
	cli.Writes(cmd, "trace", "konata", "report")
	return cmd
}

// runFlags adds flags that set fields of o.
func runFlags(cmd *cobra.Command, o *report.Options) {
	cli.MCPUFlag(cmd, &o.MCPU, "processor of a text without .amdgcn_target; a chip name chooses the chip, too")
	cli.ChoiceFlag(cmd, &o.Chip, "chip", "chip or board whose times and tiling registers are taken",
		slices.Concat(chip.Names(), boards.Names()))
	cli.TimingFlag(cmd, &o.Timing, "show how many cycles the run takes on a model of the chip, and why")
	cmd.Flags().BoolVar(&o.Stats, "stats", false,
		"count instructions, lanes and bytes by instruction, and show when each issued and what it waited for")
	cmd.Flags().BoolVar(&o.Sensitivity, "sensitivity", false,
		"show how much each assumed parameter of the model of time moves the cycles: the run is repeated for each")
	cmd.Flags().StringVar(&o.Trace, "trace", "", "write a Chrome trace (for Perfetto), in cycles, to this file")
	cmd.Flags().StringVar(&o.Konata, "konata", "", "write a trace for the Konata pipeline viewer to this file")
	cmd.Flags().StringVar(&o.Report, "report", "", "write an HTML page about the run to this file")
	cmd.Flags().Var(report.Window{Options: &o.Record}, "window",
		"first wave, and first instruction of each, that the report shows step by step; both count from 0")
	cli.CheckFlag(cmd, &o.Check)
	cmd.Flags().StringVar(&o.Suppressions, "suppressions", "",
		"leave out the findings that this file names, a line each: a kind, then an address of dis --addresses, a symbol "+
			"or vadd+0x48")
	cmd.Flags().StringSliceVar(&o.Schedules, "schedule", nil,
		"order of the waves of a dispatch: round-robin, reverse, random:SEED; of several, as in reverse,random:1,random:2, "+
			"each is tried, and the status is 1 if it does not leave the same")
	cli.RulesFlag(cmd, &o.Rules)
	cmd.Flags().StringVar(&o.TrapHandler, "trap-handler", "",
		"text of the code that waves enter on traps, such as exceptions that MODE enables, in place of that of the file")
	cmd.Flags().BoolVar(&o.Fidelity, "fidelity", false,
		"show how surely each instruction does what hardware does, and why")
	cmd.Flags().StringVar(&o.Command.Kernel, "kernel", "", "the kernel of a code object; its only one if there is one")
	cmd.Flags().StringSliceVar(&o.Command.Grid, "grid", nil, "how many work-items it runs, as in 1024 or 64,32")
	cmd.Flags().StringSliceVar(&o.Command.Workgroup, "workgroup", nil, "and in work-groups of how many (default 64)")
	cmd.Flags().StringArrayVar(&o.Command.Args, "arg", nil,
		"one argument after the other: u32=5, f32=1.5, u64=5, local=1024, hex=0011, buffer=BYTES, buffer=@FILE, "+
			"random=BYTES:f32, or JSON as in a specification; before GCN in=FILE.png and out=FILE.png")
	cli.LimitFlag(cmd, &o.Limit)
}
