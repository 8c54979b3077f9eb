package verdict

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/prove"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// typedKernel returns the source of a kernel k(out, in, third) for work-groups of 64. At the start of text, v[2:3] has
// the address of the element of in, s[8:11] the third argument, and s12 the hidden global offset, which is not added to
// the index. The kernel stores v[4:5] to out at the end.
func typedKernel(elements, third string, size int, text string) []byte {
	shift := 2
	load, store := "global_load_dword v2", "global_store_dword v1, v4"
	switch {
	case strings.Contains(elements, "short"):
		shift, load, store = 1, "global_load_ushort v2", "global_store_short v1, v4"
	case elements == "double":
		shift, load, store = 3, "global_load_dwordx2 v[2:3]", "global_store_dwordx2 v1, v[4:5]"
	}
	arg := func(at, size int, kind, name string) string {
		text := fmt.Sprintf("      - .offset: %d\n        .size: %d\n        .value_kind: %s\n", at, size, kind)
		if name != "" {
			text += "        .type_name: '" + name + "'\n"
		}
		return text
	}
	return []byte(fmt.Sprintf(`
	.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
k:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx4 s[8:11], s[0:1], 0x10
	s_load_dword s12, s[0:1], 0x20
	v_lshl_or_b32 v1, s2, 6, v0
	v_lshlrev_b32 v1, %d, v1
	s_waitcnt lgkmcnt(0)
	%s, v1, s[6:7]
	s_waitcnt vmcnt(0)
%s
	%s, s[4:5]
	s_endpgm
	.rodata
	.p2align 6
	.amdhsa_kernel k
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.amdhsa_next_free_vgpr 12
	.amdhsa_group_segment_fixed_size 64
	.amdhsa_next_free_sgpr 24
	.amdhsa_ieee_mode 1
	.amdhsa_float_denorm_mode_32 3
	.end_amdhsa_kernel
	.amdgpu_metadata
amdhsa.kernels:
  - .args:
%s    .group_segment_fixed_size: 64
    .kernarg_segment_align: 8
    .kernarg_segment_size: 40
    .max_flat_workgroup_size: 64
    .name: k
    .private_segment_fixed_size: 0
    .reqd_workgroup_size: [64, 1, 1]
    .symbol: k.kd
    .wavefront_size: 64
amdhsa.target: amdgcn-amd-amdhsa--gfx900
amdhsa.version: [1, 1]
	.end_amdgpu_metadata
`, shift, load, text, store, arg(0, 8, "global_buffer", elements+"*")+arg(8, 8, "global_buffer", elements+"*")+
		arg(16, size, "by_value", third)+arg(32, 8, "hidden_global_offset_x", "")))
}

// Ends of the texts below.
const (
	addScalar = "\nv_add_u32 v4, s9, v2"
	addEqual  = "\nv_addc_co_u32 v4, vcc, 0, v2, vcc"
)

// directedPair is a pair of kernels with the same arguments.
type directedPair struct {
	name, elements, third string
	size                  int
	a, b                  string
}

// planted has kernels with a defect that launches of random data do not show.
var planted = []directedPair{
	{"sign of a scalar", "int", "int", 4, "s_ashr_i32 s9, s8, 1" + addScalar, "s_lshr_b32 s9, s8, 1" + addScalar},
	{"high bit of a scalar", "uint", "uint", 4, "s_mov_b32 s9, s8" + addScalar,
		"s_and_b32 s9, s8, 0x7fffffff" + addScalar},
	{"bit 16 of a scalar", "int", "int", 4, "s_mov_b32 s9, s8" + addScalar,
		"s_and_b32 s9, s8, 0xfffeffff" + addScalar},
	{"bound of a scalar", "int", "int", 4, "s_cmp_lt_i32 s8, 0\ns_cselect_b32 s9, 1, 2" + addScalar,
		"s_mov_b32 s9, 2" + addScalar},
	{"member of a structure", "int", "P", 12, "s_ashr_i32 s9, s10, 4" + addScalar, "s_lshr_b32 s9, s10, 4" + addScalar},
	{"element of a vector", "int", "uint4", 16, "s_lshr_b32 s9, s11, 24" + addScalar, "s_mov_b32 s9, 0" + addScalar},
	{"literal in a register", "uint", "int", 4, "v_mov_b32 v4, v2",
		"s_mov_b32 s9, 0x12345678\nv_cmp_eq_u32 vcc, s9, v2" + addEqual},
	{"negative constant of unsigned data", "uint", "int", 4, "v_mov_b32 v4, v2", "v_cmp_eq_u32 vcc, -2, v2" + addEqual},
	{"constant after a product", "uint", "int", 4, "v_mov_b32 v4, v2",
		"s_mov_b32 s9, 0x9e3779b1\nv_mul_lo_u32 v6, v2, s9\ns_mov_b32 s9, 0x2a4c2d78\nv_cmp_eq_u32 vcc, s9, v6" + addEqual},
	{"value in one lane", "uint", "int", 4, "v_mov_b32 v4, v2",
		"v_and_b32 v6, 0xffff, v2\ns_movk_i32 s9, 0x7fff\nv_cmp_eq_u32 s[14:15], s9, v6\nv_cmp_eq_u32 vcc, 37, v0\n" +
			"s_and_b64 vcc, vcc, s[14:15]" + addEqual},
	{"short constant", "ushort", "int", 4, "v_mov_b32 v4, v2",
		"s_mov_b32 s9, 0xbeef\nv_cmp_eq_u32 vcc, s9, v2" + addEqual},
	{"float constant", "float", "int", 4, "v_mov_b32 v4, v2",
		"s_mov_b32 s9, 0x449a5000\nv_cmp_eq_f32 vcc, s9, v2" + addEqual},
	{"range of doubles", "double", "int", 4, "v_mov_b32 v4, v2\nv_mov_b32 v5, v3",
		"v_mov_b32 v5, v3\ns_mov_b32 s14, 0\ns_mov_b32 s15, 0x40934a00\nv_cmp_eq_f64 vcc, s[14:15], v[2:3]" + addEqual},
	{"code behind a scalar", "int", "int", 4, "v_mov_b32 v4, v2",
		"v_mov_b32 v4, v2\ns_cmpk_lg_u32 s8, 0x2b67\ns_cbranch_scc1 end\nv_xor_b32 v4, 1, v2\nend:"},
	{"denormal scalar", "float", "float", 4, "v_mov_b32 v4, v2",
		"v_mov_b32 v6, 0x90\nv_cmp_class_f32 vcc, s8, v6" + addEqual},
	{"scalar that is no number", "float", "float", 4, "v_mov_b32 v4, v2", "v_cmp_u_f32 vcc, s8, s8" + addEqual},
	{"global offset", "int", "int", 4, "v_add_u32 v4, s12, v2", "s_and_b32 s12, s12, 0xffff\nv_add_u32 v4, s12, v2"},
	{"turns of a loop", "int", "uint", 4, loop("s_mov_b32 s9, s8"), loop("s_and_b32 s9, s8, 0x3ff")},
}

// storeThen stores 5 to the element of out before a text. loadAgain loads the element of in into v4.
func storeThen(text string) string {
	return "v_mov_b32 v6, 5\nglobal_store_dword v1, v6, s[4:5]\ns_waitcnt vmcnt(0)\n" + text
}

const loadAgain = "global_load_dword v4, v1, s[6:7]\ns_waitcnt vmcnt(0)"

// loop adds in repeatedly, after the text count. s9 has the number of iterations.
func loop(count string) string {
	return "v_mov_b32 v4, 0\n" + count + "\nturn:\ns_cmp_eq_u32 s9, 0\ns_cbranch_scc1 end\nv_add_u32 v4, v4, v2\n" +
		"s_sub_u32 s9, s9, 1\ns_branch turn\nend:"
}

// TestDirectedTellsPlantedDefects checks that each defect leads to the verdict "different".
func TestDirectedTellsPlantedDefects(t *testing.T) {
	for _, c := range planted {
		v, k := c.compare(t, nil)
		assert.Equal(t, compare.Different, v, c.name)
		if v == compare.Different {
			assert.Greater(t, k.Launches, DefaultLaunches, "%s: launches of random data show it", c.name)
		}
	}
}

// TestDirectedRaisesNoFalseAlarm compares kernels that do the same. They must not become different if launches do
// something that the source leaves undefined, or if one kernel takes much longer.
func TestDirectedRaisesNoFalseAlarm(t *testing.T) {
	const difference = "v_subrev_u32 v6, s8, v2\nv_cmp_lt_i32 vcc, s8, v2\nv_sub_u32 v7, s8, v2\n"
	for _, c := range []directedPair{
		{"index", "int", "int", 4,
			"s_lshl_b32 s9, s8, 2\nv_mov_b32 v6, s9\nglobal_load_dword v4, v6, s[6:7]\ns_waitcnt vmcnt(0)",
			"v_mov_b32 v6, s8\nv_lshlrev_b32 v6, 2, v6\nglobal_load_dword v4, v6, s[6:7]\ns_waitcnt vmcnt(0)"},
		{"turns of a loop or a product", "uint", "uint", 4, loop("s_mov_b32 s9, s8"), "v_mul_lo_u32 v4, s8, v2"},
		{"a loop that only one of them has", "uint", "uint", 4, "v_mul_lo_u32 v4, s8, v2", loop("s_mov_b32 s9, s8")},
		{"no number, of other bits", "float", "float", 4, "v_mul_f32 v4, s8, v2", "v_mul_f32 v4, v2, s8"},
	} {
		v, k := c.compare(t, nil)
		assert.Equal(t, compare.Same, v, c.name)
		assert.Greater(t, k.Launches, DefaultLaunches, c.name)
	}
	// |x - n| as a compiler may compute it from x > n ? x - n : n - x, because signed numbers do not overflow.
	c := directedPair{"signed overflow", "int", "int", 4, difference + "v_cndmask_b32 v4, v7, v6, vcc",
		difference + "v_max_i32 v4, v6, v7"}
	v, _ := c.compare(t, map[string]spec.Arg{"1": {Buffer: &spec.Buffer{Size: 4096,
		Random: &spec.Random{As: spec.I32, Min: "-9", Max: "9"}}}})
	assert.Equal(t, compare.NoVerdict, v)
	c.elements, c.third = "uint", "uint"
	v, _ = c.compare(t, nil)
	assert.Equal(t, compare.Different, v, "unsigned numbers do not overflow")
}

// compare compares the kernels. A hint gives them the arguments in given.
func (c *directedPair) compare(t *testing.T, given map[string]spec.Arg) (compare.Verdict, *KernelComparison) {
	t.Helper()
	o := &ObjectsOptions{Check: []string{}}
	o.Hints = []Hint{{Args: given}}
	all, err := DiffObjects(t.Context(), typedKernel(c.elements, c.third, c.size, c.a),
		typedKernel(c.elements, c.third, c.size, c.b), [2]string{"a.s", "b.s"}, o)
	require.NoError(t, err, c.name)
	v, why := all[0].Verdict()
	t.Log(c.name, v, why, all[0].Launches, all[0].Tried())
	return v, all[0]
}

// TestPointersThatMayNotOverlap: two pointers into one buffer count only if the language defines such a launch.
func TestPointersThatMayNotOverlap(t *testing.T) {
	const name, size = "        .type_name: 'int*'\n", "    .reqd_workgroup_size: [64, 1, 1]\n"
	verdictOf := func(a, b, size, instead string) compare.Verdict {
		var programs [2][]byte
		for i, text := range []string{a, b} {
			text = strings.Replace(string(typedKernel("int", "int", 4, text)), name, instead, 1)
			programs[i] = []byte(strings.Replace(text, size, "", 1))
		}
		all, err := DiffObjects(t.Context(), programs[0], programs[1], [2]string{"a.s", "b.s"}, nil)
		require.NoError(t, err)
		v, why := all[0].Verdict()
		t.Log(v, why, all[0].Tried())
		return v
	}
	again, once := storeThen(loadAgain), storeThen("v_mov_b32 v4, v2")
	assert.Equal(t, compare.Different, verdictOf(again, once, size, name))
	for _, instead := range []string{name + "        .is_restrict: true\n", name + "        .actual_access: read_only\n",
		name + "        .address_space: constant\n", "        .type_name: 'float*'\n", ""} {
		assert.Equal(t, compare.Same, verdictOf(again, once, size, instead), instead)
	}
	assert.Equal(t, compare.Same, verdictOf(again, once, "", name), "other work-items store and load elements, too")
	for types, want := range map[[2]string]bool{{"int*", "uint*"}: true, {"int*", "float*"}: false, {"uchar*", "P*"}: true,
		{"P*", "P*"}: true, {"P*", "Q*"}: false, {"int*", "int4*"}: false, {"", ""}: false, {"int*", "long*"}: false} {
		assert.Equal(t, want, mayAlias(types[0], types[1]), types)
	}
}

// TestSolverFindsAnInput: the solver finds an input that no launch has.
func TestSolverFindsAnInput(t *testing.T) {
	c := directedPair{"", "uint", "int", 4, "v_mov_b32 v4, v2",
		"v_lshlrev_b32 v6, 7, v2\nv_xor_b32 v6, v6, v2\nv_lshrrev_b32 v5, 9, v6\nv_xor_b32 v6, v6, v5\n" +
			"s_mov_b32 s9, 0x12345678\nv_cmp_eq_u32 vcc, s9, v6" + addEqual}
	v, _ := c.compare(t, nil)
	require.Equal(t, compare.Same, v)
	o := &ObjectsOptions{Check: []string{}, Prove: prove.Limits{Time: time.Hour}}
	all, err := DiffObjects(t.Context(), typedKernel(c.elements, c.third, c.size, c.a),
		typedKernel(c.elements, c.third, c.size, c.b), [2]string{"a.s", "b.s"}, o)
	require.NoError(t, err)
	v, _ = all[0].Verdict()
	assert.Equal(t, compare.Different, v, all[0].Proof.Why)
	assert.Equal(t, 1, int(all[0].Difference.B.Value[0])-int(all[0].Difference.A.Value[0]))
}

// TestFewIterations: two kernels do the same for the number of iterations that a proof covers, but differ for 2^31.
func TestFewIterations(t *testing.T) {
	c := directedPair{"", "uint", "uint", 4, loop("s_mov_b32 s9, s8"), loop("s_and_b32 s9, s8, 0x7fffffff")}
	o := &ObjectsOptions{Check: []string{}, Prove: prove.Limits{Time: time.Hour}}
	all, err := DiffObjects(t.Context(), typedKernel(c.elements, c.third, c.size, c.a),
		typedKernel(c.elements, c.third, c.size, c.b), [2]string{"a.s", "b.s"}, o)
	require.NoError(t, err)
	v, _ := all[0].Verdict()
	assert.Equal(t, compare.Same, v)
	assert.False(t, all[0].Proof.Proved)
	assert.Equal(t, 4, all[0].Proof.UpTo, all[0].Proof.Why)
}

// TestTriedSaysWhatLaunchesHad checks the report of scalar values, float classes and comparisons with both outcomes.
func TestTriedSaysWhatLaunchesHad(t *testing.T) {
	c := directedPair{"", "float", "int", 4, "v_cmp_lt_i32 vcc, s8, v0\nv_cndmask_b32 v4, 1.0, v2, vcc", ""}
	c.b = c.a
	_, k := c.compare(t, nil)
	tried := k.Tried()
	require.Len(t, tried.Values, 3)
	assert.Equal(t, TriedArg{Arg: 1, As: spec.F32, Classes: element.NumClasses}, tried.Values[1])
	n := tried.Values[2]
	assert.Equal(t, []any{2, 32, "-2147483648", "2147483647"}, []any{n.Arg, n.Bits, n.Min, n.Max})
	assert.Equal(t, []int{2, 2}, []int{tried.BothWays, tried.Comparing})
	assert.Regexp(t, `^grids to \d+; argument 0, argument 1: 10 of 10 classes of f32; argument 2: \d+ values from `+
		`-2147483648 to 2147483647, 32 of 32 bits both ways; 2 of 2 comparisons seen both ways`, tried.String())
	assert.Empty(t, tried.OneWay)
	given := uint32(1 << 31)
	_, k = c.compare(t, map[string]spec.Arg{"2": {U32: &given}})
	tried = k.Tried()
	assert.Len(t, tried.Values, 2, "a given argument stays as it is")
	require.Len(t, tried.OneWay, 2)
	assert.Equal(t, []string{"b", "false"}, []string{tried.OneWay[1].Program, tried.OneWay[1].Never})
	assert.Regexp(t, `; 0 of 2 comparisons seen both ways; v_cmp_lt_i32_e32 at 0x[0-9a-f]+ never false`, tried.String())
	// Numbers below 2^31 have the same order as signed and as unsigned numbers. An odd number never equals an even one.
	c.a = "s_and_b32 s9, s8, 0xffe\nv_or_b32 v6, 1, v0\nv_cmp_lt_i32 vcc, s9, v6\nv_cndmask_b32 v4, 1.0, v2, vcc"
	c.b = strings.Replace(c.a, "i32 vcc", "u32 vcc", 1)
	_, k = c.compare(t, nil)
	assert.Empty(t, k.Tried().OneWay)
	assert.Regexp(t, `; 2 of 2 comparisons seen both ways; a: v_cmp_lt_i32_e32 at 0x[0-9a-f]+ never in another order as `+
		`unsigned; b: v_cmp_lt_u32_e32 at 0x[0-9a-f]+ never in another order as signed; a: v_cmp_lt_i32_e32 at `+
		`0x[0-9a-f]+ never equal; b: `, k.Tried().String())
	c.a, c.b = strings.Replace(c.a, "0xffe", "-2", 1), strings.Replace(c.b, "0xffe", "-2", 1)
	v, _ := c.compare(t, nil)
	assert.Equal(t, compare.Different, v)
}

// TestLookUpFindsAnOrder: the last launches look for operands of different signs if no other launch had them.
func TestLookUpFindsAnOrder(t *testing.T) {
	c := directedPair{"", "int", "int", 4, "s_add_u32 s9, s8, 0x123456\ns_and_b32 s9, s9, 0xffffff\n" +
		"s_add_u32 s9, s9, 0x7f000010\nv_mov_b32 v6, 0x64\nv_cmp_lt_i32 vcc, s9, v6" + addEqual, ""}
	c.b = strings.Replace(c.a, "lt_i32", "lt_u32", 1)
	v, _ := c.compare(t, nil)
	assert.Equal(t, compare.Different, v)
}

// TestFillLeavesNumbers: a T# by value is an image in one base and a number in another.
func TestFillLeavesNumbers(t *testing.T) {
	value := []byte{1, 2}
	l := &pairRun{dispatch: &spec.Dispatch{Args: []spec.Arg{{Bytes: &value}}}}
	input{0, everywhere, spec.U32, false}.fill(&spec.Random{}, "")(l)
	assert.Equal(t, spec.Arg{Bytes: &value}, l.dispatch.Args[0])
}

// TestNotesOfOneAlone: the verdict lists the notes that only b has.
func TestNotesOfOneAlone(t *testing.T) {
	a := typedKernel("int", "int", 4, "v_mov_b32 v4, v2")
	b := typedKernel("int", "int", 4, "v_mov_b32 v4, v2\nv_mov_b32 v6, 0\nds_write_b32 v6, v0")
	for _, c := range []struct {
		programs [2][]byte
		says     string
	}{{[2][]byte{a, b}, "; checks found 1 note that b alone has\n"},
		{[2][]byte{b, a}, "; checks found nothing that b alone has\n"},
		{[2][]byte{b, b}, "; checks found nothing that b alone has\n"}} {
		all, err := DiffObjects(t.Context(), c.programs[0], c.programs[1], [2]string{"a.s", "b.s"}, nil)
		require.NoError(t, err)
		v, why := all[0].Verdict()
		assert.Equal(t, compare.Same, v, why)
		var text strings.Builder
		require.NoError(t, all[0].Write(&text))
		assert.Contains(t, text.String(), c.says)
		assert.Equal(t, strings.Contains(c.says, "note"), strings.Contains(text.String(), "ds_write_b32"))
	}
}

// TestRaceOfOneAlone: a race of b is a difference on a launch without a race of a, even if a races on other launches.
func TestRaceOfOneAlone(t *testing.T) {
	parts := [2]*part{{}, {}}
	r := &kernelCase{looked: map[*part]*looks{}}
	for _, p := range parts {
		r.looked[p] = &looks{kinds: map[check.Kind]bool{check.Race: true, check.StaleCache: true}}
	}
	race := check.Finding{Kind: check.Race, Severity: check.Error}
	l := &pairRun{found: [2][]check.Finding{nil, {race, {Kind: check.StaleCache, Severity: check.Error}}}}
	assert.Equal(t, [2][]check.Finding{nil, {race}}, r.onlyOne(l, parts))
	l.found[0] = l.found[1]
	assert.Equal(t, [2][]check.Finding{}, r.onlyOne(l, parts))
}

// TestTimeEndsBeforeTheFirstRound: there is no verdict if launches are missing because the time ended before, during or
// after the search for launches.
func TestTimeEndsBeforeTheFirstRound(t *testing.T) {
	text := typedKernel("int", "int", 4, loop("s_mov_b32 s9, s8"))
	for _, ms := range []time.Duration{0, 1, 3, 10, 30} {
		limit := ms*time.Millisecond + 1
		o := &ObjectsOptions{Check: []string{}, Time: limit}
		o.Launches = 1000
		all, err := DiffObjects(t.Context(), text, text, [2]string{"a.s", "b.s"}, o)
		require.NoError(t, err)
		v, why := all[0].Verdict()
		assert.Equal(t, compare.NoVerdict, v)
		assert.Contains(t, why, fmt.Sprintf("of 1000 launches: the time limit of %v had passed", limit))
	}
}
