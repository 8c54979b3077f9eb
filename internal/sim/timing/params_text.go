package timing

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gcnsim/gcnsim/internal/isa/chip"
)

// WriteParams writes a line for each parameter with its values on chips, which may be chips or boards; the default is
// all of [Presets]. It also lists the boards with these chips and the effects that the model omits. It returns an
// error for an unknown chip, or the error of w.
func WriteParams(w io.Writer, chips ...string) error {
	if len(chips) == 0 {
		chips = Presets()
	}
	var columns [][]Field
	for _, name := range chips {
		p, err := Preset(name)
		if err != nil {
			return err
		}
		columns = append(columns, p.Fields())
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "parameter\t%s\tsource\tunit\n", strings.Join(chips, "\t"))
	for i, f := range columns[0] {
		fmt.Fprint(out, f.Name)
		for _, fields := range columns {
			fmt.Fprintf(out, "\t%v", fields[i].Value)
		}
		fmt.Fprintf(out, "\t%s\t%s\n", f.Source, f.Unit)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return writeLines(w, slices.Concat(boardLines(chips), gapLines()))
}

// boardLines lists the boards that have one of the chips.
func boardLines(chips []string) []string {
	var b strings.Builder
	out := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, board := range chip.Boards() {
		if slices.ContainsFunc(chips, func(name string) bool { return chip.Lookup(name).Name == board.Chip }) {
			m := &board.Memory
			fmt.Fprintf(out, "  %s\t%s\t%s\t%d CUs\t%d MHz\t%d KiB L2\t%v\t%d bits\t%d GB/s\n", board.Name, board.Title,
				board.Chip,
				board.CUs, board.ClockMHz, board.L2Bytes>>10, m.Kind, m.Bits, m.GBs())
		}
	}
	_ = out.Flush() // a strings.Builder returns no error
	return append([]string{"", "boards, which are chips, too:"},
		strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")...)
}

func gapLines() []string {
	all := []string{"", "left out of the time model:"}
	for _, what := range leftOut() {
		all = append(all, "  "+what)
	}
	return all
}

func writeLines(w io.Writer, lines []string) error {
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}
