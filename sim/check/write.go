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
	fmt.Fprintf(out, "findings: %s\n", Summary(findings))
	for _, f := range findings {
		f.From(base).write(out)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// Summary says how many findings there are of each severity, as in "2 errors, 1 note".
func Summary(findings []Finding) string {
	if len(findings) == 0 {
		return "no findings"
	}
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
	return strings.Join(parts, ", ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// write writes a finding for people: what it is about, the instructions, what is wrong, what
// mends it and the rule.
func (f Finding) write(out io.Writer) {
	fmt.Fprintf(out, "\n%v %s", f.Severity, f.Kind)
	if about := f.Subject(); about != "" {
		fmt.Fprintf(out, ": %s", about)
	}
	fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if f.Text != "" {
		f.line(t, "here", f.Seen(nil))
	}
	if p := f.Producer; p != nil {
		p.line(t, "after", p.Seen(&f.Site))
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

// Subject is what f is about: a field, a register, a memory; a lane; an address.
func (f Finding) Subject() string {
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
func (s *Site) line(out io.Writer, role, more string) {
	fmt.Fprintf(out, "  %s\t0x%x\t%s", role, s.PC, s.Text)
	if more != "" {
		fmt.Fprintf(out, "\t%s", more)
	}
	fmt.Fprintln(out)
}

// Seen says where s comes from, and which wave executed it if that is not the one of other;
// nil stands for the first wave.
func (s *Site) Seen(other *Site) string {
	if other == nil {
		other = &Site{}
	}
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

// From returns f with all addresses of instructions counted from base, also those in what
// it says.
func (f Finding) From(base uint64) Finding {
	if f.Text != "" {
		f.PC -= base
	}
	if f.Producer != nil {
		p := *f.Producer
		p.PC -= base
		f.Producer = &p
	}
	f.Message, f.Fix = relative(f.Message, base), relative(f.Fix, base)
	return f
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
