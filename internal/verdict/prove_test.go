package verdict_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/prove"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/verdict"
)

// TestProofsOfMutants changes each bit of the code of programs that are proved to be the same. If a proof still exists
// after the change, no launch may show a difference.
func TestProofsOfMutants(t *testing.T) {
	tried, proved, step := 0, 0, 613
	if effort.Full() {
		step = 61
	}
	for _, c := range []struct{ kernel, a, b string }{
		{"vadd", "vadd.fiji", "vadd.v5.fiji"}, {"stencil", "stencil.gfx900", "stencil.gfx900"},
		{"ternary", "ternary.fiji", "ternary.gfx900"}, {"matmul", "matmul.fiji", "matmul.gfx900"},
		{"reduce", "reduce.fiji", "reduce.gfx900"}, {"histogram", "histogram.fiji", "histogram.gfx900"},
		{"scan", "scan.fiji", "scan.gfx900"}, {"spin", "spin.fiji", "spin.gfx900"},
	} {
		read := func(name string) ([]byte, prove.Program) {
			data, err := os.ReadFile("../../testdata/kernels/" + name + ".co")
			require.NoError(t, err)
			o, err := codeobj.Parse(data)
			require.NoError(t, err)
			k, err := o.Kernel(c.kernel)
			require.NoError(t, err)
			return data, prove.Program{Object: o, Kernel: k}
		}
		data, a := read(c.a)
		other, b := read(c.b)
		require.True(t, prove.Kernels(a, b, prove.Limits{Time: time.Hour}).Proved)
		size := uint64(0)
		for _, f := range b.Object.Functions {
			if f.VAddr == b.Kernel.Entry {
				size = f.Size
			}
		}
		code, ok := b.Object.Bytes(b.Kernel.Entry, size)
		require.True(t, ok)
		for bit := 0; bit < 8*len(code); bit += step {
			code[bit/8] ^= 1 << (bit % 8) // the object refers to the bytes of the file
			tried++
			if p := prove.Kernels(a, b, prove.Limits{Time: time.Hour, Easy: true}); p.Proved {
				proved++
				all, err := verdict.DiffObjects(t.Context(), data, other, [2]string{"a", "b"},
					&verdict.ObjectsOptions{Kernel: c.kernel, Check: []string{}})
				require.NoError(t, err)
				v, _ := all[0].Verdict()
				assert.NotEqual(t, compare.Different, v, "%s and %s, bit %d of the code: %v", c.a, c.b, bit, p.Assumed)
			}
			code[bit/8] ^= 1 << (bit % 8)
		}
	}
	t.Logf("%d of %d are proved", proved, tried)
	assert.Less(t, proved, tried/4)
}

// TestDiffProves: the report has a proof in addition to the verdict of the launches.
func TestDiffProves(t *testing.T) {
	read := func(name string) []byte {
		data, err := os.ReadFile("../../testdata/kernels/" + name + ".co")
		require.NoError(t, err)
		return data
	}
	o := &verdict.ObjectsOptions{Prove: prove.Limits{Time: time.Hour}, LaunchOptions: verdict.LaunchOptions{Launches: 1}}
	all, err := verdict.DiffObjects(t.Context(), read("vadd.fiji"), read("vadd.gfx900"), [2]string{"a", "b"}, o)
	require.NoError(t, err)
	require.NotNil(t, all[0].Proof)
	assert.True(t, all[0].Proof.Proved)
	v, _ := (&verdict.KernelComparison{Proof: all[0].Proof}).Verdict()
	assert.Equal(t, compare.Same, v, "a proof needs no launch")
	v, _ = (&verdict.KernelComparison{Proof: &prove.Proof{}}).Verdict()
	assert.Equal(t, compare.NoVerdict, v)
}
