package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// maxSuppressionBytes is the greatest size of a file of suppressions.
const maxSuppressionBytes = 1 << 20

// ReadSuppressions reads the file of that name.
func ReadSuppressions(name string) ([]check.Suppression, error) {
	text, err := files.Dir("").ReadFile(name, maxSuppressionBytes)
	if err != nil {
		return nil, err
	}
	all, err := parseSuppressions(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	return all, nil
}

// parseSuppressions parses a file with one suppression a line. Empty lines and lines that begin with # are skipped.
// The error is a *[check.SyntaxError].
func parseSuppressions(text string) ([]check.Suppression, error) {
	all := []check.Suppression{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, "\r")
		if rest := strings.TrimLeft(line, " \t"); rest == "" || rest[0] == '#' {
			continue
		}
		s, err := check.ParseSuppression(line, i+1)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// judge prints the findings, if anything was checked.
func (r *run) judge(j *spec.Result) error {
	if !j.Checked {
		return nil
	}
	fmt.Fprintln(r.out)
	return r.tell(j)
}

// tell prints the findings of a checked execution.
func (r *run) tell(j *spec.Result) error {
	if len(j.Findings) == 0 {
		fmt.Fprintln(r.out, "no findings")
	}
	if err := check.Write(r.out, j.Findings, j.Base); err != nil {
		return err
	}
	if len(j.Unexecuted) > 0 {
		fmt.Fprintln(r.out)
	}
	if err := writeUnexecuted(r.out, j.Unexecuted, j.MoreUnexecuted, j.Base); err != nil {
		return err
	}
	if len(j.Suppressed) > 0 {
		fmt.Fprintln(r.out, "\nsuppressed:")
	}
	for _, s := range j.Suppressed {
		where := ""
		if s.Line > 0 && r.Suppressions != "" {
			where = fmt.Sprintf("%s:%d: ", r.Suppressions, s.Line)
		}
		what := fmt.Sprintf("%d found", s.Findings)
		if s.Findings == 0 {
			what = "nothing found, it has no effect"
		}
		fmt.Fprintf(r.out, "  %s%s: %s\n", where, s.Text, what)
	}
	return nil
}

// writeUnexecuted lists the instructions that no wave executed; consecutive ones are one entry. more is the number of
// others. PCs are relative to base. It writes nothing if all were executed.
func writeUnexecuted(w io.Writer, missed []check.Site, more int, base uint64) error {
	if len(missed) == 0 {
		return nil
	}
	out := &strings.Builder{}
	fmt.Fprintf(out, "never executed, and so not judged: %s\n", plural.Of(len(missed)+more, "instruction"))
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for len(missed) > 0 {
		n := 1
		for n < len(missed) && missed[n].PC == missed[n-1].PC+uint64(missed[n-1].Inst.Size) {
			n++
		}
		first, last := &missed[0], &missed[n-1]
		pcs, text, source := fmt.Sprintf("0x%x", first.PC-base), first.Text, first.Source
		if n > 1 {
			pcs += fmt.Sprintf(" to 0x%x", last.PC-base)
			text += " to " + last.Text
			if last.Source != first.Source {
				source += " to " + last.Source
			}
		}
		fmt.Fprintf(t, "  %s\t%d\t%s", pcs, n, text)
		if source != "" {
			fmt.Fprintf(t, "\t%s", source)
		}
		fmt.Fprintln(t)
		missed = missed[n:]
	}
	_ = t.Flush() // writing to a string cannot fail
	if more > 0 {
		fmt.Fprintf(out, "  and %d more\n", more)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
