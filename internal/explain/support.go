package explain

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/internal/tool/wrap"
)

// supportMarks are the marks in the table for the levels of fidelity.
var supportMarks = [isa.NumFidelities]string{gcn.NotExecuted: "d", gcn.Exact: "X", gcn.Approximate: "~",
	gcn.Assumed: "?"}

var _ = enum.Full[gcn.Fidelity](supportMarks[:])

// WriteSupport writes, as Markdown, which instructions decode and execute on which generation: a summary by encoding,
// then every instruction. The error comes from w.
func WriteSupport(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "# Supported instructions\n\n",
		"Written by `make support`. Every instruction listed for a generation decodes, encodes and prints there.\n\n",
		"| mark | meaning |\n|---|---|\n",
		"| X | executes: documented, and confirmed by vectors |\n",
		"| ~ | executes: approximate, within a stated error |\n",
		"| ? | executes: on an assumption that no document states |\n",
		"| d | decodes, encodes and prints; executing it is a fault that names it |\n",
		"| (empty) | the generation has no such instruction |\n\n## Summary: executing of existing\n\n")
	header(out, "encoding")
	type tally struct{ exec, all [gcn.NumGens]int }
	sums := map[gcn.Encoding]*tally{}
	var order []gcn.Encoding
	inexact, absent := reasons{}, reasons{}
	var rows []string
	last := isa.Invalid
	for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
		r := isa.RowOf(op)
		if r.Has(isa.Alias) {
			continue
		}
		if sums[r.Enc] == nil {
			sums[r.Enc] = &tally{}
			order = append(order, r.Enc)
		}
		if r.Enc != last {
			rows = append(rows, fmt.Sprintf("\n## %v\n\n| instruction |%s\n|---|%s", r.Enc, columns(),
				strings.Repeat("---|", gcn.NumGens)))
			last = r.Enc
		}
		var line strings.Builder
		line.WriteString("| " + r.Name + " |")
		for g := range gcn.Gen(gcn.NumGens) {
			s := executor.SupportOf(op, g.Target())
			if !s.Exists {
				line.WriteString(" |")
				continue
			}
			sums[r.Enc].all[g]++
			if s.Level != gcn.NotExecuted {
				sums[r.Enc].exec[g]++
			}
			line.WriteString(" " + supportMarks[s.Level] + " |")
			switch s.Level {
			case gcn.NotExecuted:
				absent.add(s.Why, r.Name)
			case gcn.Approximate, gcn.Assumed:
				inexact.add(s.Why, r.Name)
			}
		}
		rows = append(rows, line.String())
	}
	for _, e := range order {
		fmt.Fprintf(out, "| %v |", e)
		for g := range gcn.NumGens {
			if sums[e].all[g] == 0 {
				fmt.Fprint(out, " |")
			} else {
				fmt.Fprintf(out, " %d of %d |", sums[e].exec[g], sums[e].all[g])
			}
		}
		fmt.Fprintln(out)
	}
	for _, row := range rows {
		fmt.Fprintln(out, row)
	}
	inexact.write(out, "Not exact, and why")
	absent.write(out, "Does not execute, and why")
	fmt.Fprint(out, "\n## Operands that do not execute\n\nAny instruction with such a source is a fault.\n\n")
	for _, code := range slices.Sorted(maps.Keys(executor.NotModelled)) {
		item(out, fmt.Sprintf("operand code %d: %s", code, executor.NotModelled[code]))
	}
	fmt.Fprint(out, "\n## Fields of a T# with exceptions\n\n")
	for _, line := range inexactFields {
		item(out, line)
	}
	return out.Flush()
}

// inexactFields are fields of a T# with exceptions: a run with such a value has a fidelity note, a fault or a finding
// of the check ignored.
var inexactFields = []string{
	"INTERLACED: which rows a field has is assumed; a sampler with one is a fault (" + rule.IM3 +
		"); GCN 1.4 has no such field (" + rule.TD1 + ")",
	"MIN_LOD_WARN: what LWE writes behind the data is assumed to be 1 (" + rule.IM7 + ")",
	"POW2_PAD: levels are padded to powers of two; GCN 1.4 has no such field (" + rule.TD1 + ")",
}

// reasons maps the reason why instructions are not exact, or do not execute, to their mnemonics.
type reasons map[string][]string

func (r reasons) add(why, name string) {
	why = strings.TrimPrefix(why, name+" ")
	if !slices.Contains(r[why], name) {
		r[why] = append(r[why], name)
	}
}

func (r reasons) write(out io.Writer, title string) {
	fmt.Fprintf(out, "\n## %s\n\n", title)
	for _, why := range slices.Sorted(maps.Keys(r)) {
		item(out, why+": "+strings.Join(r[why], " "))
	}
}

// item writes an item of a list in lines of at most 120 characters.
func item(out io.Writer, text string) {
	fmt.Fprintln(out, "- "+strings.Join(wrap.Lines(text, 118), "\n  "))
}

func columns() string {
	return " " + strings.Join(generations[:], " | ") + " |"
}

func header(out io.Writer, first string) {
	fmt.Fprintf(out, "| %s |%s\n|---|%s\n", first, columns(), strings.Repeat("---|", gcn.NumGens))
}
