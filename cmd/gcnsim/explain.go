package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/listing"
	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/internal/explain"
)

// explaining has the flags and arguments of the command explain.
type explaining struct {
	mcpu, at string
}

func explainCommand() *cobra.Command {
	var x explaining
	cmd := &cobra.Command{
		Use:   "explain inst|vsharp|tsharp|ssharp [WORD...|FILE.o]",
		Short: "Show the fields of an instruction or a descriptor and what they mean",
		Example: `  gcnsim explain --mcpu=fiji inst e0501000 80000100
  gcnsim explain inst kernel.o --at=vadd+0x10
  gcnsim explain --mcpu=fiji vsharp 00010000 00040000 00000100 00027fac`,
		Args: cli.Arguments(1, -1, "what to explain: inst, vsharp, tsharp or ssharp, and its words"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(explain.Kinds(), args[0]) {
				if _, found := handbook.Lookup(args[0]); found {
					return fmt.Errorf("explain: %s is a rule of the handbook; give gcnsim explain rule %[1]s", args[0])
				}
				return fmt.Errorf("explain: unknown kind %q; known are inst, vsharp, tsharp, ssharp, rule", args[0])
			}
			if len(args) == 2 && args[0] == "inst" {
				if isFile, err := listing.NamesFile(args[1], x.mcpu != ""); err != nil {
					return cli.Wrong(err)
				} else if isFile {
					return x.object(cmd, args[1])
				}
			}
			return x.words(cmd, args[0], args[1:])
		},
	}
	cli.MCPUFlag(cmd, &x.mcpu, cli.MCPUUsage)
	cmd.ValidArgsFunction = cobra.FixedCompletions(explain.Kinds(), cobra.ShellCompDirectiveNoFileComp)
	cmd.Flags().StringVar(&x.at, "at", "", "of an ELF file: the instruction at an `ADDRESS`, or at a symbol, as in "+
		"vadd+0x10")
	cmd.AddCommand(explainRuleCommand())
	return cmd
}

// object explains the instructions of an ELF file. The file names its processor.
func (x *explaining) object(cmd *cobra.Command, name string) error {
	src, name, err := cli.ReadAll(cmd, []string{name}, cli.MaxInputBytes)
	if err != nil {
		return err
	}
	text, err := listing.Explain(src, x.at)
	if err != nil {
		return cli.Wrong(listing.Located(name, err))
	}
	_, err = io.WriteString(cmd.OutOrStdout(), text)
	return err
}

func supportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "support",
		Short: "Print which instructions decode and execute on which generation, as Markdown",
		Args:  cli.Arguments(0, 0, "none"),
		RunE:  func(cmd *cobra.Command, _ []string) error { return explain.WriteSupport(cmd.OutOrStdout()) },
	}
}
