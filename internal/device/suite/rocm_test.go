package suite

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gcnsim/gcnsim/internal/device/guest"
)

// ExamplesDir is the environment variable with the source directory of rocm-examples, release 6.2.
const ExamplesDir = "ROCM_EXAMPLES"

// BuildExamples compiles the examples in dir that are one source file into out, for the GCN processors that ROCm 5.2
// supports, and returns the binaries. It calls skip for examples that do not compile.
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
	var all []string
	for _, source := range sources {
		from := filepath.Dir(source)
		name := filepath.Base(from)
		args := []string{"-x", "hip", "-I", filepath.Join(dir, "Common"), "-I", from, source, "-o", filepath.Join(out, name)}
		if strings.Contains(source, "rocRAND") {
			args = append(args, "-lrocrand")
		}
		if strings.Contains(source, "rocSPARSE") { // 5.3 lacks some names that the examples use
			args = append(args, "-lrocsparse", "-Drocsparse_status_thrown_exception=100", "-Drocsparse_status_continue=101")
		}
		if module := filepath.Join(from, "module.hip"); installed(module) { // the example loads this module
			compile(ctx, skip, name, "--genco", module, "-o", filepath.Join(out, "module.co"))
		}
		if compile(ctx, skip, name, args...) {
			all = append(all, filepath.Join(out, name))
		}
	}
	return all, ctx.Err()
}

// compile compiles for the GCN processors that ROCm 5.2 supports. It calls skip if that fails.
func compile(ctx context.Context, skip func(format string, args ...any), name string, args ...string) (ok bool) {
	all := []string{"-std=c++17", "--offload-arch=gfx803", "--offload-arch=gfx900", "--offload-arch=gfx906", "-O2", "-w"}
	told, err := exec.CommandContext(ctx, "hipcc", append(all, args...)...).CombinedOutput()
	if err != nil {
		skip("%s: hipcc: %s", name, firstError(string(told)))
	}
	return err == nil
}

// GTestDirs is the environment variable with a list of directories of GoogleTest sources of ROCm's libraries, such as
// test of rocRAND and test/rocprim of rocPRIM.
const GTestDirs = "ROCM_GTESTS"

// gtestTime limits the time of a GoogleTest program. One that takes longer is skipped.
const gtestTime = 10 * time.Minute

// BuildGTests compiles each test_*.cpp in the directories into out, like BuildExamples.
func BuildGTests(ctx context.Context, dirs, out string, skip func(format string, args ...any)) ([]Program, error) {
	var all []Program
	for _, dir := range filepath.SplitList(dirs) {
		sources, err := filepath.Glob(filepath.Join(dir, "test_*.cpp"))
		if err != nil {
			return nil, err
		}
		for _, source := range sources {
			name := strings.TrimSuffix(filepath.Base(source), ".cpp")
			program := filepath.Join(out, name)
			if compile(ctx, skip, name, "-x", "hip", "-I", dir, "-I", filepath.Dir(dir), source, "-o", program, "-lrocrand",
				"-lgtest", "-lgtest_main") {
				all = append(all, Program{Args: []string{program}, count: (*Tally).gtest, limit: gtestTime})
			}
		}
	}
	return all, ctx.Err()
}

// KFDTestFile is the environment variable with the path of kfdtest, the tests of ROCm's thunk library.
const KFDTestFile = "KFDTEST"

// HIPTestDir is the environment variable with a directory of HIP's own tests, which use Catch2.
const HIPTestDir = "HIP_CATCH"

// KFDTests returns the tests of kfdtest, one process for each class. It omits tests that take many minutes, and tests
// of features that this card does not offer: other cards, suspend, dma-bufs, SVM and debuggers.
func KFDTests(file string) (all []Program) {
	const left = "*Fragmentation:*CheckZero*:*MeasureInterrupt*:*CuMasking*:*QueuePriority*:*mGPU*:*P2P*"
	for class := range strings.FieldsSeq("Event Exception GWS HWS IPC LocalMemory Memory OpenCloseKFD QM Topology") {
		filter := "--gtest_filter=KFD" + class + "Test.*-" + left
		all = append(all, Program{Args: []string{file, filter}, count: (*Tally).gtest, limit: gtestTime})
	}
	return all
}

// HIPTests returns the programs in a directory of HIP's own tests.
func HIPTests(dir string) (all []Program) {
	files, _ := filepath.Glob(filepath.Join(dir, "*")) // an invalid pattern matches nothing
	for _, file := range files {
		all = append(all, Program{Args: []string{file}, count: (*Tally).catch, limit: gtestTime})
	}
	return all
}

// Catch2 prints one of two lines last: "all passed", or the numbers of passed and failed tests.
var (
	catchPassed = regexp.MustCompile(`(?m)^All tests (passed) \(.* in (\d+) test cases?\)$`)
	catchLine   = regexp.MustCompile(`(?m)^test cases:.*$`)
	catchCount  = regexp.MustCompile(`(\d+) (passed|failed)`)
)

func (t *Tally) catch(name, out string) {
	line := catchPassed.ReplaceAllString(catchPassed.FindString(out), "$2 $1") + catchLine.FindString(out)
	if failed := t.counts(catchCount, line); failed > 0 {
		t.Fail("%s: %d of its tests", name, failed)
		t.Failed += failed - 1
	}
}

// gtestVerdict matches the line that GoogleTest prints at the end of a test.
var gtestVerdict = regexp.MustCompile(`(?m)^\[ +(OK|FAILED|SKIPPED) +\] ([^,\s]+).* \(\d+ ms\)$`)

func (t *Tally) gtest(name, out string) {
	for _, m := range gtestVerdict.FindAllStringSubmatch(out, -1) {
		switch m[1] {
		case "OK":
			t.Passed++
		case "SKIPPED":
			t.Skip("%s: %s", name, m[2])
		default:
			t.Fail("%s: %s", name, m[2])
		}
	}
	if !strings.Contains(out, "Global test environment tear-down") {
		t.Fail("%s has not ended: %s", name, lastLine(out))
	}
}

// firstError returns the first line of a compiler's output that reports an error.
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

// CheckExamples runs examples on a chip, each in its own directory. An example passes if its exit status is 0,
// because examples compare the results of kernels with results of the host.
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

// example counts an example by its exit status. Output that names a missing feature of the card makes it skipped.
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
