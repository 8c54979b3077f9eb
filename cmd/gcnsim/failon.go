package main

import (
	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/sim/check"
)

// failOn is the severity from which on a finding makes a command fail.
type failOn struct {
	severity check.Severity
	set      bool
}

// failOnFlag adds --fail-on to cmd.
func failOnFlag(cmd *cobra.Command, into *failOn) {
	cmd.Flags().Var(into, "fail-on", "exit with status 1 if there is a finding of this severity or a worse one: note, warning, error")
	completes(cmd, "fail-on", check.Severities()...)
}

// Set reads the value of the flag.
func (f *failOn) Set(s string) (err error) {
	f.severity, err = check.ParseSeverity(s)
	f.set = err == nil
	return err
}

func (f *failOn) String() string {
	if !f.set {
		return ""
	}
	return f.severity.String()
}

// Type is what help calls the value.
func (f *failOn) Type() string { return "SEVERITY" }

// from returns the severity, nil if there is none.
func (f *failOn) from() *check.Severity {
	if !f.set {
		return nil
	}
	return &f.severity
}

// args returns the flag as a command line has it.
func (f *failOn) args() []string {
	if !f.set {
		return nil
	}
	return []string{"--fail-on=" + f.String()}
}

// judge returns [errFailed] if findings are as bad as f says.
func (f *failOn) judge(findings []check.Finding) error {
	if worst, ok := check.Worst(findings); f.set && ok && worst >= f.severity {
		return errFailed
	}
	return nil
}
