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
	Text, Lines func(w io.Writer) error // print it for people, or as JSON
	Alerts      []Alert                 // problems for SARIF

	kinds  []string       // kinds of differences, as in JSON
	launch *spec.Dispatch // the launch that shows the difference; nil without a difference
	proofs []*prove.Proof // of each pair of programs, nil if none was requested
	object string         // the kernel's file
}

func resultOfPair(k *verdict.KernelComparison, names [2]string) *Result {
	r := &Result{Name: k.Kernel, Text: k.Write, Alerts: alertsOfPair(k, names), launch: k.Launch, object: names[0],
		proofs: []*prove.Proof{k.Proof}}
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
		r.proofs = append(r.proofs, p.Proof)
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

// kindOf returns the kind of a difference. A difference outside of memory was found by checks.
func kindOf(r *compare.Result) string {
	switch d := r.Difference; {
	case d == nil:
		return verdict.KindFindings
	case d.Faulted:
		return verdict.KindFault
	}
	return verdict.KindMemory
}

// alertsOfPair returns the problems of the second of two programs, if they differ.
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
	if err := k.Write(&text); err != nil { // writing to a builder cannot fail
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

// Results writes results in a format of [FormatFlag]; "" means text. It then ends the command: with status 1 if a
// result is a difference, or else with [ExitNoVerdict] if one has no verdict. suite and about are names for JUnit.
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
