package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/files"
	"github.com/gcnsim/gcnsim/internal/listing"
	"github.com/gcnsim/gcnsim/sim/explain"
)

func explainCommand() *cobra.Command {
	var mcpu string
	cmd := &cobra.Command{
		Use:   "explain inst|vsharp|tsharp|ssharp [WORD...]",
		Short: "Show the fields of an instruction or a descriptor and what they mean",
		Example: `  gcnsim explain --mcpu=fiji inst e0501000 80000100
  gcnsim explain --mcpu=fiji vsharp 00010000 00040000 00000100 00027fac`,
		Args: arguments(1, -1, "what to explain: inst, vsharp, tsharp or ssharp, and its words"),
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := gcn.ParseTarget(mcpu)
			if err != nil {
				return err
			}
			if !slices.Contains(explain.Kinds(), args[0]) {
				return fmt.Errorf("explain: unknown kind %q; known are inst, vsharp, tsharp, ssharp", args[0])
			}
			words, err := explainWords(cmd, args[1:])
			if err != nil {
				return wrong(err)
			}
			x, err := explain.Words(args[0], target, words)
			if err != nil {
				return wrong(err)
			}
			_, err = io.WriteString(cmd.OutOrStdout(), x.String())
			return err
		},
	}
	mcpuFlag(cmd, &mcpu, mcpuUsage)
	cmd.ValidArgsFunction = cobra.FixedCompletions(explain.Kinds(), cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.MarkFlagRequired("mcpu")
	cmd.AddCommand(explainRuleCommand())
	return cmd
}

// explainWords reads the machine words of args, or of standard input when there are none.
func explainWords(cmd *cobra.Command, args []string) ([]uint32, error) {
	src, name := strings.Join(args, " "), "<arguments>"
	if src == "" || src == "-" {
		all, in, err := readAll(cmd, nil, maxTextBytes)
		if err != nil {
			return nil, err
		}
		src, name = files.String(all), in
	}
	words, _, err := listing.Words(src, 1)
	if err != nil {
		return nil, listing.Located(name, err)
	}
	return words, nil
}

func supportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "support",
		Short: "Print which instructions decode and execute on which generation, as Markdown",
		Args:  arguments(0, 0, "none"),
		RunE:  func(cmd *cobra.Command, _ []string) error { return explain.WriteSupport(cmd.OutOrStdout()) },
	}
}
