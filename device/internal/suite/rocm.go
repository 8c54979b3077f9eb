package suite

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gcnsim/gcnsim/device/guest"
)

// ExamplesDir is the variable that names a directory with the sources of rocm-examples, release 6.2.
const ExamplesDir = "ROCM_EXAMPLES"

// BuildExamples compiles the examples of dir that are one source file into out, for the processors of GCN that ROCm
// 5.2 has libraries for, and returns their files. skip is told of those that do not compile.
func BuildExamples(ctx context.Context, dir, out string, skip func(format string, args ...any)) ([]string, error) {
	var sources []string
	for _, pattern := range []string{"HIP-Basic/*/main.hip", "Applications/*/main.hip", "Libraries/*/*/main.hip",
		"Libraries/rocRAND/*/main.cpp", "Libraries/rocSPARSE/*/*/main.cpp"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		sources = append(sources, found...)
	}
	compile := func(name string, args ...string) (ok bool) {
		all := []string{"-std=c++17", "--offload-arch=gfx803", "--offload-arch=gfx900", "--offload-arch=gfx906", "-O2", "-w"}
		told, err := exec.CommandContext(ctx, "hipcc", append(all, args...)...).CombinedOutput()
		if err != nil {
			skip("%s: hipcc: %s", name, firstError(string(told)))
		}
		return err == nil
	}
	var all []string
	for _, source := range sources {
		from := filepath.Dir(source)
		name := filepath.Base(from)
		args := []string{"-x", "hip", "-I", filepath.Join(dir, "Common"), "-I", from, source, "-o", filepath.Join(out, name)}
		if strings.Contains(source, "rocRAND") {
			args = append(args, "-lrocrand")
		}
		if strings.Contains(source, "rocSPARSE") { // 5.3 has not all that the examples know to name
			args = append(args, "-lrocsparse", "-Drocsparse_status_thrown_exception=100", "-Drocsparse_status_continue=101")
		}
		if module := filepath.Join(from, "module.hip"); installed(module) { // it loads that
			compile(name, "--genco", module, "-o", filepath.Join(out, "module.co"))
		}
		if compile(name, args...) {
			all = append(all, filepath.Join(out, name))
		}
	}
	return all, ctx.Err()
}

// firstError returns the first line of a compiler that tells of an error.
func firstError(told string) string {
	for line := range strings.Lines(told) {
		if strings.Contains(line, "error:") {
			return strings.TrimSpace(line)
		}
	}
	return "no error told"
}

// exampleTime is how long an example may take.
const exampleTime = 5 * time.Minute

// CheckExamples runs examples on a chip, each in the directory of its file. One passes if its status is 0: they compare
// what kernels give with results of the host.
func CheckExamples(ctx context.Context, chip string, examples []string) (*Tally, error) {
	t := &Tally{}
	for _, file := range examples {
		one, cancel := context.WithTimeout(ctx, exampleTime)
		out, told, err := Run(one, chip, "/bin/sh", "-c", `cd "$1" && exec "$2"`, "sh", filepath.Dir(file), file)
		cancel()
		if u := (*guest.UnsupportedError)(nil); errors.As(err, &u) || ctx.Err() != nil {
			return t, err
		}
		t.example(filepath.Base(file), out+told, err)
	}
	return t, nil
}

// example counts an example by how it ended. One that needs what the card is not says so.
func (t *Tally) example(name, out string, err error) {
	switch {
	case strings.Contains(out, "at least 2 GPU devices"), strings.Contains(out, "not supported"):
		t.Skip("%s: %s", name, lastLine(out))
	case err == nil:
		t.Passed++
	default:
		t.Fail("%s: %v: %s", name, err, fmt.Sprintf("%.200s", lastLine(out)))
	}
}
