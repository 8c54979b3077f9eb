package verdict_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/verdict"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// object reads a compiled kernel.
func object(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../testdata/kernels/" + name + ".co")
	require.NoError(t, err)
	return data
}

// diffObjects compares two objects with one kernel. It returns the verdict, the comparison, and the text for
// people.
func diffObjects(t *testing.T, a, b []byte, o *verdict.ObjectsOptions) (compare.Verdict, *verdict.KernelComparison,
	string) {
	t.Helper()
	all, err := verdict.DiffObjects(t.Context(), a, b, [2]string{"a.co", "b.co"}, o)
	require.NoError(t, err)
	require.Len(t, all, 1)
	v, _ := all[0].Verdict()
	var text strings.Builder
	require.NoError(t, all[0].Write(&text))
	return v, all[0], text.String()
}

func TestDiffObjectsSame(t *testing.T) {
	for _, pair := range [][2]string{{"vadd.fiji", "vadd.gfx900"}, {"reduce.fiji", "reduce.O0.fiji"},
		{"transpose.tahiti", "transpose.gfx906"}} {
		v, k, text := diffObjects(t, object(t, pair[0]), object(t, pair[1]), nil)
		assert.Equal(t, compare.Same, v, text)
		assert.Greater(t, k.Launches, verdict.DefaultLaunches, text)
		assert.Contains(t, text, " launches, grids to ")
		assert.Contains(t, text, "bytes written")
		assert.Contains(t, text, "checks found nothing that b alone has")
	}
}

// TestDiffObjectsSlower: unoptimized code may execute more instructions than the limit for a wave of the first program.
func TestDiffObjectsSlower(t *testing.T) {
	o := &verdict.ObjectsOptions{Check: []string{}}
	o.MaxInstructions, o.Launches = 200, 1
	v, _, text := diffObjects(t, object(t, "reduce.fiji"), object(t, "reduce.O0.fiji"), o)
	assert.Equal(t, compare.Same, v, text)
	_, k, text := diffObjects(t, object(t, "reduce.O0.fiji"), object(t, "reduce.fiji"), o)
	assert.Zero(t, k.Launches, "it is not slower: %s", text)
}

// TestDiffObjectsInstead: reduce is made for work-groups of 128, which the metadata do not say. In other work-groups it
// reads unwritten LDS, so that differences there do not count.
func TestDiffObjectsInstead(t *testing.T) {
	right := object(t, "reduce.gfx900")
	for _, to := range []uint32{0x6A060903, 0x2A060903} { // v_add_u32 v3, v3, v4 becomes v_sub_u32, v_xor_b32
		v, k, text := diffObjects(t, right, patched(t, right, 0x68060903, to), nil)
		assert.Equal(t, compare.Different, v, text)
		assert.Equal(t, [3]uint32{128, 1, 1}, k.Launch.Group, text)
	}
}

// TestDiffObjectsTells: a few launches have the work-groups, numbers and images that show these differences.
func TestDiffObjectsTells(t *testing.T) {
	effort.Long(t)
	for _, c := range []struct {
		object   string
		from, to uint32
		group    [3]uint32
		launches int
	}{
		{"matmul.hawaii", 0x8f078307, 0x8f078407, [3]uint32{8, 8, 1}, 1}, // multiplies the group id in y by 16, not 8
		{"crc.fiji", 0xbf048107, 0xbf048207, [3]uint32{64, 1, 1}, 6},     // a loop ends below 2 instead of 1
		{"picture.fiji", 0x7e0c0206, 0x7e0c0207, [3]uint32{16, 8, 1}, 1}, // reads y instead of x of an image by value
		// A loop of eight iterations is skipped for seven values of a number, which is a constant of the code.
		{"histogram.gfx900", 0x8105c107, 0x8085c107, [3]uint32{64, 1, 1}, verdict.DefaultLaunches},
		// A mask goes to the wrong lane of a VGPR. It is read if all lanes take the same way, as in a wave with one lane.
		{"loop.O0.gfx906", 0x00017008, 0x00017208, [3]uint32{64, 1, 1}, verdict.DefaultLaunches},
	} {
		if c.launches > 6 && !effort.Full() {
			continue // takes a second
		}
		o := &verdict.ObjectsOptions{}
		o.Launches = c.launches
		right := object(t, c.object)
		v, k, text := diffObjects(t, right, patched(t, right, c.from, c.to), o)
		assert.Equal(t, compare.Different, v, text)
		assert.Equal(t, c.group, k.Launch.Group, text)
	}
}

// TestDiffObjectsLane: a mask of all lanes loses lane 0. This shows in one iteration of an unrolled loop, but only if
// lane 0 leaves the loop in that iteration, as it does in work-groups of one work-item.
func TestDiffObjectsLane(t *testing.T) {
	if !effort.Full() {
		t.Skip("the explanation of the difference takes seconds")
	}
	right := object(t, "gcd.fiji")
	o, err := codeobj.Parse(right)
	require.NoError(t, err)
	at := slices.IndexFunc(o.Functions, func(f codeobj.Symbol) bool { return f.Name == "gcd" })
	code, _ := o.Bytes(o.Functions[at].VAddr, o.Functions[at].Size)
	wrong := bytes.Clone(right)
	mask := wrong[bytes.Index(right, code)+0x440:]
	require.Equal(t, uint32(0xbe8001c1), binary.LittleEndian.Uint32(mask)) // s_mov_b64 s[0:1], -1
	mask[0]++                                                              // -2
	v, _, text := diffObjects(t, right, wrong, &verdict.ObjectsOptions{Check: []string{}})
	assert.Equal(t, compare.Different, v, text)
}

// TestDiffObjectsFits: flatptr is made for work-groups of 64. The change would show in other work-groups, but the
// source does not define these.
func TestDiffObjectsFits(t *testing.T) {
	right := object(t, "flatptr.hawaii")
	wrong := bytes.Replace(right, []byte{5, 3, 4, 0x7e}, []byte{5, 1, 4, 0x7e}, 1) // v_mov_b32 v2, v5 becomes v_nop
	require.NotEqual(t, right, wrong)
	v, k, text := diffObjects(t, right, wrong, nil)
	assert.Equal(t, compare.Same, v, text)
	assert.Equal(t, [3]uint32{64, 1, 1}, k.Launch.Group, text)
}

// TestDiffObjectsFindings: a missing wait changes no result here, but is a difference.
func TestDiffObjectsFindings(t *testing.T) {
	right := object(t, "vadd.fiji")
	wrong := patched(t, right, 0xbf8c0f70, 0xbf800000) // s_waitcnt vmcnt(0) becomes s_nop 0
	v, k, text := diffObjects(t, right, wrong, nil)
	assert.Equal(t, compare.Different, v, text)
	require.NotEmpty(t, k.Findings[1])
	assert.Equal(t, check.WaitRAW, k.Findings[1][0].Kind)
	assert.Contains(t, text, "b has findings of kinds that a has none of")
	v, _, text = diffObjects(t, right, wrong, &verdict.ObjectsOptions{Check: []string{}})
	assert.Equal(t, compare.Same, v, text)
	assert.Contains(t, text, "nothing was checked")
	v, _, text = diffObjects(t, wrong, right, nil)
	assert.Equal(t, compare.Same, v, text)
	assert.Contains(t, text, "a has findings of kinds that b has none of")
}

// TestDiffObjectsDifferent: a wrong instruction is found and reported with the launch.
func TestDiffObjectsDifferent(t *testing.T) {
	right := object(t, "vadd.fiji")
	wrong := patched(t, right, 0x32040902, 0x34040902) // v_add_u32 becomes v_sub_u32
	v, _, text := diffObjects(t, right, wrong, nil)
	assert.Equal(t, compare.Different, v, text)
	assert.Contains(t, text, "launch: grid [256 1 1], work-group [64 1 1]; argument 0 is 4096 random bytes (i32, seed 1)")
}

// TestDiffObjectsTime: the report lists launches that were omitted because of the time limit.
func TestDiffObjectsTime(t *testing.T) {
	vadd := object(t, "vadd.fiji")
	v, k, text := diffObjects(t, vadd, vadd, &verdict.ObjectsOptions{Time: 1})
	assert.Equal(t, compare.NoVerdict, v, text)
	assert.Equal(t, []string{"10 of 10 launches: the time limit of 1ns had passed"}, k.Left)
	assert.Equal(t, "vadd: no verdict: no launch could be made: 10 of 10 launches: the time limit of 1ns had passed\n", text)
	v, k, text = diffObjects(t, vadd, vadd, &verdict.ObjectsOptions{Time: time.Hour})
	assert.Equal(t, compare.Same, v, text)
	assert.Empty(t, k.Left)
}

// TestLaunchesDimensions: launches use the dimensions in which the kernel reads ids.
func TestLaunchesDimensions(t *testing.T) {
	for name, want := range map[string]string{"vadd": "[64 1 1] [256 1 1] [64 1 1] [256 1 1] [64 1 1] [256 1 1]",
		"ids": "[64 1 1] [256 1 1] [8 8 1] [16 16 1] [4 4 4] [64 1 1]"} {
		all, left, err := verdict.Launches(t.Context(), object(t, name+".fiji"), name, name,
			&verdict.LaunchOptions{Launches: 6})
		require.NoError(t, err)
		assert.Empty(t, left)
		var groups []string
		for _, d := range all {
			groups = append(groups, fmt.Sprint(d.Group))
		}
		assert.Equal(t, want, strings.Join(groups, " "), name)
	}
}

// patched replaces one word of an object. The word from must be there.
func patched(t *testing.T, data []byte, from, to uint32) []byte {
	t.Helper()
	old := binary.LittleEndian.AppendUint32(nil, from)
	require.True(t, bytes.Contains(data, old), "the object has no 0x%08x", from)
	return bytes.ReplaceAll(data, old, binary.LittleEndian.AppendUint32(nil, to))
}

func TestDiffObjectsRefuses(t *testing.T) {
	_, err := verdict.DiffObjects(t.Context(), object(t, "vadd.fiji"), object(t, "reduce.fiji"), [2]string{"a", "b"}, nil)
	require.EqualError(t, err, "a and b have no kernel in common: a has vadd, b has reduce")
	_, err = verdict.DiffObjects(t.Context(), object(t, "vadd.fiji"), []byte("x"), [2]string{"a", "b"}, nil)
	require.ErrorContains(t, err, "b: ")
	_, err = verdict.DiffObjects(t.Context(), object(t, "vadd.fiji"), object(t, "vadd.fiji"), [2]string{"a", "b"},
		&verdict.ObjectsOptions{LaunchOptions: verdict.LaunchOptions{Hints: []verdict.Hint{{Kernel: "saxpy"}}}})
	require.EqualError(t, err, `a: a GCNSIM: comment is about kernel "saxpy"; there is vadd`)
	_, err = verdict.DiffObjects(t.Context(), object(t, "vadd.fiji"), object(t, "vadd.fiji"), [2]string{"a", "b"},
		&verdict.ObjectsOptions{LaunchOptions: verdict.LaunchOptions{Hints: []verdict.Hint{{Args: map[string]spec.Arg{
			"nn": {},
			"3":  {}}}}}})
	require.ErrorContains(t, err, `a: a GCNSIM: comment gives argument "nn"; vadd takes `)
	// No launch ends with so few instructions.
	v, k, text := diffObjects(t, object(t, "spin.fiji"), object(t, "spin.fiji"),
		&verdict.ObjectsOptions{LaunchOptions: verdict.LaunchOptions{Launches: 2, MaxInstructions: 8}})
	assert.Equal(t, compare.NoVerdict, v, text)
	assert.Zero(t, k.Launches)
	assert.Contains(t, text, "no launch could be made: ")
	assert.Contains(t, text,
		"ways to choose numbers and sizes of buffers were tried; the last launch ended so: limit fault")
}

// TestDiffWithoutMetadata: there is no verdict for an object without metadata, and the report says what is missing.
func TestDiffWithoutMetadata(t *testing.T) {
	text, err := os.ReadFile("testdata/contract/gfx900.off.s")
	require.NoError(t, err)
	bare, _, found := strings.Cut(string(text), "\t.amdgpu_metadata\n")
	require.True(t, found)
	for _, pair := range [][2][]byte{{text, []byte(bare)}, {[]byte(bare), text}} {
		all, err := verdict.DiffObjects(t.Context(), pair[0], pair[1], [2]string{"a.s", "b.s"},
			&verdict.ObjectsOptions{Kernel: "axpy"})
		require.NoError(t, err)
		v, why := all[0].Verdict()
		assert.Equal(t, compare.NoVerdict, v)
		assert.Contains(t, why, ".s has no metadata of arguments")
	}
}

// TestGroupObjects: programs that do the same are in one group, whatever their number. The report has the
// difference of each further group.
func TestGroupObjects(t *testing.T) {
	right, other := object(t, "vadd.fiji"), object(t, "vadd.gfx900")
	wrong := patched(t, right, 0x32040902, 0x34040902) // v_add_u32 becomes v_sub_u32
	sort := object(t, "sort.fiji")
	for name, c := range map[string]struct {
		objects [][]byte
		verdict compare.Verdict
		groups  [][]int
		missing []int
		says    []string
	}{
		"same": {[][]byte{right, other, right}, compare.Same, [][]int{{0, 1, 2}}, nil,
			[]string{"vadd: same: a, b, c\n", "\na is a, b is c:\nvadd: same: "}},
		"the first is odd": {[][]byte{wrong, right, other}, compare.Different, [][]int{{0}, {1, 2}}, nil,
			[]string{"vadd: different: 2 groups; how many programs agree does not say which are right\ngroup 1: a\ngroup " +
				"2: b, c\n",
				"\na is a, b is b:\nvadd: different: argument 0"}},
		"missing": {[][]byte{right, sort, wrong, right}, compare.Different, [][]int{{0, 3}, {2}}, []int{1},
			[]string{"note: without this kernel: b\n"}},
		"no verdict": {[][]byte{right, other, right}, compare.NoVerdict, [][]int{{0}, {1}, {2}}, nil,
			[]string{"vadd: no verdict: of a and b: "}},
	} {
		var o verdict.ObjectsOptions
		if c.verdict == compare.NoVerdict {
			o.MaxInstructions = 3 // no launch ends with so few instructions
		}
		names := strings.Split("abcdefgh", "")[:len(c.objects)]
		all, err := verdict.GroupObjects(t.Context(), c.objects, names, &o)
		require.NoError(t, err, name)
		require.Len(t, all, 1, name)
		g := all[0]
		v, why := g.Verdict()
		assert.Equal(t, c.verdict, v, name)
		assert.Equal(t, c.verdict == compare.NoVerdict, why != "", name)
		assert.Equal(t, c.groups, g.Groups, name)
		assert.Equal(t, c.missing, g.Missing, name)
		tells, _ := g.Telling().Verdict()
		assert.Equal(t, c.verdict, tells, name)
		var text strings.Builder
		require.NoError(t, g.Write(&text))
		for _, says := range c.says {
			assert.Contains(t, text.String(), says, name)
		}
	}
}

func TestGroupObjectsRefuses(t *testing.T) {
	vadd, sort := object(t, "vadd.fiji"), object(t, "sort.fiji")
	_, err := verdict.GroupObjects(t.Context(), [][]byte{vadd}, []string{"a"}, nil)
	require.EqualError(t, err, "give two or more code objects, and a name for each")
	_, err = verdict.GroupObjects(t.Context(), [][]byte{vadd, sort, object(t, "reduce.fiji")},
		[]string{"a", "b", "c"}, nil)
	require.EqualError(t, err, "a, b and c have no kernel in common: a has vadd, b has sort, c has reduce")
}

// TestParseHints parses comments of the languages in which kernels are written.
func TestParseHints(t *testing.T) {
	hints, err := verdict.ParseHints([]byte(`
// GCNSIM: kernel=saxpy grid=1024 workgroup=64 n=u32:1000 a=f32:1.5 x=f32[1000] y=f32[1000]:out ulp=2
kernel void saxpy(int n) { print("GCNSIM: grid=7"); }
	; GCNSIM: grid=64,32 index=u32[64]:0..9
/* GCNSIM: scratch=local:1024 relative=1e-6 */
`))
	require.NoError(t, err)
	require.Len(t, hints, 3)
	first := &hints[0]
	assert.Equal(t, "saxpy", first.Kernel)
	assert.Equal(t, [3]uint32{1024, 1, 1}, first.Grid)
	assert.Equal(t, [3]uint32{64, 1, 1}, first.Group)
	assert.Equal(t, []byte{0xe8, 3, 0, 0}, *first.Args["n"].Bytes)
	assert.Equal(t, []byte{0, 0, 0xc0, 0x3f}, *first.Args["a"].Bytes)
	assert.Equal(t, uint64(4000), first.Args["x"].Buffer.Size)
	assert.NotNil(t, first.Args["x"].Buffer.Random)
	assert.Nil(t, first.Args["y"].Buffer.Random)
	assert.Equal(t, uint64(2), *first.Tolerance.ULP)
	assert.Equal(t, [3]uint32{64, 32, 1}, hints[1].Grid)
	assert.Equal(t, spec.Number("9"), hints[1].Args["index"].Buffer.Random.Max)
	assert.Equal(t, uint32(1024), *hints[2].Args["scratch"].Local)
	assert.Equal(t, spec.Number("1e-6"), hints[2].Tolerance.Relative)
}

// TestParseHintsRefuses: each error names the line and the word.
func TestParseHintsRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"grid":              `"grid" is not NAME=VALUE`,
		"grid=0":            `grid: "0" is not a number of work-items`,
		"grid=1,2,3,4":      "grid: there are more than 3 numbers",
		"ulp=x":             `ulp: "x" is not a number of floats`,
		"n=u32:x":           "n: ",
		"n=u33:7":           "n: ",
		"n=u32:1 n=f32":     "n is given twice",
		"x=f32[0]":          "x: it is not a number of elements",
		"x=f32[9":           "x: it is not a number of elements",
		"x=f64[1000000000]": "x: it is not a number of elements",
		"x=f32[9]:no":       `x: "no" is not out, nor a range`,
		"x=u32[9]:9..0":     "x: ",
		"l=local:x":         `l: "x" is not a number of bytes`,
	} {
		_, err := verdict.ParseHints([]byte("\n// GCNSIM: " + text))
		require.ErrorContains(t, err, "line 2: GCNSIM: ", text)
		assert.ErrorContains(t, err, want, text)
	}
}

// TestHintsHaveEffect: launches follow the hint.
func TestHintsHaveEffect(t *testing.T) {
	hints, err := verdict.ParseHints([]byte("// GCNSIM: grid=192 workgroup=64 0=i32[192]:1..1\n"))
	require.NoError(t, err)
	o := verdict.ObjectsOptions{LaunchOptions: verdict.LaunchOptions{Launches: 2, Hints: hints}}
	right := object(t, "vadd.fiji")
	v, k, text := diffObjects(t, right, patched(t, right, 0x32040902, 0x34040902), &o)
	assert.Equal(t, compare.Different, v, text)
	assert.Equal(t, [3]uint32{192, 1, 1}, k.Launch.Grid)
	assert.Equal(t, uint64(768), k.Launch.Args[0].Buffer.Size)
}

// TestLaunches: launches execute all instructions of a kernel that the metadata do not fully explain.
func TestLaunches(t *testing.T) {
	all, left, err := verdict.Launches(t.Context(), object(t, "vadd.fiji"), "vadd.fiji.co", "vadd", nil)
	require.NoError(t, err)
	assert.Empty(t, left)
	require.Len(t, all, verdict.DefaultLaunches)
	for _, d := range all {
		_, err := d.Run(t.Context(), nil)
		require.NoError(t, err)
	}
	_, _, err = verdict.Launches(t.Context(), object(t, "vadd.fiji"), "vadd.fiji.co", "none", nil)
	require.Error(t, err)
	_, _, err = verdict.Launches(t.Context(), []byte("x"), "x", "vadd", nil)
	require.Error(t, err)
}
