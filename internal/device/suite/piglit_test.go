package suite

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/gcnsim/gcnsim/internal/device/guest"
)

// Piglit is Debian's piglit: OpenCL programs with their expected results.
type Piglit struct{ Dir string }

// PiglitDir is the directory where Debian installs piglit.
const PiglitDir = "/usr/lib/x86_64-linux-gnu/piglit"

// Programs returns the files of kernels that execute.
func (p *Piglit) Programs() ([]string, error) {
	var all []string
	err := filepath.WalkDir(filepath.Join(p.Dir, "tests/cl/program/execute"),
		func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".cl") || strings.HasSuffix(path, ".program_test") {
				all = append(all, path)
			}
			return err
		})
	slices.Sort(all)
	return all, err
}

// subtest matches the line that piglit prints for a part of a test; the second pattern matches the line for the whole
// test.
var (
	subtest = regexp.MustCompile(`PIGLIT: \{"subtest": \{"(.*)" : "(\w+)"\}\}`)
	whole   = regexp.MustCompile(`PIGLIT: \{"result": "(\w+)" \}`)
)

// Check runs files on a chip, atATime at a time, and counts their subtests. It calls done after each file.
func (p *Piglit) Check(ctx context.Context, chip string, files []string, atATime int,
	done func(file string)) (*Tally, error) {
	var mu sync.Mutex
	t := &Tally{}
	var group errgroup.Group
	group.SetLimit(atATime)
	for _, file := range files {
		group.Go(func() error {
			out, told, err := Run(ctx, chip, filepath.Join(p.Dir, "bin/cl-program-tester"), file)
			if e := (*guest.UnsupportedError)(nil); errors.As(err, &e) || ctx.Err() != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			t.piglit(strings.TrimPrefix(file, p.Dir+"/tests/cl/program/execute/"), out, told)
			done(file)
			return nil
		})
	}
	err := group.Wait()
	slices.Sort(t.Notes)
	return t, err
}

// piglit counts the subtests in a test's output. The device's messages are the reason of a failure.
func (t *Tally) piglit(name, out, told string) {
	parts := subtest.FindAllStringSubmatch(out, -1)
	if all := whole.FindStringSubmatch(out); len(parts) == 0 && all != nil {
		parts = [][]string{{"", "", all[1]}}
	}
	if len(parts) == 0 {
		t.Fail("%s: no result %s", name, lastLine(out+told))
	}
	for _, part := range parts {
		switch part[2] {
		case "pass":
			t.Passed++
		case "skip":
			t.Skip("%s %s", name, part[1])
		default:
			t.Fail("%s %s: %s %s", name, part[1], part[2], lastLine(told))
		}
	}
}

// lastLine returns the last line of text.
func lastLine(text string) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return all[len(all)-1]
}
