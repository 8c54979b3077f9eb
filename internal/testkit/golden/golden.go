// Package golden compares the output of a test with a reviewed file. With the flag -rewrite of go test it writes the
// file instead.
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

// Rewriting reports whether tests write their golden files.
func Rewriting() bool { return *rewrite }

// Compare fails t if the content of file is not got, and names the first different line. With -rewrite it writes the
// file.
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

// Sample is like [Compare] for a test that produces only some lines of the file. It never writes the file.
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

// difference describes the first difference of two texts. It returns "" if they are equal.
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

// line formats a line as a Go string literal.
func line(lines []string, n int) string {
	if n >= len(lines) || lines[n] == "" && n == len(lines)-1 {
		return "no such line"
	}
	return fmt.Sprintf("%q", lines[n])
}
