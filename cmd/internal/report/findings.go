package report

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// maxSuppressionBytes is the size of the largest file of suppressions.
const maxSuppressionBytes = 1 << 20

// ReadSuppressions reads the file of that name.
func ReadSuppressions(name string) ([]check.Suppression, error) {
	text, err := files.Dir("").ReadFile(name, maxSuppressionBytes)
	if err != nil {
		return nil, err
	}
	all, err := parseSuppressions(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	return all, nil
}

// parseSuppressions reads the text of a file, one suppression a line. Empty lines and those
// that begin with # are comments. The error is a *[check.SyntaxError].
func parseSuppressions(text string) ([]check.Suppression, error) {
	all := []check.Suppression{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, "\r")
		if rest := strings.TrimLeft(line, " \t"); rest == "" || rest[0] == '#' {
			continue
		}
		s, err := check.ParseSuppression(line, i+1)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// judge shows what checks say of a run, if something was checked.
func (r *run) judge(j *spec.Result) error {
	if !j.Checked {
		return nil
	}
	fmt.Fprintln(r.out)
	return r.tell(j)
}

// tell is judge of what was checked.
func (r *run) tell(j *spec.Result) error {
	if len(j.Findings) == 0 {
		fmt.Fprintln(r.out, "no findings")
	}
	if err := check.Write(r.out, j.Findings, j.Base); err != nil {
		return err
	}
	if len(j.Unexecuted) > 0 {
		fmt.Fprintln(r.out)
	}
	if err := writeUnexecuted(r.out, j.Unexecuted, j.MoreUnexecuted, j.Base); err != nil {
		return err
	}
	if len(j.Suppressed) > 0 {
		fmt.Fprintln(r.out, "\nsuppressed:")
	}
	for _, s := range j.Suppressed {
		where := ""
		if s.Line > 0 && r.Suppressions != "" {
			where = fmt.Sprintf("%s:%d: ", r.Suppressions, s.Line)
		}
		what := fmt.Sprintf("%d found", s.Findings)
		if s.Findings == 0 {
			what = "nothing found, it has no effect"
		}
		fmt.Fprintf(r.out, "  %s%s: %s\n", where, s.Text, what)
	}
	return nil
}
