package asm

import (
	"slices"
	"strconv"
	"strings"
)

// builtInAdvice says which library defines a built-in function of OpenCL C.
const builtInAdvice = "it is a function that OpenCL C has built in: compile with the device library that defines it, " +
	"libclc or those of ROCm (clang -Xclang -mlink-builtin-bitcode -Xclang LIBRARY.bc)"

// AdviseDefining returns builtInAdvice if a symbol is a built-in function of OpenCL C. Compilers call these functions,
// and device libraries define them. For other symbols it returns otherwise.
func AdviseDefining(symbol, otherwise string) string {
	if builtIn(symbol) {
		return builtInAdvice
	}
	return otherwise
}

// builtIn reports whether device libraries define a symbol. Names that programs also give to their own functions
// count only in the mangled form of C++, which has the types of the arguments.
func builtIn(symbol string) bool {
	name, mangled := functionName(symbol)
	begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	return slices.ContainsFunc(libraryPrefixes, begins) || slices.Contains(workItemFunctions, name) ||
		mangled && (slices.Contains(otherBuiltIns, name) || slices.ContainsFunc(familyPrefixes, begins))
}

// functionName returns the name of a function without the types of its arguments. mangled reports whether it had types.
func functionName(symbol string) (name string, mangled bool) {
	rest, ok := strings.CutPrefix(symbol, "_Z")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	n, err := strconv.Atoi(rest[:digits])
	if !ok || err != nil || n > len(rest)-digits {
		return symbol, false
	}
	return rest[digits:][:n], true
}

var (
	// libraryPrefixes are the prefixes of names that libraries reserve for themselves.
	libraryPrefixes = []string{"__clc_", "__ocml_", "__ockl_", "__spirv_"}
	// workItemFunctions are the OpenCL C functions that return ids and sizes of work-items, and barriers.
	workItemFunctions = strings.Fields(`get_global_id get_local_id get_group_id get_global_size get_local_size
		get_enqueued_local_size get_num_groups get_work_dim get_global_offset get_global_linear_id
		get_local_linear_id get_sub_group_size get_max_sub_group_size get_num_sub_groups get_sub_group_id
		get_sub_group_local_id barrier work_group_barrier sub_group_barrier mem_fence read_mem_fence write_mem_fence`)
	// familyPrefixes are the prefixes of families of functions.
	familyPrefixes = []string{"atom_", "atomic_", "async_work_group_", "convert_", "get_image_", "half_", "native_",
		"read_image", "sub_group_", "vload", "vstore", "work_group_", "write_image"}
	// otherBuiltIns are the other built-in functions: mathematical, common, geometric, relational and integer functions.
	otherBuiltIns = strings.Fields(`abs abs_diff acos acosh acospi add_sat all any asin asinh asinpi atan atan2
		atan2pi atanh atanpi bitselect cbrt ceil clamp clz copysign cos cosh cospi cross ctz degrees distance dot
		erf erfc exp exp10 exp2 expm1 fabs fast_distance fast_length fast_normalize fdim floor fma fmax fmin fmod
		fract frexp hadd hypot ilogb isequal isfinite isgreater isgreaterequal isinf isless islessequal
		islessgreater isnan isnormal isnotequal isordered isunordered ldexp length lgamma lgamma_r log log10 log1p
		log2 logb mad mad24 mad_hi mad_sat max maxmag min minmag mix modf mul24 mul_hi nan nextafter normalize
		popcount pow pown powr prefetch printf radians remainder remquo rhadd rint rootn rotate round rsqrt select
		shuffle shuffle2 sign signbit sin sincos sinh sinpi smoothstep sqrt step sub_sat tan tanh tanpi tgamma trunc
		upsample wait_group_events`)
)
