package suite

import (
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Environment variables for libraries on Vulkan that were built before: the directory of ggml's programs, the
// directory where npm installed tfjs and WebGPU, and VkFFT's test program.
const (
	GGMLPrograms = "GGML_BIN"
	TFJSDir      = "TFJS"
	VkFFTProgram = "VKFFT"
)

// Time limits of such a program, and of a part of it. Tests that it has finished by then are counted.
const (
	libraryTime = 2 * time.Hour
	partTime    = 5 * time.Second
)

// GGML returns the program that compares the operators of ggml, with which llama.cpp computes, on Vulkan and on the
// CPU. options may select operators. It first compiles all shaders, which takes a minute.
func GGML(dir string, options ...string) []Program {
	program := filepath.Join(dir, "test-backend-ops")
	if !installed(program) {
		return nil
	}
	args := append([]string{program, "test", "-b", "Vulkan0"}, options...)
	return []Program{{Args: args, count: (*Tally).ggml, limit: libraryTime}}
}

// ggmlVerdict matches a result line: an operator with its sizes and types, and the verdict, with colours removed.
// Between them only the name of a backend without the operator appears.
var ggmlVerdict = regexp.MustCompile(`(?m)^  (\w+\(.*\)): .*?(OK|FAIL|not supported \[\w+\])`)

func (t *Tally) ggml(_, out string) {
	for _, m := range ggmlVerdict.FindAllStringSubmatch(colours.ReplaceAllString(out, ""), -1) {
		switch m[2] {
		case "OK":
			t.Passed++
		case "FAIL":
			t.Fail("%s", m[1])
		default:
			t.Skipped++
		}
	}
}

// tfjsTime limits the time of the tests in a file.
const tfjsTime = 10 * time.Minute

// TFJS returns the tests of @tensorflow/tfjs-core's operators on its WebGPU backend, one program a file.
func TFJS(dir string) (all []Program) {
	const tests = "node_modules/@tensorflow/tfjs-core/dist/ops"
	files, _ := filepath.Glob(filepath.Join(dir, tests, "*_test.js")) // an invalid pattern matches nothing
	for _, f := range files {
		all = append(all, Program{count: (*Tally).tfjs, limit: tfjsTime, Args: []string{
			"/usr/bin/env", "node", "../../../testdata/programs/tfjs.cjs", dir, "ops/" + filepath.Base(f)}})
	}
	return all
}

func (t *Tally) tfjs(name, out string) {
	for line := range strings.Lines(out) {
		switch verdict, test, _ := strings.Cut(strings.TrimSpace(line), " "); {
		case verdict == "passed":
			t.Passed++
		case verdict == "none":
			t.Skip("%s: no test is for this backend", name)
		case verdict == "failed" && strings.Contains(test, "not registered for backend"):
			t.Skip("%s: %s", name, test)
		case verdict == "failed":
			t.Fail("%s: %s", name, test)
		}
	}
}

// VkFFT returns the parts of VkFFT's program that compare with FFTW in single precision: complex transforms, lengths
// that are not powers of two, real and cosine transforms. limit is the time limit of each part.
func VkFFT(program string, limit time.Duration) (all []Program) {
	if !installed(program) {
		return nil
	}
	for _, part := range []string{"11", "14", "15", "16"} {
		all = append(all, Program{Args: []string{
			"/usr/bin/stdbuf", "-oL", program, "-vkfft", part}, count: (*Tally).vkfft, limit: limit})
	}
	return all
}

// vkfftResult matches a transform with the lengths of its axes, and the mean distance of its values from FFTW's. The
// mean relative distance is useless, because some values are near 0.
var vkfftResult = regexp.MustCompile(`(?m)^VkFFT (.*System: ([\dx]+)) avg_difference: (\S+)`)

// vkfftNear is the tolerance for values of size 1. Single precision gives 5e-8 to 2e-7. The transform of n numbers up
// to 1 has the size of the square root of n. Part 15 transforms back too, which gives size n.
const vkfftNear = 1e-6

func (t *Tally) vkfft(name, out string) {
	for _, m := range vkfftResult.FindAllStringSubmatch(out, -1) {
		size := 1.0
		for n := range strings.SplitSeq(m[2], "x") {
			length, _ := strconv.ParseFloat(n, 64) // the text consists of digits
			size *= length
		}
		if name != "15" {
			size = math.Sqrt(size)
		}
		if off, err := strconv.ParseFloat(m[3], 64); err == nil && off < vkfftNear*size {
			t.Passed++
		} else {
			t.Fail("%s: %s is off by %s", name, m[1], m[3])
		}
	}
}
