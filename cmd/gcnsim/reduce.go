package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/cmd/internal/shrink"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

func reduceCommand() *cobra.Command {
	var r reduction
	cmd := &cobra.Command{
		Use:   "reduce --spec=SPEC.json A.co B.co | --program=FILE --test=COMMAND",
		Short: "Make the input of two programs that differ, or a program, as small as it can be",
		Long: `Make the input of two programs that differ as small as it can be: fewer work-items, smaller arguments and buffers,
data that is 0.

A.co and B.co are code objects in place of that of the specification. The specification for which they still differ,
to attach to the report of a bug, is printed, or written to a file with -o. Its code_object is that of SPEC.json: give
it to gcnsim diff --spec.

With --program it is the program that is made small, a text in any language: functions, blocks, lines and tokens are
left out as long as the command of --test, in which {} stands for the file, ends with status 0. With -o the smallest
text so far is written as it is found. If the command has {bisect}, as in llc {bisect} or clang -mllvm {bisect}, that is
LLVM's option -opt-bisect-limit=N, and the pass is named that makes the smallest text what it is.`,
		Example: `  gcnsim reduce --spec=k.json -o small.json old.co new.co
  gcnsim diff --spec=small.json old.co new.co
  gcnsim reduce --program=k.cl -o small.cl --test='old -c {} -o {}.a.o && new -c {} -o {}.b.o && gcnsim diff --expect=memory {}.a.o {}.b.o'`,
		Args: cli.Arguments(0, 2, "two code objects, A.co and B.co, or none with --program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if r.program.Name != "" {
				return r.ofProgram(cmd, args)
			}
			return r.ofInput(cmd, args)
		},
	}
	cli.Judges(cmd)
	f := cmd.Flags()
	specFlag(cmd, &r.spec)
	cli.NumberFlag(cmd, &r.seeds, "seeds", 1, cli.MaxJobs,
		"how many seeds of random data are tried until one differs (default 1)")
	f.StringVarP(&r.output, "output", "o", "", "file to write, in place of standard output")
	f.StringVar(&r.program.Name, "program", "", "text to make smaller: .cl, .hip, .ll, .s, or another")
	f.StringVar(&r.test.Line, "test", "",
		"line of a shell that says whether {}, the program, still has what is looked for")
	f.StringVar(&r.ir, "ir", "", "command that compiles {} to LLVM IR in {}.ll, which is made smaller then, into OUT.ll")
	cli.SecondsFlag(cmd, &r.each, "test-seconds", cli.MaxSeconds, "how long a test may take (default 60)")
	cli.SecondsFlag(cmd, &r.all, "seconds", cli.MaxSeconds, "how long it may take (default 0: as long as it likes)")
	f.BoolVar(&r.alone, "builtin", false, "do without llvm-reduce where it is installed")
	cli.Reads(cmd, "program")
	cli.Writes(cmd, "output")
	return cmd
}

// reduction has the flags of reduce.
type reduction struct {
	spec, output string
	seeds        int
	program      shrink.Program
	test         shrink.Command
	ir           string  // command that compiles the program to LLVM IR
	each, all    float64 // time limits in seconds
	alone        bool
}

// ofInput reduces the input of two programs.
func (r *reduction) ofInput(cmd *cobra.Command, args []string) error {
	if err := cli.Unused(cmd, "of --program", "test", "ir", "test-seconds", "seconds", "builtin"); err != nil {
		return err
	}
	switch {
	case r.spec == "":
		return errors.New(`required flag(s) "spec" not set; or give a program with --program`)
	case len(args) != 2:
		return fmt.Errorf("reduce: %s given; give two code objects, A.co and B.co", plural.Of(len(args), "argument"))
	}
	text, err := cli.ReadFile(r.spec)
	if err != nil {
		return cli.Wrong(err)
	}
	q := &request.ReduceRequest{Spec: text, Name: r.spec, A: args[0], B: args[1], Uses: cli.Uses(cmd)}
	progress := cli.ProgressOf(cmd)
	q.Seeds, q.Progress = r.seeds, progress.Tell
	small, err := q.Run(cmd.Context())
	progress.End()
	if errors.Is(err, request.ErrSame) {
		fmt.Fprintln(cmd.ErrOrStderr(), err)
		return cli.ErrFailed
	}
	if err != nil {
		return cli.Wrong(err)
	}
	if r.output != "" {
		err = request.WriteReduced(r.output, small)
	} else {
		_, err = cmd.OutOrStdout().Write(small)
	}
	return cli.Wrong(err)
}
