package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/gcn"
)

// completes lets a shell complete the value of a flag.
func completes(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
}

// mcpuFlag adds --mcpu to cmd.
func mcpuFlag(cmd *cobra.Command, into *string, usage string) {
	cmd.Flags().StringVar(into, "mcpu", "", usage)
	completes(cmd, "mcpu", gcn.TargetNames()...)
}

// mcpuUsage says what --mcpu takes.
const mcpuUsage = "processor, as in gfx803, fiji or gcn1.2"

// jobCount is how many things run at a time.
type jobCount int

// maxJobs is more than any machine can use: each of them has registers and memory of its own.
const maxJobs = 1024

// Set reads the value of the flag.
func (j *jobCount) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n < 1 || n > maxJobs {
		return fmt.Errorf("give a number from 1 to %d", maxJobs)
	}
	*j = jobCount(n)
	return nil
}

func (j *jobCount) String() string { return strconv.Itoa(int(*j)) }

// Type is what help calls the value.
func (j *jobCount) Type() string { return "N" }
