package suite

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/device/guest"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/guesttest"
)

// suites selects whole suites instead of short parts: -suites=all, or names separated by commas.
var suites = flag.String("suites", "",
	"run whole suites: all, or vulkan, piglit, ffmpeg, pyopencl, clblast, opencv, cts, ctsall, ggml, tfjs, vkfft, "+
		"rocm, gtest, kfdtest, catch")

// onChips are the chips on which whole suites run. A suite skips chips that its table does not list.
var onChips = flag.String("chips", "", "run whole suites on these chips alone, with commas between")

// on returns the chips that -chips selects, or all.
func on(chips []string) []string {
	if *onChips == "" {
		return chips
	}
	return slices.DeleteFunc(slices.Clone(chips), func(chip string) bool {
		return !slices.Contains(strings.Split(*onChips, ","), chip)
	})
}

// Chips on which suites run. OpenCL of Debian 12 runs on all of them except raven2.
var (
	vulkanChips = []string{"tahiti", "hawaii", "fiji", "polaris10", "vega10", "vega20"}
	openCLChips = []string{"tahiti", "hawaii", "fiji", "vega10"}
	rocmChips   = []string{"fiji", "vega10", "vega20"}
)

// long reports whether the whole suite was selected.
func long(name string) bool {
	for s := range strings.SplitSeq(*suites, ",") {
		if s == "all" || s == name {
			return true
		}
	}
	return false
}

// wanted skips the test unless its whole suite is selected. If part is set, GCNSIM_TESTS=full also runs the test.
func wanted(t *testing.T, name string, part bool) {
	t.Helper()
	switch {
	case long(name), part && effort.Full():
	case part:
		t.Skipf("GCNSIM_TESTS=full runs a part of it, make suites SUITES=%s all", name)
	default:
		t.Skipf("make suites SUITES=%s runs it", name)
	}
}

// needs skips the test unless the programs are installed.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("there is no %s", p)
		}
	}
}

// tell prints a row of the table.
func tell(t *testing.T, suite, chip string, tally *Tally, took time.Duration) {
	fmt.Printf("| %s | %s | %d | %d | %d | %.0f s |\n", suite, chip, tally.Passed, tally.Failed, tally.Skipped,
		took.Seconds())
	for _, n := range tally.Notes {
		t.Log(n)
	}
}

// TestVulkan: the results of a Vulkan program on the virtual card are those of Mesa's Vulkan driver for the CPU.
func TestVulkan(t *testing.T) {
	wanted(t, "vulkan", *suites == "")
	needs(t, "cc", "glslangValidator")
	guesttest.VulkanHeaders(t)
	if len(guest.VulkanDrivers()) == 0 {
		t.Skip("Mesa's Vulkan driver for Radeon is not installed")
	}
	if drivers, _ := filepath.Glob(Reference); len(drivers) == 0 {
		t.Skip("Mesa's Vulkan driver for the CPU, which tells what is right, is not installed")
	}
	var names, shaders []string
	if !long("vulkan") {
		names = []string{"integers", "atomics", "lds", "scratch", "dispatches", "queues", "times",
			"clears", "depths", "blits", "fetch.2D.R8G8B8A8_UNORM", "fetch.2D.BC1", "sample.trilinear",
			"sample.gather", "sample.shadow.linear"}
		shaders = []string{"integers", "atomics", "lds", "scratch", "ids", "add", "fetch2D0", "lod2D", "gather2D",
			"gather2Du", "gatherOffset2D", "gather2DArray", "gatherCube", "shadow2D"}
	}
	v, err := BuildVulkan(t.Context(), t.TempDir(), shaders...)
	require.NoError(t, err)
	want, err := v.Expect(t.Context(), names...)
	require.NoError(t, err)
	require.NotEmpty(t, want)
	for _, chip := range on(vulkanChips) {
		for _, draws := range []bool{false, true} {
			title := "Vulkan"
			if draws {
				title = "Vulkan, family with graphics"
			}
			begun := time.Now()
			tally, err := v.Check(t.Context(), chip, draws, want, names...)
			guesttest.Started(t, err)
			if long("vulkan") {
				tell(t, title, chip, tally, time.Since(begun))
			}
			assert.Zero(t, tally.Failed, "%s: %v", chip, tally.Notes)
			assert.Positive(t, tally.Passed)
		}
	}
}

// TestSharing: two processes share a buffer and a semaphore.
func TestSharing(t *testing.T) {
	needs(t, "cc", "glslangValidator")
	guesttest.VulkanHeaders(t)
	if len(guest.VulkanDrivers()) == 0 {
		t.Skip("Mesa's Vulkan driver for Radeon is not installed")
	}
	if !effort.Full() {
		t.Skip("GCNSIM_TESTS=full builds programs that share")
	}
	v, err := BuildVulkan(t.Context(), t.TempDir(), "none")
	require.NoError(t, err)
	for _, kind := range []string{"opaque", "dma"} {
		out, told, err := Run(t.Context(), "fiji", filepath.Join(v.Dir, "share"), kind)
		guesttest.Started(t, err)
		require.NoError(t, err, told)
		assert.Contains(t, out, "0 wrong")
	}
}

// TestPiglit: OpenCL programs through Clover and LLVM.
func TestPiglit(t *testing.T) {
	wanted(t, "piglit", true)
	p := &Piglit{PiglitDir}
	if _, err := os.Stat(filepath.Join(p.Dir, "bin/cl-program-tester")); err != nil {
		t.Skip("piglit is not installed: apt-get install piglit")
	}
	guesttest.OpenCL(t, guest.OpenCLDriver())
	all, err := p.Programs()
	require.NoError(t, err)
	chips := on(openCLChips)
	if !long("piglit") {
		const folder = "tests/cl/program/execute/"
		all = []string{filepath.Join(p.Dir, folder+"calls.cl"),
			filepath.Join(p.Dir, folder+"builtin/atomic/atomic_add-global-return.cl")}
		chips = []string{"fiji"}
	}
	for _, chip := range chips {
		begun := time.Now()
		tally, err := p.Check(t.Context(), chip, all, 2, func(string) {})
		guesttest.Started(t, err)
		if long("piglit") {
			tell(t, "piglit, OpenCL", chip, tally, time.Since(begun))
			continue
		}
		assert.Zero(t, tally.Failed, "%v", tally.Notes)
		assert.Positive(t, tally.Passed)
	}
}

// TestFilters: frames of ffmpeg's filters are the same as with Vulkan on the CPU, or the driver refuses the filter at
// once.
func TestFilters(t *testing.T) {
	wanted(t, "ffmpeg", true)
	needs(t, "ffmpeg")
	if drivers, _ := filepath.Glob(Reference); len(guest.VulkanDrivers()) == 0 || len(drivers) == 0 {
		t.Skip("Mesa's Vulkan drivers for Radeon and for the CPU are not installed")
	}
	chips, filters := on(vulkanChips), Filters()
	if !long("ffmpeg") {
		chips, filters = []string{"vega10"}, Named(filters, "libplacebo.bgra", "sobel_opencl")
	}
	dir := t.TempDir()
	for _, chip := range chips {
		begun := time.Now()
		tally, err := CheckFilters(t.Context(), dir, chip, filters)
		guesttest.Started(t, err)
		if long("ffmpeg") {
			tell(t, "ffmpeg's filters", chip, tally, time.Since(begun))
			continue
		}
		assert.Zero(t, tally.Failed, "%v", tally.Notes)
		assert.Positive(t, tally.Passed)
	}
}

// TestLibraries runs the tests of libraries if they are selected, because they take minutes to hours.
// GCNSIM_TESTS=full runs a fixed part of some if they are installed.
func TestLibraries(t *testing.T) {
	const pyOpenCL, openCV = "/usr/lib/python3/dist-packages/pyopencl/__init__.py", "/usr/lib/python3/dist-packages/cv2*"
	cts, ggml, tfjs, vkfft := os.Getenv(CTSPrograms), os.Getenv(GGMLPrograms), os.Getenv(TFJSDir), os.Getenv(VkFFTProgram)
	for _, s := range []struct {
		name, title, needs string
		chips              []string
		programs, part     func() []Program
	}{
		{"pyopencl", "pyopencl", pyOpenCL, openCLChips, func() []Program { return PyOpenCL(os.Getenv(PyOpenCLTests)) }, nil},
		{"opencv", "OpenCV T-API", openCV, openCLChips, OpenCV, nil},
		{"clblast", "CLBlast", "/usr/bin/clblast_test_xaxpy", openCLChips, func() []Program { return CLBlast() }, nil},
		{"cts", "OpenCL-CTS, a sample", cts, openCLChips,
			func() []Program { return OpenCLCTS(t.Context(), cts, true) }, func() []Program {
				return Part(OpenCLCTS(t.Context(), cts, true), "loop", "quick_int_math", "exp2", "atomic_add")
			}},
		{"ctsall", "OpenCL-CTS", cts, openCLChips, func() []Program { return OpenCLCTS(t.Context(), cts, false) }, nil},
		{"ggml", "ggml, test-backend-ops", ggml, vulkanChips,
			func() []Program { return GGML(ggml) }, func() []Program { return GGML(ggml, "-o", "ADD") }},
		{"tfjs", "tfjs over WebGPU", tfjs, vulkanChips,
			func() []Program { return TFJS(tfjs) }, func() []Program { return Part(TFJS(tfjs), "add_test.js") }},
		{"vkfft", "VkFFT", vkfft, vulkanChips,
			func() []Program { return VkFFT(vkfft, libraryTime) }, func() []Program { return VkFFT(vkfft, partTime)[:1] }},
	} {
		t.Run(s.name, func(t *testing.T) {
			wanted(t, s.name, s.part != nil)
			programs, chips, whole := s.programs, on(s.chips), long(s.name)
			if !whole {
				programs, chips = s.part, []string{"fiji"}
			}
			if !installed(s.needs) {
				t.Skipf("%s is not there: docs/DEVICE.md, \"What suites take\", says how to have it", s.title)
			}
			all := programs()
			require.NotEmpty(t, all, "there are no tests")
			for _, chip := range chips {
				begun := time.Now()
				tally, err := Check(t.Context(), chip, all)
				guesttest.Started(t, err)
				if whole {
					tell(t, s.title, chip, tally, time.Since(begun))
					continue
				}
				assert.Zero(t, tally.Failed, "%v", tally.Notes)
				assert.Positive(t, tally.Passed)
			}
		})
	}
}

// TestROCmExamples runs rocm-examples if selected, because building them takes minutes.
func TestROCmExamples(t *testing.T) {
	wanted(t, "rocm", false)
	dir := os.Getenv(ExamplesDir)
	if dir == "" {
		t.Skipf("%s names no directory with the sources", ExamplesDir)
	}
	needs(t, "hipcc")
	examples, err := BuildExamples(t.Context(), dir, t.TempDir(), t.Logf)
	require.NoError(t, err)
	for _, chip := range on(rocmChips) {
		begun := time.Now()
		tally, err := CheckExamples(t.Context(), chip, examples)
		guesttest.Started(t, err)
		tell(t, "rocm-examples", chip, tally, time.Since(begun))
	}
}

// TestROCmTests runs the tests of ROCm's libraries, of HIP and of the thunk library, if selected.
func TestROCmTests(t *testing.T) {
	for _, tests := range []struct {
		suite, variable, name string
		programs              func(t *testing.T, where string) ([]Program, error)
	}{
		{"gtest", GTestDirs, "own tests of ROCm's libraries", func(t *testing.T, dirs string) ([]Program, error) {
			needs(t, "hipcc")
			return BuildGTests(t.Context(), dirs, t.TempDir(), t.Logf)
		}},
		{"kfdtest", KFDTestFile, "kfdtest", func(_ *testing.T, file string) ([]Program, error) {
			return KFDTests(file), nil
		}},
		{"catch", HIPTestDir, "HIP's own tests", func(_ *testing.T, dir string) ([]Program, error) {
			return HIPTests(dir), nil
		}},
	} {
		t.Run(tests.suite, func(t *testing.T) {
			wanted(t, tests.suite, false)
			where := os.Getenv(tests.variable)
			if where == "" {
				t.Skipf("%s does not say where %s are", tests.variable, tests.name)
			}
			programs, err := tests.programs(t, where)
			require.NoError(t, err)
			for _, chip := range on(rocmChips) {
				begun := time.Now()
				tally, err := Check(t.Context(), chip, programs)
				guesttest.Started(t, err)
				tell(t, tests.name, chip, tally, time.Since(begun))
			}
		})
	}
}

// TestOutputsAreCounted: test counts are parsed from the outputs of libraries' programs.
func TestOutputsAreCounted(t *testing.T) {
	for want, count := range map[string]func(*Tally){
		"36 passed, 2 failed, 4 skipped": func(t *Tally) {
			t.clblast("x", "   \x1b[32m36 test(s) passed\n   4 test(s) skipped\x1b[0m\n   2 test(s) failed\x1b[0m\n")
		},
		"7 passed, 3 failed, 2 skipped": func(t *Tally) {
			t.pytest("x", "FAILED test_a.py::one - boom\n2 failed, 7 passed, 1 skipped, 1 xfailed, 1 error in 3.2s\n")
		},
		"2 passed, 1 failed, 1 skipped": func(t *Tally) {
			t.example("saxpy", "First 10 elements", nil)
			t.example("peers", "Peer-to-peer application requires at least 2 GPU devices.", nil)
			t.example("scan", "Validation failed", errors.New("exit status 1"))
			t.example("reduce", "", nil)
		},
		"1 passed, 2 failed, 1 skipped": func(t *Tally) {
			t.gtest("x", "[ RUN      ] a.b\n[       OK ] a.b (3 ms)\n[  SKIPPED ] a.c (0 ms)\n[  FAILED  ] a.d/1, where "+
				"GetParam() = 4 (12 ms)\n[  FAILED  ] a.d/1, where GetParam() = 4\nAborted\n")
		},
		"15 passed, 2 failed, 0 skipped": func(t *Tally) {
			t.catch("x", "All tests passed (12 assertions in 1 test case)\n")
			t.catch("y", "All tests passed (31 assertions in 4 test cases)\n")
			t.catch("z", "test cases:  12 |  10 passed | 2 failed\nassertions: 31 | 28 passed | 3 failed\n")
		},
		"1 passed, 1 failed, 1 skipped": func(t *Tally) {
			t.cts("fabs", "fabs...\nfabs passed\nPASSED test.\n")
			t.cts("pow", "pow32 passed\npow FAILED\n")
			t.cts("clz", "clz skipped\n")
		},
		"1 passed, 1 failed, 0 skipped": func(t *Tally) { t.opencv("", "add passed\nblur failed: off by 3\n# device\n") },
		"2 passed, 1 failed, 3 skipped": func(t *Tally) {
			t.ggml("Vulkan0", "  ADD(type=f32,ne=[1,2,1,1]): \x1b[1;32mOK[0m\n  ADD(type=f16): not supported [Vulkan0] \n"+
				"  MUL(nr=[1]): [MUL] NMSE = 0.3 > 0.0000001 \x1b[1;31mFAIL\x1b[0m\n")
			t.cts("int_float", "conversions passed\n")
			t.tfjs("x_test.js", "none\n")
			t.tfjs("y_test.js", "failed y: Error: Kernel 'Unique' not registered for backend 'webgpu'\n")
		},
		"2 passed, 2 failed, 0 skipped": func(t *Tally) {
			t.tfjs("add_test.js", "passed add webgpu A\nfailed add webgpu B: Expected 1 to be 2.\nXDG_RUNTIME_DIR\n")
			t.vkfft("15", "VkFFT System: 4096x1x1 avg_difference: 4.1e-04 max_difference: 2e-03 avg_eps: 1 max_eps: 2\n")
			t.vkfft("16", "VkFFT DCT-2 System: 4096x1x1x1 avg_difference: 4.1e-04 max_difference: 2e-3 avg_eps: 1 max_eps: 2\n")
		},
	} {
		var tally Tally
		count(&tally)
		assert.Equal(t, want, tally.String())
	}
}

// TestWordsAreCompared: Compare counts tests with wrong, missing or skipped words.
func TestWordsAreCompared(t *testing.T) {
	want, err := ParseWords("a word 0 1 2\nsomething else\nb float 0.5 3f800000 40000000\nc skipped: the device has " +
		"no such images\nd word 0 5\ne float 0.1 7fc00000\n")
	require.NoError(t, err)
	got, err := ParseWords("a word 0 1 3\nb float 0.5 3f900000 40400000\nc word 0 1\nd word 0 5\ne float 0.1 7fc00001\n")
	require.NoError(t, err)
	tally := want.Compare(got)
	assert.Equal(t, "3 passed, 1 failed, 1 skipped", tally.String())
	assert.Equal(t, []string{"failed: a: word 1 is 0x3, not 0x2",
		"skipped: c: the reference: the device has no such images"}, tally.Notes)
	tally = want.Compare(Words{})
	assert.Equal(t, 4, tally.Failed)
	_, err = ParseWords("a word 0 xyz\n")
	require.Error(t, err)
}

// TestPiglitIsRead: subtests are counted from piglit's output.
func TestPiglitIsRead(t *testing.T) {
	var tally Tally
	tally.piglit("x.cl", `PIGLIT: {"subtest": {"one" : "pass"}}
PIGLIT: {"subtest": {"two" : "fail"}}
PIGLIT: {"subtest": {"three" : "skip"}}
PIGLIT: {"result": "fail" }`, "told\n")
	tally.piglit("y.cl", `PIGLIT: {"result": "skip" }`, "")
	tally.piglit("z.cl", "Segmentation fault\n", "")
	assert.Equal(t, "1 passed, 2 failed, 2 skipped", tally.String())
	assert.Contains(t, tally.Notes[2:], "failed: z.cl: no result Segmentation fault")
}
