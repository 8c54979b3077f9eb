package suite

import (
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Variables that name what was built of libraries on Vulkan: the directory of ggml's programs, the directory into
// which npm has installed tfjs and WebGPU, and VkFFT's program of tests.
const (
	GGMLPrograms = "GGML_BIN"
	TFJSDir      = "TFJS"
	VkFFTProgram = "VKFFT"
)

// These are how long a program of these libraries may take, and a part of one: what it has done by then counts.
const (
	libraryTime = 2 * time.Hour
	partTime    = 5 * time.Second
)

// GGML returns the program that compares each operator of ggml, which llama.cpp computes with, on Vulkan with the one
// on the CPU, or those that options choose. It compiles all shaders first, which takes a minute.
func GGML(dir string, options ...string) []Program {
	program := filepath.Join(dir, "test-backend-ops")
	if !installed(program) {
		return nil
	}
	args := append([]string{program, "test", "-b", "Vulkan0"}, options...)
	return []Program{{Args: args, count: (*Tally).ggml, limit: libraryTime}}
}

// ggmlVerdict matches what it prints about an operator with its sizes and types, with colours taken out. Only what the
// backend does not have is said before the verdict.
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

// tfjsTime is how long the tests of a file may take.
const tfjsTime = 10 * time.Minute

// TFJS returns the tests of the operators of @tensorflow/tfjs-core, a file each, on its backend for WebGPU.
func TFJS(dir string) (all []Program) {
	const tests = "node_modules/@tensorflow/tfjs-core/dist/ops"
	files, _ := filepath.Glob(filepath.Join(dir, tests, "*_test.js")) // a pattern that is wrong matches nothing
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

// VkFFT returns the parts of VkFFT's program that compare with FFTW: complex, of other lengths than powers of two,
// real, and cosine transforms, all in single precision. Each may take as long as limit says.
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

// vkfftResult is a transform with the lengths of its axes, and how far its values are from those of FFTW: the mean of
// the distances. The mean of the distances by their size says nothing, as some values are next to 0.
var vkfftResult = regexp.MustCompile(`(?m)^VkFFT (.*System: ([\dx]+)) avg_difference: (\S+)`)

// vkfftNear is how far values of size 1 may be off. Single precision gives 5e-8 to 2e-7. Of n numbers up to 1 the
// transform has the size of the root of n, and that back, which part 15 makes, n.
const vkfftNear = 1e-6

func (t *Tally) vkfft(name, out string) {
	for _, m := range vkfftResult.FindAllStringSubmatch(out, -1) {
		size := 1.0
		for n := range strings.SplitSeq(m[2], "x") {
			length, _ := strconv.ParseFloat(n, 64) // they are digits
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
