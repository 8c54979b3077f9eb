package main

import (
	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/cli"
	"github.com/gcnsim/gcnsim/cmd/internal/report"
	"github.com/gcnsim/gcnsim/handbook"
)

func explainRuleCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "rule [ID...]",
		Short:   "Print rules of the handbook; without ID the list",
		Example: "  gcnsim explain rule A6 K2",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.Wrong(report.Rules(cmd.OutOrStdout(), args))
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			for _, r := range handbook.Rules() {
				ids = append(ids, r.ID+"\t"+r.Title)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
	}
}
