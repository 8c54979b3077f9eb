package check

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/state"
)

// Summary returns the number of findings of each severity, such as "2 errors, 1 note".
func Summary(all []Finding) string {
	counts := map[Severity]int{}
	for i := range all {
		counts[all[i].Severity]++
	}
	var parts []string
	for s, name := range slices.Backward(severities[:]) {
		if n := counts[Severity(s)]; n > 0 {
			parts = append(parts, plural.Of(n, name))
		}
	}
	if parts == nil {
		return "no findings"
	}
	return strings.Join(parts, ", ")
}

// Write prints findings for people: first their [Summary], then each with its subject, the instructions, the problem,
// the fix and the rule. PCs are relative to base; with the base of a module they are as in disassemblies. It prints
// nothing if there are no findings.
func Write(w io.Writer, all []Finding, base uint64) error {
	if len(all) == 0 {
		return nil
	}
	out := &strings.Builder{}
	fmt.Fprintf(out, "findings: %s\n", Summary(all))
	for _, f := range all {
		f.From(base).write(out)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (f Finding) write(out io.Writer) {
	fmt.Fprintf(out, "\n%v %s", f.Severity, f.Kind)
	if about := f.About(); about != "" {
		fmt.Fprintf(out, ": %s", about)
	}
	fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if f.Text != "" {
		f.line(t, "here", &Site{})
	}
	if f.Producer != nil {
		f.Producer.line(t, "after", &f.Site)
	}
	_ = t.Flush() // writing to a string cannot fail
	if len(f.Path) > 0 {
		fmt.Fprintf(out, "  %s\n", f.way())
	}
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

// line prints s as a row of a table. It names the wave that executed s if other has a different one.
func (s *Site) line(out io.Writer, role string, other *Site) {
	fmt.Fprintf(out, "  %s\t0x%x\t%s", role, s.PC, s.Text)
	if more := joined(s.Symbol, s.Source, s.Executor(other)); more != "" {
		fmt.Fprintf(out, "\t%s", more)
	}
	fmt.Fprintln(out)
}

// way describes the path of f.
func (f Finding) way() string {
	const most = 8 // number of blocks that fit on a line
	var parts []string
	for i := range f.Path {
		s := &f.Path[i]
		at := fmt.Sprintf("0x%x", s.PC)
		if s.Source != "" {
			at += " (" + s.Source + ")"
		}
		parts = append(parts, at)
	}
	if n := len(parts) - most; n > 0 {
		parts = append([]string{fmt.Sprintf("... %s", plural.Of(n, "block"))}, parts[n:]...)
	}
	text := "path: " + strings.Join(parts, ", ")
	if f.Count == 0 {
		text += "; not executed"
	}
	return text
}

// About returns the subject of f, such as "v1, lane 0": field, register, memory, lane and address, as far as f has
// them.
func (f Finding) About() string { return joined(f.Field, f.Reg, f.Space, f.lane(), f.address()) }

// Executor names the wave that executed s, as far as it differs from other's wave, such as "group 1,0,0, wave 2" or
// "wave 2". It returns "" if they are the same.
func (s *Site) Executor(other *Site) string {
	switch {
	case s.Group != other.Group:
		return fmt.Sprintf("group %d,%d,%d, wave %d", s.Group[0], s.Group[1], s.Group[2], s.Wave)
	case s.Wave != other.Wave:
		return fmt.Sprintf("wave %d", s.Wave)
	}
	return ""
}

// lane names the lane of f, or returns "".
func (f Finding) lane() string {
	if f.Lane == state.NoLane {
		return ""
	}
	return fmt.Sprintf("lane %d", f.Lane)
}

// address formats the address of f, or returns "".
func (f Finding) address() string {
	if f.Addr == nil {
		return ""
	}
	return fmt.Sprintf("address 0x%x", *f.Addr)
}

// joined joins the parts that are not empty.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// String returns f as one line: location, severity, problem and fix. Addresses of instructions are relative to the
// load address of the program or its code object.
func (f Finding) String() string {
	f = f.From(f.load - f.base)
	var b strings.Builder
	if f.Text != "" {
		fmt.Fprintf(&b, "0x%x %s: ", f.PC, f.Text)
	}
	fmt.Fprintf(&b, "%v %s: ", f.Severity, f.Kind)
	for _, subject := range [...]string{f.Field, f.Reg, f.Space} {
		if subject != "" {
			fmt.Fprintf(&b, "%s: ", subject)
		}
	}
	b.WriteString(f.Message)
	if f.Fix != "" {
		fmt.Fprintf(&b, "; %s", f.Fix)
	}
	executor, rule, count := "", "", ""
	if f.Text != "" && (f.Group != [3]uint32{} || f.Wave != 0) {
		executor = fmt.Sprintf("group %d,%d,%d, wave %d", f.Group[0], f.Group[1], f.Group[2], f.Wave)
	}
	if f.Rule != "" {
		rule = "rule " + f.Rule
	}
	if f.Count > 1 {
		count = fmt.Sprintf("%d times", f.Count)
	}
	if more := joined(executor, f.lane(), f.address(), f.Source, rule, count); more != "" {
		fmt.Fprintf(&b, " (%s)", more)
	}
	return b.String()
}

// From returns f with all addresses of instructions relative to base, including those in Message and Fix.
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
	f.Path = slices.Clone(f.Path)
	for i := range f.Path {
		f.Path[i].PC -= base
	}
	if f.message.format != "" {
		f.Message, f.Fix = f.message.from(f.base), f.fix.from(f.base)
	}
	return f
}
