package prove_test

import (
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/prove"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// program reads a kernel from an object in testdata/kernels. The file name begins with the name of the kernel.
func program(t *testing.T, name string) prove.Program {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../testdata/kernels", name+".co"))
	require.NoError(t, err)
	o, err := codeobj.Parse(data)
	require.NoError(t, err)
	kernel, _, _ := strings.Cut(name, ".")
	k, err := o.Kernel(kernel)
	require.NoError(t, err)
	return prove.Program{Object: o, Kernel: k}
}

// enough is a time limit that none of the questions reaches.
var enough = prove.Limits{Time: time.Hour}

// TestKernels compares builds by different optimization levels and compiler versions, and for different processors.
func TestKernels(t *testing.T) {
	for _, c := range []struct{ a, b, why string }{
		{"vadd.fiji", "vadd.O0.fiji", ""},
		{"vadd.gfx900", "vadd.v2.gfx900", ""},
		{"vadd.fiji", "vadd.v6.gfx900", ""},
		{"native.fiji", "native.O3.fiji", ""},
		{"divd.gfx900", "divd.O3.gfx900", ""},
		{"pairs.fiji", "pairs.v6.fiji", ""},
		{"halfpairs.fiji", "halfpairs.v6.fiji", ""},
		{"shorts.fiji", "shorts.O3.fiji", ""},
		{"convert.fiji", "convert.gfx900", ""},
		{"media.fiji", "media.gfx900", ""},
		{"stencil.fiji", "stencil.gfx900", ""},
		{"ternary.fiji", "ternary.gfx900", ""},

		{"matmul.fiji", "matmul.gfx900", ""},
		{"reduce.fiji", "reduce.gfx900", ""},
		{"histogram.fiji", "histogram.gfx900", ""},
		{"scan.fiji", "scan.gfx900", ""},
		{"spin.fiji", "spin.gfx900", ""},
		{"transpose.fiji", "transpose.gfx900", ""},
		{"volume.fiji", "volume.gfx900", ""},

		{"ticket.fiji", "ticket.gfx900", "a has an atomic operation: flat_atomic_add"},
		{"dpp.fiji", "dpp.v6.fiji", "a has not followed: v_mov_b32_dpp"},
		{"picture.fiji", "picture.gfx900", "a has an image or a buffer with a format: image_load"},
		{"divf.fiji", "divf.v6.fiji", "a has not followed: s_setreg_b32"},
		{"clock.fiji", "clock.gfx900", "a has a scalar access: s_memtime"},
		{"vadd.fiji", "saxpy.fiji", "they have other arguments"},
	} {
		p := prove.Kernels(program(t, c.a), program(t, c.b), enough)
		assert.Equal(t, c.why == "", p.Proved, "%s and %s: %s", c.a, c.b, p.Why)
		assert.True(t, strings.HasPrefix(p.Why, c.why), "%s and %s: %s", c.a, c.b, p.Why)
		if p.Proved {
			assert.Contains(t, p.Assumed, "work-items do not race")
			agrees(t, p, "unsat")
		}
	}
}

// TestWithoutBarrier checks that nothing is proved if one barrier of one of the builds is replaced by a no-op.
func TestWithoutBarrier(t *testing.T) {
	for _, name := range []string{"matmul", "reduce", "transpose"} {
		a, b := program(t, name+".fiji"), program(t, name+".gfx900")
		i := slices.IndexFunc(b.Object.Functions, func(f codeobj.Symbol) bool { return f.VAddr == b.Kernel.Entry })
		code, ok := b.Object.Bytes(b.Kernel.Entry, b.Object.Functions[i].Size)
		require.True(t, ok)
		found := 0
		for i := 0; i < len(code); i += 4 {
			if word := code[i : i+4]; binary.LittleEndian.Uint32(word) == 0xbf8a0000 { // s_barrier
				found++
				binary.LittleEndian.PutUint32(word, 0xbf800000) // s_nop 0
				p := prove.Kernels(a, b, enough)
				assert.False(t, p.Proved, "%s without the barrier at byte %d", name, i)
				binary.LittleEndian.PutUint32(word, 0xbf8a0000)
			}
		}
		assert.NotZero(t, found, name)
	}
}

// TestSolver checks the answers of other solvers, which replace the built-in one.
func TestSolver(t *testing.T) {
	sizes := regexp.MustCompile(`define-fun (t\d+) .*\|size .\|`) // of work-groups, which a proof assumes to be 1 to 256
	a, b := program(t, "spin.fiji"), program(t, "spin.fiji")
	ask := func(answer string, err error) *prove.Proof {
		solver := func(question string, _ time.Duration) (string, error) {
			assert.Contains(t, question, "(check-sat)\n(get-value (")
			for _, size := range sizes.FindAllStringSubmatch(question, -1) {
				answer = strings.Replace(answer, "SIZES", "("+size[1]+" #x0001) SIZES", 1)
			}
			return answer, err
		}
		return prove.Kernels(a, b, prove.Limits{Time: enough.Time, Solver: solver})
	}
	assert.True(t, ask("sat\n(SIZES)\n", nil).Proved)
	assert.Equal(t, "what is assumed was not shown to be possible", ask("unknown\n", nil).Why)
	assert.Equal(t, `the solver failed: it printed "what?" and neither sat nor unsat`, ask("what?", nil).Why)
	assert.Equal(t, "the solver failed: it printed sat and values that do not satisfy the question", ask("sat", nil).Why)
	assert.Equal(t, "the solver failed: no way", ask("", errors.New("no way")).Why)
}

// agrees checks that Z3 gives the same answer to the question of a proof. It does nothing without Z3.
func agrees(t *testing.T, p *prove.Proof, want string) {
	t.Helper()
	z3, err := exec.LookPath("z3")
	if err != nil {
		t.Log("z3 is not installed: no second opinion")
		return
	}
	cmd := exec.CommandContext(t.Context(), z3, "-in")
	cmd.Stdin = strings.NewReader(p.SMT("a question"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, want, strings.TrimSpace(string(out)))
}
