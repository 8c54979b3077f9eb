package check

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/state"
)

// Write writes findings for people, and before them how many there are. PCs count from base:
// that of a module shows them as disassemblers do. It writes nothing if there are none.
func Write(w io.Writer, findings []Finding, base uint64) error {
	if len(findings) == 0 {
		return nil
	}
	out := &strings.Builder{}
	out.WriteString(headline(findings))
	for i := range findings {
		findings[i].write(out, base)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// headline says how many findings there are of each severity.
func headline(findings []Finding) string {
	var counts [len(severities)]int
	for i := range findings {
		counts[findings[i].Severity]++
	}
	var parts []string
	for _, s := range []Severity{Error, Warning, Note} {
		if n := counts[s]; n > 0 {
			parts = append(parts, plural(n, s.String()))
		}
	}
	return "findings: " + strings.Join(parts, ", ") + "\n"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// write writes a finding for people: what it is about, the instructions, what is wrong, what
// mends it and the rule. PCs count from base.
func (f *Finding) write(out io.Writer, base uint64) {
	fmt.Fprintf(out, "\n%v %s", f.Severity, f.Kind)
	if about := f.subject(); about != "" {
		fmt.Fprintf(out, ": %s", about)
	}
	fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if f.Text != "" {
		f.line(t, "here", base, f.seen(&Site{}))
	}
	if p := f.Producer; p != nil {
		p.line(t, "after", base, p.seen(&f.Site))
	}
	_ = t.Flush() // to a string
	fmt.Fprintf(out, "  %s\n", relative(f.Message, base))
	if f.Fix != "" {
		fmt.Fprintf(out, "  fix: %s\n", relative(f.Fix, base))
	}
	if rule, ok := handbook.Lookup(f.Rule); ok {
		fmt.Fprintf(out, "  %s\n", rule.Cite())
	}
	if f.Count > 1 {
		fmt.Fprintf(out, "  %d times; the first is shown\n", f.Count)
	}
}

// subject is what a finding is about: a field, a register, a memory; a lane; an address.
func (f *Finding) subject() string {
	var parts []string
	for _, part := range []string{f.Field, f.Reg, f.Space} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if f.Lane != state.NoLane {
		parts = append(parts, fmt.Sprintf("lane %d", f.Lane))
	}
	if f.Addr != nil {
		parts = append(parts, fmt.Sprintf("address 0x%x", *f.Addr))
	}
	return strings.Join(parts, ", ")
}

// line writes an instruction as a row of a table.
func (s *Site) line(out io.Writer, role string, base uint64, more string) {
	fmt.Fprintf(out, "  %s\t0x%x\t%s", role, s.PC-base, s.Text)
	if more != "" {
		fmt.Fprintf(out, "\t%s", more)
	}
	fmt.Fprintln(out)
}

// seen says where an instruction comes from, and which wave executed it if that is not the
// one of other.
func (s *Site) seen(other *Site) string {
	var parts []string
	if s.Source != "" {
		parts = append(parts, s.Source)
	}
	switch {
	case s.Group != other.Group:
		parts = append(parts, fmt.Sprintf("group %d,%d,%d, wave %d", s.Group[0], s.Group[1], s.Group[2], s.Wave))
	case s.Wave != other.Wave:
		parts = append(parts, fmt.Sprintf("wave %d", s.Wave))
	}
	return strings.Join(parts, ", ")
}

// instruction is how messages name the address of one.
var instruction = regexp.MustCompile(`\b(at|before|behind|after) 0x([0-9a-f]+)\b`)

// relative is a message in which the addresses of instructions count from base.
func relative(message string, base uint64) string {
	return instruction.ReplaceAllStringFunc(message, func(found string) string {
		m := instruction.FindStringSubmatch(found)
		pc, err := strconv.ParseUint(m[2], 16, 64)
		if err != nil || pc < base {
			return found
		}
		return fmt.Sprintf("%s 0x%x", m[1], pc-base)
	})
}
