// Package gcntest has helpers for tests that execute waves. [Run] and [Dispatch] end the test at a fault. [DiffVGPR],
// [DiffBuffer] and [Diff] report the first lane or element that is wrong. [RequireClean] fails a test whose run has
// findings of package check. [NoBankConflicts], [MaxLines] and [MaxCycles] fail a test whose run costs too much.
// [Golden] compares with a file. Helpers that watch a run also fail a test if they saw none, for example because they
// were called after the run.
package gcntest

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// maxShown is the largest number of differing elements in a report.
const maxShown = 8

// Diff fails t if got differs from want. It reports the first element that differs, the number of differences and the
// first few of them. Use it for lanes (v[:]), dwords or bytes. Floats are compared by their bits.
func Diff[T comparable](t testing.TB, want, got []T) {
	t.Helper()
	if report := diff(want, got); report != "" {
		t.Errorf("%s", report)
	}
}

// diff returns the report of Diff, "" if there is no difference.
func diff[T comparable](want, got []T) string {
	if len(want) != len(got) {
		return fmt.Sprintf("want %d elements, got %d", len(want), len(got))
	}
	var rows []string
	n := 0
	for i := range want {
		if same(want[i], got[i]) {
			continue
		}
		if n++; n <= maxShown {
			rows = append(rows, fmt.Sprintf("  [%d] want %s got %s", i, show(want[i]), show(got[i])))
		}
	}
	if n == 0 {
		return ""
	}
	if n > maxShown {
		rows = append(rows, fmt.Sprintf("  and %d more", n-maxShown))
	}
	return fmt.Sprintf("%d of %d elements differ:\n%s", n, len(want), strings.Join(rows, "\n"))
}

func same[T comparable](a, b T) bool {
	switch x := any(a).(type) {
	case float32:
		return math.Float32bits(x) == math.Float32bits(any(b).(float32))
	case float64:
		return math.Float64bits(x) == math.Float64bits(any(b).(float64))
	}
	return a == b
}

// show formats integers in hex and decimal, for addresses and counts.
func show(v any) string {
	switch x := v.(type) {
	case uint8:
		return fmt.Sprintf("0x%02x", x)
	case uint16:
		return fmt.Sprintf("0x%04x (%d)", x, x)
	case uint32:
		return fmt.Sprintf("0x%08x (%d)", x, x)
	case uint64:
		return fmt.Sprintf("0x%016x (%d)", x, x)
	case float32:
		return fmt.Sprintf("%g (0x%08x)", x, math.Float32bits(x))
	case float64:
		return fmt.Sprintf("%g (0x%016x)", x, math.Float64bits(x))
	}
	return fmt.Sprint(v)
}
