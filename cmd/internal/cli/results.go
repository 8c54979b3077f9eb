package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/internal/specjson"
	"github.com/gcnsim/gcnsim/sim/compare"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// Result is what a command found out about a kernel or a test.
type Result struct {
	Name        string
	Verdict     compare.Verdict
	Text, Lines func(w io.Writer) error // write it for people and as JSON

	launch *spec.Dispatch // the one that tells, nil if there is none
	object string         // the file whose kernel that is
}

func resultOfPair(k *spec.KernelComparison, object string) *Result {
	r := &Result{Name: k.Kernel, Text: k.Write, launch: k.Launch, object: object}
	r.Verdict, _ = k.Verdict()
	r.Lines = func(w io.Writer) error { return specjson.WriteKernel(w, k) }
	return r
}

func resultOfGroups(g *spec.KernelGroups) *Result {
	tells := g.Telling()
	r := &Result{Name: g.Kernel, Text: g.Write, launch: tells.Launch, object: g.Names[tells.A]}
	r.Verdict, _ = g.Verdict()
	r.Lines = func(w io.Writer) error { return specjson.WriteGroups(w, g) }
	return r
}

// FormatFlag adds --format to cmd.
func FormatFlag(cmd *cobra.Command, into *string, usage string) {
	ChoiceFlag(cmd, into, "format", "text, json or junit (default text): "+usage, []string{"text", "json", "junit"})
}

// Results writes results in a form of [FormatFlag], "" is text, and ends the command as they say: with
// status 1 if one differs, else without a verdict if one has none. JUnit has names for all of them and for
// what they are about.
func Results(w io.Writer, suite, about string, all []*Result, form string) error {
	if form == "junit" {
		if err := writeJUnit(w, suite, about, all); err != nil {
			return Wrong(err)
		}
	}
	count := map[compare.Verdict]int{}
	for _, r := range all {
		count[r.Verdict]++
		write := r.Text
		switch form {
		case "junit":
			continue
		case "json":
			write = r.Lines
		}
		if err := write(w); err != nil {
			return Wrong(err)
		}
	}
	switch {
	case count[compare.Different] > 0:
		return ErrFailed
	case count[compare.NoVerdict] > 0:
		return Exited(ExitNoVerdict)
	}
	return nil
}
