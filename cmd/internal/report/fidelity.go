package report

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/trace"
	"github.com/gcnsim/gcnsim/sim"
)

// fidelity lists the instructions that were not executed exactly. If the options ask for it, it also lists the exact
// ones, and the locations of all.
func (w *watcher) fidelity(out io.Writer, res *sim.Result) error {
	if w.want.Fidelity {
		return writeFidelity(out, res.Fidelity, w.profile.Rows(), w.run.Base)
	}
	if len(res.Fidelity) == 0 {
		return nil
	}
	fmt.Fprintln(out, "\nnot exact:")
	for _, n := range res.Fidelity {
		fmt.Fprintf(out, "  %s: %v, %s\n", n.Mnemonic, n.Level, n.Why)
	}
	return nil
}

// writeFidelity lists for each executed instruction how certain it is that it behaved like on hardware, and why.
// notes come from the execution. Below are the locations of those that are not exact, with the number of executions.
// PCs are relative to base.
func writeFidelity(out io.Writer, notes []sim.Note, rows []trace.Row, base uint64) error {
	inexact := make([]bool, len(rows))
	places := make([][]int, len(notes)) // indices in rows
	for i := range notes {
		places[i] = placesOf(&notes[i], rows)
		for _, row := range places[i] {
			inexact[row] = true
		}
	}
	var names []string
	exact, executions, all := 0, uint64(0), uint64(0)
	for i := range rows {
		all += rows[i].Waves
		if inexact[i] {
			continue
		}
		exact++
		executions += rows[i].Waves
		if name := isa.Inst(rows[i].Inst).Row().Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	fmt.Fprintf(out, "\nexact: %d of %d instructions, %d of %d executions\n", exact, len(rows), executions, all)
	slices.Sort(names)
	writeList(out, names)
	for _, level := range []gcn.Fidelity{gcn.Approximate, gcn.Assumed} {
		if !slices.ContainsFunc(notes, func(n sim.Note) bool { return n.Level == level }) {
			continue
		}
		fmt.Fprintf(out, "\n%v:\n", level)
		for i, n := range notes {
			if n.Level != level {
				continue
			}
			fmt.Fprintf(out, "  %s: %s\n", n.Mnemonic, n.Why)
			table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			for _, row := range places[i] {
				r := &rows[row]
				fmt.Fprintf(table, "    0x%04x\t%d\t%s", r.PC-base, r.Waves, asm.Format(r.Inst, asm.LLVM))
				if r.Source != "" {
					fmt.Fprintf(table, "\t%s", r.Source)
				}
				fmt.Fprintln(table)
			}
			if err := table.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// placesOf returns the indices of the rows that a note concerns: those of its form, or all rows of its mnemonic if
// the note is about an event during execution.
func placesOf(n *sim.Note, rows []trace.Row) (form []int) {
	var named []int
	for i := range rows {
		in := (*isa.Inst)(&rows[i].Inst)
		if in.Row().Name != n.Mnemonic {
			continue
		}
		named = append(named, i)
		if impl := executor.Find(in); impl.Why == n.Why || slices.Contains(impl.More, isa.Note{Level: n.Level, Why: n.Why}) {
			form = append(form, i)
		}
	}
	if form == nil {
		return named
	}
	return form
}

// listWidth is the greatest width of a line in lists.
const listWidth = 100

// writeList writes words, with line breaks.
func writeList(out io.Writer, words []string) {
	line := " "
	for i, word := range words {
		if i < len(words)-1 {
			word += ","
		}
		if len(line)+1+len(word) > listWidth && line != " " {
			fmt.Fprintln(out, line)
			line = " "
		}
		line += " " + word
	}
	if line != " " {
		fmt.Fprintln(out, line)
	}
}
