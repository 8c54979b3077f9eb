package suite

import (
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gcnsim/gcnsim/internal/device/guest"
)

// Program is a program of a suite: its command line, the function that counts the tests in its output, and its time
// limit, 0 for none. Its name is the last argument without directory.
type Program struct {
	Args  []string
	count func(t *Tally, name, out string)
	limit time.Duration
}

// Check runs programs on a chip, one after another. A program whose output names no test has failed.
func Check(ctx context.Context, chip string, programs []Program) (*Tally, error) {
	t := &Tally{}
	for _, p := range programs {
		limited, cancel := ctx, context.CancelFunc(func() {})
		if p.limit > 0 {
			limited, cancel = context.WithTimeout(ctx, p.limit)
		}
		out, told, err := Run(limited, chip, p.Args...)
		late := limited.Err() != nil
		cancel()
		if e := (*guest.UnsupportedError)(nil); errors.As(err, &e) || ctx.Err() != nil {
			return t, err
		}
		before, name := *t, p.name()
		p.count(t, name, out)
		switch {
		case late:
			t.Skip("%s: not done after %v", name, p.limit)
		case t.Passed+t.Failed+t.Skipped == before.Passed+before.Failed+before.Skipped:
			t.Fail("%s: no result: %v: %s", name, err, lastLine(out+told))
		}
	}
	return t, nil
}

func (p *Program) name() string { return filepath.Base(p.Args[len(p.Args)-1]) }

// Part returns the programs with these names.
func Part(programs []Program, names ...string) []Program {
	return slices.DeleteFunc(programs, func(p Program) bool { return !slices.Contains(names, p.name()) })
}

// CLBlast returns the tests in Debian's clblast-tests, limited to only unless that is empty.
func CLBlast(only ...string) []Program {
	files, _ := filepath.Glob("/usr/bin/clblast_test_*") // the pattern is valid
	var all []Program
	for _, f := range files {
		if len(only) == 0 || slices.Contains(only, strings.TrimPrefix(filepath.Base(f), "clblast_test_")) {
			all = append(all, Program{Args: []string{f}, count: (*Tally).clblast})
		}
	}
	return all
}

// clblastCount matches a line of CLBlast's summary of a routine, with colours removed.
var (
	clblastCount = regexp.MustCompile(`(\d+) test\(s\) (passed|skipped|failed)`)
	colours      = regexp.MustCompile(`\x1b\[\d+m`)
)

// counts adds the tests of a summary that passed or were skipped, and returns how many failed. Each match of what is
// a number and a result.
func (t *Tally) counts(what *regexp.Regexp, summary string) (failed int) {
	for _, m := range what.FindAllStringSubmatch(summary, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			continue // the number has too many digits
		}
		switch m[2] {
		case "passed":
			t.Passed += n
		case "skipped", "xfailed":
			t.Skipped += n
		default:
			failed += n
		}
	}
	return failed
}

func (t *Tally) clblast(name, out string) {
	if failed := t.counts(clblastCount, colours.ReplaceAllString(out, "")); failed > 0 {
		t.Fail("%s: %d of its tests", name, failed)
		t.Failed += failed - 1
	}
}

// PyOpenCL returns the test files in pyopencl's source directory. It omits the test of callbacks, which ends the
// process and with it the later tests.
func PyOpenCL(dir string) []Program {
	files, _ := filepath.Glob(filepath.Join(dir, "test_*.py")) // an invalid pattern matches nothing
	var all []Program
	for _, f := range files {
		all = append(all, Program{count: (*Tally).pytest, Args: []string{"/usr/bin/python3", "-m", "pytest", "-q", "-rfEs",
			"--tb=line", "-p",
			"no:cacheprovider", "-k", "not test_event_set_callback", f}})
	}
	return all
}

// pytestCount matches a number in the last line that pytest prints. pytestNote matches the line about a test that did
// not pass.
var (
	pytestCount = regexp.MustCompile(`(\d+) (passed|failed|skipped|error|xfailed)`)
	pytestNote  = regexp.MustCompile(`(?m)^(FAILED|ERROR|SKIPPED) .*`)
)

func (t *Tally) pytest(name, out string) {
	t.Failed += t.counts(pytestCount, lastLine(out))
	for _, note := range pytestNote.FindAllString(out, -1) {
		t.Notes = append(t.Notes, name+": "+note)
	}
}

// OpenCV returns the program that compares OpenCV's functions on the device with those on the
// CPU.
func OpenCV() []Program {
	return []Program{{Args: []string{"/usr/bin/python3", "../../../testdata/programs/opencv.py"}, count: (*Tally).opencv}}
}

func (t *Tally) opencv(_, out string) {
	for line := range strings.Lines(out) {
		switch name, verdict, _ := strings.Cut(strings.TrimSpace(line), " "); {
		case verdict == "passed":
			t.Passed++
		case strings.HasPrefix(verdict, "failed: "):
			t.Fail("%s: %s", name, strings.TrimPrefix(verdict, "failed: "))
		}
	}
}

// PyOpenCLTests is the environment variable with the directory of pyopencl's tests.
const PyOpenCLTests = "PYOPENCL_TESTS"

// installed reports whether a file matches the pattern.
func installed(pattern string) bool {
	found, err := filepath.Glob(pattern)
	return err == nil && len(found) > 0
}
