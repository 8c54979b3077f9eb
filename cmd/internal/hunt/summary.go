package hunt

import (
	"fmt"
	"io"
	"strings"
)

// Signatures returns the lines of a file of known signatures. Empty lines and those that begin with # are left out.
func Signatures(text []byte) map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			all[line] = true
		}
	}
	return all
}

// Write writes the bugs, a line each, and what became of the programs.
func (s *Summary) Write(w io.Writer) error {
	var text strings.Builder
	for _, b := range s.Bugs {
		if err := b.Write(&text); err != nil {
			return err
		}
	}
	fmt.Fprintf(&text, "%d programs, %d judged; %d new bugs, %d builds with known ones\n", s.Programs, s.Judged, s.New,
		s.Again)
	for _, left := range []struct {
		n    uint64
		what string
	}{{s.Unanswered, "programs cannot run on the host"}, {s.Refused, "builds were refused by their compiler"},
		{s.Unrun, "builds cannot run here"}, {s.Undefined, "programs are not defined"}} {
		if left.n > 0 {
			fmt.Fprintf(&text, "%d %s\n", left.n, left.what)
		}
	}
	if s.First != "" {
		fmt.Fprintf(&text, "first of them: %s\n", s.First)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
