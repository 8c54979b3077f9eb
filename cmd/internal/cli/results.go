package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/internal/prove"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/verdict"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// Result is the result of a command for a kernel or a test.
type Result struct {
	Name        string
	Verdict     compare.Verdict
	Text, Lines func(w io.Writer) error // write it for people and as JSON
	Alerts      []Alert                 // what is wrong, for SARIF

	kinds  []string       // of what differs, as JSON has them
	launch *spec.Dispatch // the launch that shows the difference; nil without a difference
	proof  *prove.Proof   // nil if none was looked for
	object string         // the file whose kernel that is
}

func resultOfPair(k *verdict.KernelComparison, names [2]string) *Result {
	r := &Result{Name: k.Kernel, Text: k.Write, Alerts: alertsOfPair(k, names), launch: k.Launch, object: names[0],
		proof: k.Proof}
	r.Verdict, _ = k.Verdict()
	r.kinds = []string{kindOf(&k.Result)}
	r.Lines = func(w io.Writer) error { return k.WriteJSON(w) }
	return r
}

func resultOfGroups(g *verdict.KernelGroups) *Result {
	tells := g.Telling()
	r := &Result{Name: g.Kernel, Text: g.Write, launch: tells.Launch, object: g.Names[tells.A]}
	r.Verdict, _ = g.Verdict()
	for _, p := range g.Pairs {
		if g.Heads(&p) {
			r.kinds = append(r.kinds, kindOf(&p.Result))
			r.Alerts = append(r.Alerts, alertsOfPair(p.KernelComparison, [2]string{g.Names[p.A], g.Names[p.B]})...)
		}
	}
	for _, err := range g.Unread {
		r.Alerts = append(r.Alerts, Alert{noVerdict, "error", fmt.Sprintf("programs: %v", err), "", g.Names[0]})
	}
	r.Lines = func(w io.Writer) error { return g.WriteJSON(w) }
	return r
}

// kindOf returns the kind of a difference; checks see one that is not in memory.
func kindOf(r *compare.Result) string {
	switch d := r.Difference; {
	case d == nil:
		return verdict.KindFindings
	case d.Faulted:
		return verdict.KindFault
	}
	return verdict.KindMemory
}

// alertsOfPair returns what is wrong with the second of two programs, if they are not the same.
func alertsOfPair(k *verdict.KernelComparison, names [2]string) []Alert {
	v, why := k.Verdict()
	switch {
	case v == compare.Same:
		return nil
	case v == compare.NoVerdict:
		return []Alert{{noVerdict, "note", why, "", names[1]}}
	case k.Difference == nil:
		return alertsOf(k.Findings[1], names[1])
	}
	var text strings.Builder
	if err := k.Write(&text); err != nil { // a builder has none
		return nil
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(text.String(), k.Kernel+": "), "\n")
	return []Alert{differs(k.Difference, first+" (a is "+names[0]+", b is "+names[1]+")", names[1])}
}

// FormatFlag adds --format to cmd.
func FormatFlag(cmd *cobra.Command, into *string, usage string) {
	ChoiceFlag(cmd, into, "format", "text, json, junit or sarif (default text): "+usage,
		[]string{"text", "json", "junit", "sarif"})
}

// Results writes results in a form of [FormatFlag], "" is text, and ends the command as they say: with
// status 1 if one differs, else without a verdict if one has none. JUnit has names for all of them and for
// what they are about.
func Results(w io.Writer, suite, about string, all []*Result, form string) error {
	var err error
	switch form {
	case "junit":
		err = writeJUnit(w, suite, about, all)
	case "sarif":
		err = writeSARIF(w, all)
	}
	if err != nil {
		return Wrong(err)
	}
	count := map[compare.Verdict]int{}
	var kinds []string
	for _, r := range all {
		count[r.Verdict]++
		if r.Verdict == compare.Different {
			kinds = append(kinds, r.kinds...)
		}
		write := r.Text
		switch form {
		case "junit", "sarif":
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
		return Differing{kinds}
	case count[compare.NoVerdict] > 0:
		return Exited(ExitNoVerdict)
	}
	return nil
}
