package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/gcn"
)

// Completes lets a shell complete the value of a flag.
func Completes(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
}

// MCPUFlag adds --mcpu to cmd.
func MCPUFlag(cmd *cobra.Command, into *string, usage string) {
	cmd.Flags().StringVar(into, "mcpu", "", usage)
	Completes(cmd, "mcpu", processors()...)
}

// processors are the names that [gcn.ParseTarget] takes.
func processors() (names []string) {
	var chips []string
	for t := range gcn.Target(gcn.NumTargets) {
		names, chips = append(names, t.String()), append(chips, t.Traits().Chips...)
	}
	names = append(names, chips...)
	for g := range gcn.Gen(gcn.NumGens) {
		names = append(names, g.String())
	}
	return names
}

// MCPUUsage says what --mcpu takes.
const MCPUUsage = "processor, as in gfx803, fiji or gcn1.2"

// Jobs is how many things run at a time.
type Jobs int

// maxJobs is more than any machine can use: each of them has registers and memory of its own.
const maxJobs = 1024

// Set reads the value of the flag.
func (j *Jobs) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n < 1 || n > maxJobs {
		return fmt.Errorf("give a number from 1 to %d", maxJobs)
	}
	*j = Jobs(n)
	return nil
}

func (j *Jobs) String() string { return strconv.Itoa(int(*j)) }

// Type is what help calls the value.
func (j *Jobs) Type() string { return "N" }

// Arguments refuses too few or too many arguments; what says which ones there are.
func Arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return fmt.Errorf("%s: there are %d arguments; give %s", cmd.Name(), len(args), what)
		}
		return nil
	}
}
