package suite

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// CTSPrograms is the environment variable with the directory of Khronos' OpenCL-CTS programs: test_conformance in the
// build directory.
const CTSPrograms = "OPENCL_CTS"

// ctsTime limits the time of a test. One that takes longer is skipped.
const ctsTime = 10 * time.Minute

// ctsProgram is a program of the CTS, with its tests and a sample of them.
type ctsProgram struct {
	path        string
	list, title string // the flag that lists the tests, and the line before them
	flags       []string
	sample      []string
	tests       []string // the tests, if the program cannot list them
}

var ctsPrograms = []ctsProgram{
	{"basic/test_basic", "--help", "Test names:", nil, []string{
		"arraycopy", "arrayreadwrite", "barrier", "constant", "fpmath_float", "if", "intmath_int4", "int2float",
		"local_kernel_scope", "loop", "pointer_cast", "vload_global", "vstore_global", "work_item_functions",
	}, nil},
	{"integer_ops/test_integer_ops", "--help", "Test names:", nil, []string{
		"integer_clz", "integer_hadd", "integer_mul_hi", "integer_rotate", "integer_upsample", "integer_abs_diff",
		"integer_mad24", "quick_int_math", "quick_ulong_shift", "quick_char_compare", "quick_short_logic", "quick_uint_shift",
	}, nil},
	{"math_brute_force/test_bruteforce", "-p", "Math function names:", []string{"-w", "-[16384]", "-1"}, []string{
		"acos", "cbrt", "ceil", "copysign", "exp2", "fabs", "fma", "fmin", "fract", "ldexp", "log", "mad", "pow", "rint",
		"rsqrt", "sin", "sqrt", "trunc", "divide", "half_exp",
	}, nil},
	{"select/test_select", "--help", "Test names:", []string{"-w"}, []string{
		"select_char_uchar", "select_ushort_short", "select_int_uint", "select_float_int", "select_ulong_long",
	}, nil},
	{"atomics/test_atomics", "--help", "Test names:", nil, []string{
		"atomic_add", "atomic_xchg", "atomic_min", "atomic_cmpxchg", "atomic_xor", "atomic_add_index",
	}, nil},
	{"buffers/test_buffers", "--help", "Test names:", nil, []string{
		"buffer_read_int", "buffer_read_struct", "buffer_map_read_float", "buffer_map_write_uchar", "buffer_write_ulong",
		"buffer_copy", "buffer_partial_copy", "buffer_fill_short", "sub_buffers_read_write", "mem_copy_host_flags",
	}, nil},
	{"conversions/test_conversions", "--help", "", []string{"-[16384]"}, []string{
		"int_float", "float_uint", "uchar_short", "long_int", "ushort_float", "float_ulong",
	}, conversions()},
}

// conversions returns the names of the conversion tests, which their program does not list.
func conversions() (all []string) {
	types := []string{"uchar", "char", "ushort", "short", "uint", "int", "ulong", "long", "float", "double"}
	for _, to := range types {
		for _, from := range types {
			if from != to {
				all = append(all, to+"_"+from)
			}
		}
	}
	return all
}

// OpenCLCTS returns the tests of the programs of the CTS below dir, one process each, or a sample of them.
func OpenCLCTS(ctx context.Context, dir string, sample bool) (all []Program) {
	for _, p := range ctsPrograms {
		path := filepath.Join(dir, p.path)
		out, err := exec.CommandContext(ctx, path, p.list).Output()
		if len(out) == 0 && err != nil {
			continue // it was not built
		}
		tests := p.tests
		if _, listed, found := strings.Cut(string(out), p.title); found && p.title != "" {
			tests = strings.Fields(listed)
		}
		for _, name := range tests {
			if sample && !slices.Contains(p.sample, name) {
				continue
			}
			args := slices.Concat([]string{"/usr/bin/env", "CL_WIMPY_MODE=1", path}, p.flags, []string{name})
			all = append(all, Program{Args: args, count: (*Tally).cts, limit: ctsTime})
		}
	}
	return all
}

// ctsVerdict matches the result line of a test.
var ctsVerdict = regexp.MustCompile(`(?m)^(\w+) (passed|FAILED|skipped)$`)

func (t *Tally) cts(name, out string) {
	for _, m := range ctsVerdict.FindAllStringSubmatch(out, -1) {
		switch {
		case m[1] != name && m[1] != "conversions": // the conversions program does not print the test's name
		case m[2] == "passed":
			t.Passed++
		case m[2] == "skipped":
			t.Skip("%s", name)
		default:
			t.Fail("%s", name)
		}
	}
}
