// Package findings is how findings of checks are put into words, wherever they are shown.
package findings

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/state"
)

// Subject is what a finding is about: names of fields, registers and memories, "" for none; a
// lane, [state.NoLane] for none; an address, nil for none.
func Subject(lane int, addr *uint64, names ...string) string {
	var parts []string
	for _, name := range names {
		if name != "" {
			parts = append(parts, name)
		}
	}
	if lane != state.NoLane {
		parts = append(parts, fmt.Sprintf("lane %d", lane))
	}
	if addr != nil {
		parts = append(parts, fmt.Sprintf("address 0x%x", *addr))
	}
	return strings.Join(parts, ", ")
}

// Wave is a wave of a work-group.
type Wave struct {
	Group [3]uint32
	Wave  int
}

// Seen says from which line an instruction comes, and which wave executed it if that is not
// other.
func Seen(source string, by, other Wave) string {
	var parts []string
	if source != "" {
		parts = append(parts, source)
	}
	switch {
	case by.Group != other.Group:
		parts = append(parts, fmt.Sprintf("group %d,%d,%d, wave %d", by.Group[0], by.Group[1], by.Group[2], by.Wave))
	case by.Wave != other.Wave:
		parts = append(parts, fmt.Sprintf("wave %d", by.Wave))
	}
	return strings.Join(parts, ", ")
}

// Summary says how many of n findings there are of each severity, as in "2 errors, 1 note".
func Summary(n int, severity func(i int) string) string {
	counts := map[string]int{}
	for i := range n {
		counts[severity(i)]++
	}
	var parts []string
	for _, name := range []string{"error", "warning", "note", "doubt"} {
		if counts[name] > 0 {
			parts = append(parts, Plural(counts[name], name))
		}
	}
	if parts == nil {
		return "no findings"
	}
	return strings.Join(parts, ", ")
}

// Plural is n of something.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
