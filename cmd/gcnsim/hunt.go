package main

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/hunt"
	"github.com/gcnsim/gcnsim/cmd/internal/request"
)

func huntCommand() *cobra.Command {
	h := &hunt.Hunt{}
	var known string
	cmd := &cobra.Command{
		Use:   "hunt --cc=COMMAND|--glsl [--out=DIR]",
		Short: "Look for programs that compilers get wrong",
		Long: `Look for programs that compilers get wrong.

Random kernels in OpenCL C without undefined behaviour are compiled with each command of --cc, each level of --levels
in place of {O}, and each processor of --chips in place of {cpu}, and run. They are also programs in C: what the host's
compiler makes of the same text says what they must leave. With --ir they are LLVM IR, for llc: branches, loops, phis,
integers of odd widths, intrinsics, cross-lane operations; what they must leave is computed from the text, and one
that uses poison or is undefined is thrown away. With --seed=DIR they are variants of your own kernels, the files .cl
and .ll of DIR, with code that is never reached and loops of one turn: each must leave what the kernel leaves. With
--glsl they are compute shaders with images and subgroup operations; the Vulkan driver of Mesa compiles them on the
virtual card of gcnsim gpu, with ACO and with LLVM. With --asm they are assembly with the waits that it needs, which
must leave what it leaves as gcnsim assembles it. A build that leaves something else, faults, or lacks waits is a bug of
its compiler, as are compilers that crash or do not end. Its program is made small, and each bug has one directory in
DIR, with a report. The status is 1 if there is a bug in DIR that --known does not name, 3 if nothing could be judged.
If DIR is there, the hunt goes on behind the last program.

A compiler of one word, as clang-22 or llc-22, gets the options that it takes.`,
		Example: `  gcnsim hunt --cc=clang-19 --cc=clang-22 --time=10m
  gcnsim hunt --glsl --chip=vega10 --time=10m
  gcnsim hunt --cc='clang-19 -x cl --target=amdgcn-amd-amdhsa -nogpulib -mcpu={cpu} {O} -c' --levels=-O0,-O2 --chips=gfx803,gfx900 --time=1h --out=bugs
  gcnsim hunt --ir --cc='llc-19 {O} -mcpu={cpu} -filetype=obj' --levels='-O0,-O2,-O2 -global-isel' --chips=gfx600,gfx906 --count=1000 --out=ir
  gcnsim hunt --seed=kernels/ --cc='clang-19 --target=amdgcn-amd-amdhsa -nogpulib -mcpu=gfx900 {O} -c' --levels=-O0,-O2 --count=1000 --out=variants
  gcnsim hunt show bugs`,
		Args: cli.Arguments(0, 0, "none; compilers are given with --cc"),
		RunE: func(cmd *cobra.Command, _ []string) error { return huntRun(cmd, h, known) },
	}
	cli.Judges(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&h.CC, "cc", nil, "command of a compiler, with {O}, {cpu}, {in} and {out}; any number of them")
	f.StringSliceVar(&h.Levels, "levels", nil, "what stands in place of {O} (default, where --cc has it: "+
		"-O0,-O2; with --glsl "+strings.Join(hunt.Compilers, ",")+")")
	f.StringSliceVar(&h.Chips, "chips", nil, "what stands in place of {cpu} (default, where --cc has it: gfx900; with\n"+
		"--glsl vega10); --chip is the same")
	f.SetNormalizeFunc(chipAsChips)
	f.BoolVar(&h.IR, "ir", false, "programs are LLVM IR, in place of OpenCL C")
	f.BoolVar(&h.Assembly, "asm", false, "programs are assembly, for assemblers")
	f.BoolVar(&h.GLSL, "glsl", false, "programs are compute shaders, for Mesa's drivers on the virtual card")
	f.StringVar(&h.Host, "host", "cc", "the host's compiler of C, gcc or clang; not of use with --ir, --asm")
	f.StringVar(&h.Out, "out", "bugs", "directory of the bugs")
	f.StringVar(&known, "known", "", "file of signatures that are known, one a line")
	cli.Reads(cmd, "known")
	f.Var(&hunt.SeedFlag{Hunt: h}, "seed", "seed of the first program (default 0, or behind the last one in --out), or\n"+
		"a directory of kernels whose variants are tested; both may be given")
	cli.NumberFlag(cmd, &h.Count, "count", 1, 1<<63, "how many programs are tried (default: as many as there is time for)")
	cli.TimeFlag(cmd, &h.Time, "time", "how long it looks (default 0: until it is interrupted)")
	cli.NumberFlag(cmd, &h.Jobs, "jobs", 1, cli.MaxJobs, "how many programs at a time (default: one for each CPU)")
	h.CompileTime, h.ReduceTime = time.Minute, 5*time.Minute
	cli.TimeFlag(cmd, &h.CompileTime, "compile-time", "how long a call of a compiler may take")
	cli.TimeFlag(cmd, &h.ReduceTime, "reduce-time", "how long a program is made smaller")
	cmd.AddCommand(huntShowCommand())
	return cmd
}

// chipAsChips makes --chip another name of the flag --chips, because gpu calls it so.
func chipAsChips(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if name == "chip" {
		name = "chips"
	}
	return pflag.NormalizedName(name)
}

// huntRun hunts and prints a summary.
func huntRun(cmd *cobra.Command, h *hunt.Hunt, known string) error {
	switch {
	case len(h.CC) == 0 && !h.GLSL:
		return errors.New("hunt: give compilers with --cc, or --glsl")
	case (h.GLSL || h.Assembly) && (h.IR || h.Kernels != "" || h.GLSL && h.Assembly):
		return errors.New("hunt: --glsl and --asm are for random programs; leave out all but one of --asm, --glsl, " +
			"--ir and --seed=DIR")
	case h.IR && h.Kernels != "":
		return errors.New("hunt: --ir is for random programs; leave it out with --seed=DIR, whose files .ll are IR")
	case h.Kernels != "" && cmd.Flags().Changed("host"):
		return errors.New("hunt: --host is of no use with --seed=DIR, whose answers take no compiler")
	case (h.IR || h.Assembly) && cmd.Flags().Changed("host"):
		return errors.New("hunt: --host is of no use with --ir and --asm, whose answers take no compiler")
	case h.CompileTime == 0:
		return &request.FlagError{Flag: "compile-time", Err: errors.New("give a time, as in 1m")}
	}
	self, err := os.Executable()
	if err != nil {
		return cli.Wrong(err)
	}
	h.Self = self
	if err := h.Check(); err != nil {
		return &request.FlagError{Flag: "cc", Err: err}
	}
	if known != "" {
		text, err := cli.ReadFile(known)
		if err != nil {
			return cli.Wrong(err)
		}
		h.Known = hunt.Signatures(text)
	}
	if h.Jobs == 0 {
		h.Jobs = runtime.NumCPU()
	}
	cli.WritesAll(cmd)
	cli.Leaves(cmd, func() string { return h.Out + " has what was found; the same command goes on" })
	progress := cli.ProgressOf(cmd)
	h.Progress = progress.Tell
	sum, err := h.Run(cmd.Context())
	progress.End()
	if err != nil {
		return cli.Wrong(err)
	}
	if err := sum.Write(cmd.OutOrStdout()); err != nil {
		return cli.Wrong(err)
	}
	switch {
	case len(sum.Bugs) > 0:
		return cli.ErrFailed
	case sum.Judged == 0:
		return cli.Exited(cli.ExitNoVerdict)
	}
	return nil
}

func huntShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show DIR...",
		Short: "Print one line for each bug that hunts have found",
		Args:  cli.Arguments(1, -1, "directories of hunts"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.Wrong(hunt.Show(args, cmd.OutOrStdout()))
		},
	}
}
