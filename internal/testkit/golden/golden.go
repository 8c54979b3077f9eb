// Package golden compares what a test makes with a file that was looked at, and writes the
// file anew if go test is given -rewrite.
package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write golden files anew: look at the difference before you keep them")

// Rewriting reports whether tests are to write their golden files.
func Rewriting() bool { return *rewrite }

// Compare fails t if file does not hold got, and names the first line that differs. With
// -rewrite it writes the file.
func Compare(t testing.TB, file string, got []byte) {
	t.Helper()
	if Rewriting() {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; go test -rewrite writes it", err)
	}
	if report := difference(string(want), string(got)); report != "" {
		t.Errorf("%s, which go test -rewrite would write anew: %s", file, report)
	}
}

// Sample is [Compare] of a test that makes only some lines of the file, which it never writes.
func Sample(t testing.TB, file string, got []byte) {
	t.Helper()
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) == 0 {
		t.Errorf("%s: no line is compared", file)
	}
	lines := strings.SplitAfter(string(want), "\n")
	for l := range strings.Lines(string(got)) {
		if !slices.Contains(lines, l) {
			t.Errorf("%s has no such line: %q", file, l)
		}
	}
}

// difference says where two texts part, "" if they are the same.
func difference(want, got string) string {
	if want == got {
		return ""
	}
	w, g := strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")
	n := 0
	for n < len(w) && n < len(g) && w[n] == g[n] {
		n++
	}
	return fmt.Sprintf("line %d\nwant %s\ngot  %s", n+1, line(w, n), line(g, n))
}

// line returns a line as Go would write it.
func line(lines []string, n int) string {
	if n >= len(lines) || lines[n] == "" && n == len(lines)-1 {
		return "no such line"
	}
	return fmt.Sprintf("%q", lines[n])
}
