package verdict_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/verdict"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// add returns a dispatch of the kernel in a file. The kernel adds a buffer of eight equal random numbers to a buffer of
// zeros.
func add(t *testing.T, file string) *spec.Dispatch {
	random := &spec.Random{Seed: 1, Min: "1", Max: "9", With: []string{"same"}}
	return &spec.Dispatch{
		Object: object(t, file), Kernel: "vadd", Grid: [3]uint32{8},
		Args: []spec.Arg{
			{Buffer: &spec.Buffer{Size: 32}}, {Buffer: &spec.Buffer{Size: 32, Random: random}},
			{Buffer: &spec.Buffer{Data: make([]byte, 32)}},
			{U32: new(uint32(8))},
		},
	}
}

// TestDiff compares code for two processors, which does the same for all seeds.
func TestDiff(t *testing.T) {
	c, err := verdict.Diff(t.Context(), add(t, "vadd.fiji"), add(t, "vadd.gfx900"), &verdict.DiffOptions{Seeds: 4})
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, c.Write(&text))
	assert.Equal(t, "same: 4 runs; 32 of 32 bytes written; 0 of 27 instructions of a and 0 of 26 of b never executed; "+
		"nothing was checked\n", text.String())
}

// TestReduce shrinks the input of a kernel that subtracts instead of adding to one work-item and one number.
func TestReduce(t *testing.T) {
	right, wrong := add(t, "vadd.fiji"), add(t, "vadd.fiji")
	wrong.Object = patched(t, wrong.Object, 0x32040902, 0x34040902) // v_add_u32 becomes v_sub_u32
	small, err := verdict.Reduce(t.Context(), right, wrong, nil)
	require.NoError(t, err)
	assert.Equal(t, [3]uint32{1, 1, 1}, small.Grid)
	assert.Equal(t, uint32(1), *small.Args[3].U32)
	for i, data := range [][]byte{nil, {1}, nil} {
		assert.Equal(t, uint64(4), small.Args[i].Buffer.Size)
		assert.Equal(t, data, small.Args[i].Buffer.Data)
	}
	_, err = verdict.Reduce(t.Context(), right, right, nil)
	assert.ErrorIs(t, err, verdict.ErrSame)
}

// TestDiffRefuses checks the errors for fields that a comparison would ignore. Each error names the field.
func TestDiffRefuses(t *testing.T) {
	wide := []spec.Expect{{Want: []byte{1}, As: spec.F32, ULP: new(uint64(1))}, {Want: []byte{1}}}
	for key, change := range map[string]func(a, b *spec.Dispatch){
		"check":        func(_, b *spec.Dispatch) { b.Check = []string{"all"} },
		"timing":       func(_, b *spec.Dispatch) { b.Params = &timing.Params{} },
		"expect":       func(_, b *spec.Dispatch) { b.Expect = []spec.Expect{{Want: []byte{1}, Absolute: "1"}} },
		"expect[1].as": func(a, b *spec.Dispatch) { a.Expect, b.Expect = wide, wide },
		"seeds":        func(_, b *spec.Dispatch) { b.Args[1].Buffer.Random = nil },
	} {
		a, b := add(t, "vadd.fiji"), add(t, "vadd.fiji")
		if key == "seeds" {
			a.Args[1].Buffer.Random = nil
		}
		change(a, b)
		_, err := verdict.Diff(t.Context(), a, b, &verdict.DiffOptions{Seeds: 2})
		var refused *verdict.KeyError
		require.ErrorAs(t, err, &refused, key)
		assert.Equal(t, key, refused.Key)
	}
}

// contracted has the number of kernels of testdata/contract that differ only because of floating-point contraction. For
// gfx803, clang emits V_MAD_F32, which rounds twice, even with -ffp-contract=off.
var contracted = map[string]int{"gfx803": 3, "gfx900": 10, "gfx906": 10}

// planted has changes to the contracted code of kernels. Each of them changes the results of its kernel.
var planted = []struct {
	kernel   string
	old, new string // old is a regular expression; changed replaces its first match in the kernel
}{
	{"axpy", `v_(fma|fmac|mac)_f32(_e32)? (.*), s(\d)`, `v_${1}_f32 ${3}, -s${4}`},
	{"cross_product", `v_(fma|mad)_f32 (.*), -v`, `v_${1}_f32 ${2}, v`},
	{"dots", `v_(fma|fmac|mac)_f32(_e32)? (v\d, )`, `v_${1}_f32 ${3}-`},
	{"polynomial", "0x3e99999a", "0x3e99999b"},
	{"polynomial", "0x3de147ae", "0x3de147ad"},
	{"quotient", "0x3f333333", "0x3f333334"},
	{"rows", `v_(fma|fmac|mac)_f32(_e32)? (v\d+, )`, `v_${1}_f32 ${3}-`},
	{"mandelbrot", `4\.0`, "2.0"},
	{"axpy_half", "0x3d7b", "0x3d7c"},
	{"axpy_half2", "0x3a29", "0x3a2a"},
	{"axpy_double", `(v_fma_f64 .*), -v`, `${1}, v`},
}

// plant returns a text with a change in the code of a kernel. The code must have exactly one place for the change.
func plant(t *testing.T, text, kernel, old, changed string) string {
	t.Helper()
	before, code, ok := strings.Cut(text, "\n"+kernel+":\n")
	require.True(t, ok, kernel)
	code, after, _ := strings.Cut(code, "s_endpgm")
	at := regexp.MustCompile(old).FindStringSubmatchIndex(code)
	require.NotNil(t, at, kernel)
	with := regexp.MustCompile(old).ExpandString(nil, changed, code, at)
	return before + "\n" + kernel + ":\n" + code[:at[0]] + string(with) + code[at[1]:] + "s_endpgm" + after
}

// TestDiffContract compares kernels that clang compiled with and without contraction. They differ, and are the same if
// contraction is ignored. A wrong constant or sign in the contracted kernel remains a difference.
func TestDiffContract(t *testing.T) {
	for chip, want := range contracted {
		t.Run(chip, func(t *testing.T) {
			t.Parallel()
			var texts [2][]byte
			for i, name := range []string{"off", "fast"} {
				var err error
				texts[i], err = os.ReadFile("testdata/contract/" + chip + "." + name + ".s")
				require.NoError(t, err)
			}
			options := func(contract bool, kernel string) *verdict.ObjectsOptions {
				o := &verdict.ObjectsOptions{Kernel: kernel, Check: []string{}}
				o.Launches, o.Contract = 2, contract
				return o
			}
			names := [2]string{"off.s", "fast.s"}
			all, err := verdict.DiffObjects(t.Context(), texts[0], texts[1], names, options(false, ""))
			require.NoError(t, err)
			require.Len(t, all, 10)
			differ := map[string]bool{}
			for _, k := range all {
				v, _ := k.Verdict()
				differ[k.Kernel] = v == compare.Different
			}
			all, err = verdict.DiffObjects(t.Context(), texts[0], texts[1], names, options(true, ""))
			require.NoError(t, err)
			passed := 0
			for _, k := range all {
				v, why := k.Verdict()
				assert.Equal(t, compare.Same, v, "%s: %s", k.Kernel, why)
				assert.Equal(t, differ[k.Kernel], k.Contracted > 0, k.Kernel)
				if k.Contracted > 0 {
					passed++
					assert.Contains(t, k.Notes()[0], "by contraction of floating point")
				}
			}
			assert.Equal(t, want, passed)
			for _, p := range planted {
				wrong := []byte(plant(t, string(texts[1]), p.kernel, p.old, p.new))
				all, err := verdict.DiffObjects(t.Context(), texts[0], wrong, names, options(true, p.kernel))
				require.NoError(t, err)
				v, why := all[0].Verdict()
				assert.Equal(t, compare.Different, v, "%s, %s: %s", p.kernel, p.old, why)
				assert.True(t, all[0].Unfused, p.kernel)
				assert.Contains(t, all[0].Notes(), "they differ also with products and sums in place of fused "+
					"multiply-adds; values are those of such runs")
			}
		})
	}
}
