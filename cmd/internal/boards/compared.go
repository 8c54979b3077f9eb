package boards

import (
	"io"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa/chip"
)

// WriteCompared lists the measured figures with which the model was compared, for boards with one of the chips, or
// for all boards if there are no chips.
func WriteCompared(w io.Writer, chips []string) error {
	var lines []string
	for _, b := range chip.Boards() {
		if chips == nil || slices.ContainsFunc(chips, func(name string) bool { return chip.Lookup(name).Name == b.Chip }) {
			lines = append(lines, Lines([]string{b.Name})...)
		}
	}
	if chips == nil {
		lines = append(lines, Lines([]string{"mi100"})...)
	}
	if len(lines) == 0 {
		lines = []string{"nothing of this chip: no published figure is in the table"}
	}
	_, err := io.WriteString(w, "\ncompared with figures of boards, see docs/TIMING.md:\n  "+strings.Join(lines,
		"\n  ")+"\n")
	return err
}

// Names returns the names of the boards.
func Names() []string {
	var all []string
	for _, b := range chip.Boards() {
		all = append(all, b.Name)
	}
	return all
}
