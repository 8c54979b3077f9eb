package verdict_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/verdict"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// TestParseHints: comments of the languages that kernels are written in.
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

// TestHintsHaveEffect: launches are as the hint says.
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

// TestLaunches: launches of a kernel that metadata alone do not explain execute all of it.
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
