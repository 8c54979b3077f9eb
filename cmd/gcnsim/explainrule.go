package main

import (
	"bufio"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/handbook"
)

// ruleColumns is the width of the text of rules.
const ruleColumns = 100

func explainRuleCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "rule [ID...]",
		Short:   "Print rules of the handbook; without ID the list",
		Example: "  gcnsim explain rule A6 K2",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			out := bufio.NewWriter(cmd.OutOrStdout())
			if len(args) == 0 {
				listRules(out)
				return out.Flush()
			}
			for i, id := range args {
				r, ok := handbook.Lookup(id)
				if !ok {
					return wrong(unknownRule(id))
				}
				if i > 0 {
					fmt.Fprintln(out)
				}
				fmt.Fprint(out, r.Plain(ruleColumns))
			}
			return out.Flush()
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

// listRules prints the rules by chapter.
func listRules(out *bufio.Writer) {
	for i, c := range handbook.Chapters() {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintln(out, c.Title)
		for _, r := range c.Rules {
			fmt.Fprintf(out, "  %-4s  %s\n", r.ID, r.Title)
		}
	}
}

// unknownRule says that there is no rule with an identifier, and which there are.
func unknownRule(id string) error {
	hint := handbook.Suggest(id)
	if hint == "" {
		hint = "gcnsim explain rule lists them"
	}
	return fmt.Errorf("explain: there is no rule %q; %s", id, hint)
}
