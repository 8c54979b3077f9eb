package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim/check"
)

// writeUnexecuted writes for people which instructions no wave executed, instructions that follow
// each other as one, and how many more there are. PCs count from base. It writes nothing if
// there are none.
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
	_ = t.Flush() // to a string
	if more > 0 {
		fmt.Fprintf(out, "  and %d more\n", more)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
