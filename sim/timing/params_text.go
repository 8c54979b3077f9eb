package timing

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteParams writes a line for each parameter, with its values on chips, which are of
// [Presets], or on all of them if none is given, then what the model leaves out. The error
// says that a chip is not known, or is that of w.
func WriteParams(w io.Writer, chips ...string) error {
	if len(chips) == 0 {
		chips = Presets()
	}
	var columns [][]Field
	for _, chip := range chips {
		p, err := Preset(chip)
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
	var gaps strings.Builder
	gaps.WriteString("\nleft out of the time model:\n")
	for _, what := range Gaps() {
		gaps.WriteString("  " + what + "\n")
	}
	_, err := io.WriteString(w, gaps.String())
	return err
}
