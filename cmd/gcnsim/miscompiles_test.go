package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/base/half"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// bugs is the directory of the programs and specifications in the table of miscompiles.
const bugs = "../../docs/compilers/bugs"

// The versions and chips that the page for compiler writers lists as tested.
var (
	versions = []string{"14", "15", "19", "22"}
	chips    = []string{"gfx600", "gfx700", "gfx803", "gfx900", "gfx906"}
)

// rightResults computes each program's right output from its input.
var rightResults = map[string]func(in []uint32) any{
	"phi": func(in []uint32) any {
		out := []uint32{99, 99}
		for t := range out {
			if in[t] != 0 {
				out[t] = in[2] * 15
			}
		}
		return out
	},
	"m0":    func(in []uint32) any { return in },
	"shift": func(in []uint32) any { return []int16{int16(in[0]) >> 8, int16(in[0]>>16) >> 13} },
	"zero": func(in []uint32) any {
		out := make([]uint16, 2)
		for t := range out {
			product := math.Float32frombits(in[t]) * math.Float32frombits(in[t+2])
			out[t] = uint16(half.Round(math.Float32bits(product)))
		}
		return out
	},
	"promote":  func([]uint32) any { return uint32(1) },
	"aperture": func(in []uint32) any { return []uint32{2, 3, 5, 7}[in[0]&3] },
	"stub":     func([]uint32) any { return uint32(1) },
	"lds":      func(in []uint32) any { return in[0] },
	"square": func(in []uint32) any {
		x := uint64(in[0] & 0xffffff)
		return uint32(x * x >> 32)
	},
}

// miscompile is a row of the table of miscompiles.
type miscompile struct {
	program         string
	options         string // options with which the result is wrong
	versions, chips []string
	says            []string // texts in the output of gcnsim dispatch
	right           string   // options with which the result is right; "" if all versions are right
	names           []string // texts in the difference that gcnsim diff prints
	onPaths         string   // text in the output of gcnsim check; "" if it finds no error and no warning
}

// readMiscompiles parses the table in the page for compiler writers.
func readMiscompiles(t *testing.T) []miscompile {
	page, err := os.ReadFile("../../docs/COMPILERS.md")
	require.NoError(t, err)
	code := regexp.MustCompile("`([^`]+)`")
	spans := func(cell string) (texts []string) {
		for _, span := range code.FindAllStringSubmatch(cell, -1) {
			texts = append(texts, span[1])
		}
		return texts
	}
	link := regexp.MustCompile(`(?m)^\| \[(\w+)\]\(compilers/bugs/\w+\.cl\) .*$`)
	var rows []miscompile
	for _, line := range link.FindAllStringSubmatch(string(page), -1) {
		cells := strings.Split(line[0], "|")
		require.Len(t, cells, 11, line[0])
		row := miscompile{
			program: line[1], options: strings.Join(spans(cells[3]), ""),
			versions: regexp.MustCompile(`\b\d\d\b`).FindAllString(cells[4], -1),
			chips:    regexp.MustCompile(`gfx\w+`).FindAllString(cells[5], -1),
			says:     spans(cells[6]), right: strings.Join(spans(cells[7]), ""), names: spans(cells[8]),
			onPaths: strings.Join(spans(cells[9]), ""),
		}
		if strings.TrimSpace(cells[5]) == "all" {
			row.chips = chips
		}
		require.Subset(t, versions, row.versions, line[0])
		require.Subset(t, chips, row.chips, line[0])
		rows = append(rows, row)
	}
	return rows
}

// Each program of the table has a specification whose expectation is the result computed in Go.
func TestMiscompilesExpectWhatIsRight(t *testing.T) {
	var inTable []string
	for _, row := range readMiscompiles(t) {
		inTable = append(inTable, row.program)
	}
	files, err := filepath.Glob(filepath.Join(bugs, "*.cl"))
	require.NoError(t, err)
	require.Len(t, files, len(rightResults))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".cl")
		t.Run(name, func(t *testing.T) {
			assert.Contains(t, inTable, name)
			text, err := os.ReadFile(filepath.Join(bugs, name+".json"))
			require.NoError(t, err)
			var spec struct {
				Args   []struct{ Buffer struct{ Hex string } }
				Expect []struct{ Hex string }
			}
			require.NoError(t, json.Unmarshal(text, &spec))
			data, err := hex.DecodeString(spec.Args[len(spec.Args)-1].Buffer.Hex)
			require.NoError(t, err)
			in := make([]uint32, len(data)/4)
			require.NoError(t, binary.Read(bytes.NewReader(data), binary.LittleEndian, in))
			want, err := binary.Append(nil, binary.LittleEndian, rightResults[name](in))
			require.NoError(t, err)
			assert.Equal(t, hex.EncodeToString(want), spec.Expect[0].Hex)
		})
	}
}

// The installed compilers miscompile the programs in the table's rows, and no others.
func TestMiscompiles(t *testing.T) {
	if !effort.Full() {
		t.Skip("compilers take seconds")
	}
	rows := readMiscompiles(t)
	for _, version := range versions {
		t.Run("clang-"+version, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("clang-" + version); err != nil {
				t.Skip(err)
			}
			done := map[[2]string]bool{} // rows with the same program and options share their results
			for _, row := range rows {
				key := [2]string{row.program, row.options}
				if !done[key] {
					done[key] = true
					checkProgram(t, version, slices.DeleteFunc(slices.Clone(rows), func(r miscompile) bool {
						return [2]string{r.program, r.options} != key
					}))
				}
			}
		})
	}
}

// checkProgram compiles the program of rows, which have the same program and options, for all chips and executes it.
func checkProgram(t *testing.T, version string, rows []miscompile) {
	spec := filepath.Join(bugs, rows[0].program+".json")
	object := filepath.Join(t.TempDir(), "bug.o")
	compiled, wrong := 0, make([]string, len(rows)) // for each row, the last chip with a wrong result
	for _, chip := range chips {
		where := fmt.Sprintf("%s, clang %s, %s", rows[0].program, version, chip)
		if compileBug(version, chip, rows[0].options, rows[0].program, object) != nil {
			continue // the compiler refuses the program
		}
		compiled++
		out, err := exec.Command("gcnsim", "dispatch", "--object="+object, spec).Output()
		i := slices.IndexFunc(rows, func(r miscompile) bool {
			return slices.Contains(r.versions, version) && slices.Contains(r.chips, chip)
		})
		if i < 0 {
			assert.NoError(t, err, "%s: the table lacks this\n%s", where, out)
			continue
		}
		wrong[i] = chip
		assert.Error(t, err, "%s: the table says that the result is wrong", where)
		assertWords(t, string(out), rows[i].says, where)
		out, err = exec.Command("gcnsim", "check", "--kernel="+rows[0].program, object).Output()
		assert.Equal(t, rows[i].onPaths != "", err != nil, "%s: gcnsim check\n%s", where, out)
		assert.Contains(t, string(out), rows[i].onPaths, where)
	}
	assert.NotZero(t, compiled, "%s: clang %s refuses it for all chips", rows[0].program, version)
	for i, row := range rows {
		if slices.Contains(row.versions, version) {
			require.NotEmpty(t, wrong[i], "%s, clang %s: wrong on no chip", row.program, version)
			checkDiff(t, version, wrong[i], row)
		}
	}
}

// checkDiff compares the right and the wrong code for chip.
func checkDiff(t *testing.T, version, chip string, row miscompile) {
	where := fmt.Sprintf("%s, clang %s, %s", row.program, version, chip)
	dir := t.TempDir()
	right, wrong := filepath.Join(dir, "right.o"), filepath.Join(dir, "wrong.o")
	require.NoError(t, compileBug(version, chip, row.right, row.program, right), where)
	require.NoError(t, compileBug(version, chip, row.options, row.program, wrong), where)
	spec := filepath.Join(bugs, row.program+".json")
	out, err := exec.Command("gcnsim", "dispatch", "--object="+right, spec).CombinedOutput()
	require.NoError(t, err, "%s: %s", where, out)
	out, err = exec.Command("gcnsim", "diff", "--spec="+spec, right, wrong).Output()
	require.Error(t, err, where)
	named := regexp.MustCompile(`(?m)^(=>|  [ab]:|b: \w+ fault).*$`).FindAllString(string(out), -1)
	assertWords(t, strings.Join(named, "\n"), row.names, where)
}

// assertWords asserts that out contains each of words as a whole word.
func assertWords(t *testing.T, out string, words []string, where string) {
	for _, word := range words {
		assert.Regexp(t, `(^|\W)`+regexp.QuoteMeta(word)+`(\W|$)`, out, where)
	}
}

// compileBug compiles a program of the table with the page's command line.
func compileBug(version, chip, options, program, object string) error {
	args := []string{"-x", "cl", "--target=amdgcn-amd-amdhsa", "-nogpulib", "-mcpu=" + chip}
	args = append(args, "-c", filepath.Join(bugs, program+".cl"), "-o", object)
	return exec.Command("clang-"+version, append(args, strings.Fields(options)...)...).Run()
}

// With the script on the page, llvm-reduce reduces a miscompiled program to a smaller one that is also miscompiled.
func TestExpectUnderLLVMReduce(t *testing.T) {
	if !effort.Full() {
		t.Skip("compilers take seconds")
	}
	for _, tool := range []string{"clang-22", "llc-22", "llvm-reduce-22", "sh", "gcnsim"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	page, err := os.ReadFile("../../docs/COMPILERS.md")
	require.NoError(t, err)
	script := regexp.MustCompile("(?s)```sh\n(#!/bin/sh\nllc-22.*?)```").FindSubmatch(page)
	require.NotNil(t, script)
	dir := t.TempDir()
	in, out, test := filepath.Join(dir, "in.ll"), filepath.Join(dir, "out.ll"), filepath.Join(dir, "test.sh")
	require.NoError(t, os.WriteFile(test, script[1], 0o700))
	require.NoError(t, compileBug("22", "gfx900", "-O2 -S -emit-llvm", "phi", in))
	said, err := exec.Command("llvm-reduce-22", "--test="+test, "-o", out, in).CombinedOutput()
	require.NoError(t, err, "%s", said)
	before, err := os.ReadFile(in)
	require.NoError(t, err)
	after, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Less(t, 2*len(after), len(before))
	said, err = exec.Command(test, out).CombinedOutput()
	require.NoError(t, err, "%s", said)
	assert.Contains(t, string(said), "different: argument 0")
}
