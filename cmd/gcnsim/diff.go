package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/internal/verdict"
)

func diffCommand() *cobra.Command {
	var c comparison
	var fp, expect string
	cmd := &cobra.Command{
		Use:   "diff A B [C...]",
		Short: "Run two programs that should do the same and say where they do not",
		Long: `Run two programs that should do the same and say where they do not.

A and B are code objects: then each kernel that both have runs on launches that are found by its metadata and by
running it, and is checked; findings of kinds that B alone has are a difference. A comment says what is not to be
found: // GCNSIM: grid=1024 n=u32:1000 x=f32[1000]. Of more than two code objects those that do the same are a group,
and each group is compared with the first. Of two directories of code objects those of a name are compared, in a table
with a line for each kernel. Or A and B are specifications of dispatches, or directories of such, as gpu --save writes
them, in which those of a name are compared, or with --spec code objects that take the place of its own.
The programs may be of different compilers and processors. If they leave the same in all buffers, this is "same", with
status 0 and what they wrote and executed. If they do not, the status is 1, and the element that differs is shown, who
stored it, where its value comes from in each program, and the first instruction whose result differs. The status is 3
if there is no verdict: a program cannot run, both fault, or one of them writes nothing. With --expect=memory, as tests
of llvm-reduce and creduce want it, it is 0 if they leave something else in memory and 1 otherwise.`,
		Example: `  gcnsim diff old.o new.o
  gcnsim diff --kernel=vadd --launches=16 old.co new.co
  gcnsim diff O0.o O1.o O2.o O3.o
  gcnsim diff --hints=k.cl --save-spec=launches old.o new.o
  gcnsim diff --seeds=32 --spec=k.json old.co new.co
  gcnsim diff k.fiji.json k.gfx900.json
  gcnsim diff --expect=different old.o new.o
  gcnsim diff --time=1m O0/ O2/
  gcnsim diff before/ after/`,
		Args: cli.Arguments(2, -1, "two programs, A and B; or more that are code objects"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.options.Contract = fp == "contract"
			return cli.Expected(cmd, expect, c.compare(cmd, args))
		},
	}
	cli.Judges(cmd)
	specFlag(cmd, &c.spec)
	cli.NumberFlag(cmd, &c.options.Seeds, "seeds", 1, cli.MaxJobs, "how many seeds of random data are tried (default 1)")
	cli.NumberFlag(cmd, &c.options.Jobs, "jobs", 1, cli.MaxJobs, "how many of them at a time (default: one for each CPU)")
	cli.ChoiceFlag(cmd, &fp, "fp", "exact, or contract: fused multiply-adds may be products and sums (default exact)",
		[]string{"exact", "contract"})
	cli.ExpectFlag(cmd, &expect)
	cmd.Flags().BoolVar(&c.asJSON, "json", false, "print one line of JSON, or one for each kernel of two code objects")
	c.objects = cli.ObjectsFlags(cmd)
	return cmd
}

// comparison holds the flags of diff.
type comparison struct {
	spec    string
	options verdict.DiffOptions
	asJSON  bool
	objects *cli.Objects
}

// compare compares its arguments: directories, code objects or specifications.
func (c *comparison) compare(cmd *cobra.Command, args []string) error {
	if c.spec == "" && len(args) == 2 && cli.IsDirectory(args[0]) && cli.IsDirectory(args[1]) {
		return c.objects.CompareDirectories(cmd, args, c.options, c.asJSON)
	}
	if c.spec == "" && (len(args) > 2 || cli.IsObject(args[0]) && cli.IsObject(args[1])) {
		return c.objects.Compare(cmd, args, c.options, c.asJSON)
	}
	if len(args) > 2 {
		return &request.FlagError{Flag: "spec", Err: errors.New("it is for two code objects; give two, or leave it out")}
	}
	if err := c.objects.Unused(cmd); err != nil {
		return err
	}
	r, err := request.DiffFiles(cli.ReadFile, c.spec, args[0], args[1])
	if err == nil {
		r.DiffOptions = c.options
	}
	return cli.Compare(cmd, r, err, c.asJSON)
}

// specFlag adds --spec to cmd.
func specFlag(cmd *cobra.Command, into *string) {
	cmd.Flags().StringVar(into, "spec", "", "specification of the dispatch; A and B are then code objects")
	cli.Reads(cmd, "spec")
}
