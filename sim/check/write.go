package check

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/internal/findings"
)

// Write writes findings for people, and before them how many there are. PCs count from base:
// that of a module shows them as disassemblers do. It writes nothing if there are none.
func Write(w io.Writer, all []Finding, base uint64) error {
	if len(all) == 0 {
		return nil
	}
	out := &strings.Builder{}
	fmt.Fprintf(out, "findings: %s\n", findings.Summary(len(all), func(i int) string { return all[i].Severity.String() }))
	for _, f := range all {
		f.From(base).write(out)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// write writes a finding for people: what it is about, the instructions, what is wrong, what
// mends it and the rule.
func (f Finding) write(out io.Writer) {
	fmt.Fprintf(out, "\n%v %s", f.Severity, f.Kind)
	if about := findings.Subject(f.Lane, f.Addr, f.Field, f.Reg, f.Space); about != "" {
		fmt.Fprintf(out, ": %s", about)
	}
	fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if f.Text != "" {
		f.line(t, "here", f.seen(&Site{}))
	}
	if p := f.Producer; p != nil {
		p.line(t, "after", p.seen(&f.Site))
	}
	_ = t.Flush() // to a string
	fmt.Fprintf(out, "  %s\n", f.Message)
	if f.Fix != "" {
		fmt.Fprintf(out, "  fix: %s\n", f.Fix)
	}
	if rule, ok := handbook.Lookup(f.Rule); ok {
		fmt.Fprintf(out, "  %s\n", rule.Cite())
	}
	if f.Count > 1 {
		fmt.Fprintf(out, "  %d times; the first is shown\n", f.Count)
	}
}

// line writes an instruction as a row of a table.
func (s *Site) line(out io.Writer, role, more string) {
	fmt.Fprintf(out, "  %s\t0x%x\t%s", role, s.PC, s.Text)
	if more != "" {
		fmt.Fprintf(out, "\t%s", more)
	}
	fmt.Fprintln(out)
}

// seen says where s comes from, and which wave executed it if that is not that of other.
func (s *Site) seen(other *Site) string {
	return findings.Seen(s.Source, findings.Wave{Group: s.Group, Wave: s.Wave}, findings.Wave{Group: other.Group, Wave: other.Wave})
}

// From returns f with all addresses of instructions counted from base, also those in what
// it says.
func (f Finding) From(base uint64) Finding {
	f.base += base
	if f.Text != "" {
		f.PC -= base
	}
	if f.Producer != nil {
		p := *f.Producer
		p.PC -= base
		f.Producer = &p
	}
	if f.message.format != "" {
		f.Message, f.Fix = f.message.from(f.base), f.fix.from(f.base)
	}
	return f
}
