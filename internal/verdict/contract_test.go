package verdict_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/verdict"
)

// contracted are how many of the kernels of testdata/contract differ by contraction of floating point. On gfx803
// clang keeps V_MAD_F32, which rounds twice, with -ffp-contract=off, too.
var contracted = map[string]int{"gfx803": 3, "gfx900": 10, "gfx906": 10}

// planted are changes to the contracted code of kernels that change what they compute.
var planted = []struct {
	kernel   string
	old, new string // a regular expression, of which the first match in the kernel counts, and what takes its place
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

// plant returns a text with a change in the code of a kernel, which is there once.
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

// Kernels that clang has compiled with and without contraction differ, and are the same once contraction is let
// pass; a wrong constant or sign in the contracted one is a difference.
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
