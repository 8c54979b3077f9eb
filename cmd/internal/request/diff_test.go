package request

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/verdict"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// setupOf returns the setup of a program's comparison.
func setupOf(t *testing.T, p *DiffProgram, objects *sim.ObjectCache) compare.Setup {
	t.Helper()
	d, err := p.Request.Read(p.Files, objects)
	require.NoError(t, err)
	return compare.SetupOf(d.Program(&spec.Options{Objects: objects}))
}

// TestEffects: the data that a verdict rests on equals that of a full execution with checks and of its final memory,
// although the comparison only observes memory instructions and branches.
func TestEffects(t *testing.T) {
	effort.Long(t)
	specs, err := filepath.Glob("../../../testdata/kernels/*.gfx900.json")
	require.NoError(t, err)
	require.Greater(t, len(specs), 20)
	missed := 0
	for _, name := range specs {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		req, err := spec.ParseDispatch(text)
		require.NoError(t, err)
		req.Timing, req.Check, req.Expect, req.Dump = spec.NotTimed, nil, nil, nil
		p := DiffProgram{Request: req, Files: files.Dir(filepath.Dir(name))}
		setup := setupOf(t, &p, nil)
		res, err := compare.Programs(t.Context(), setup, setup)
		require.NoError(t, err, name)
		executed, instructions := res.Effects[0].Executed()
		req.Check = []string{"vccz"}
		checked, err := req.Answer(t.Context(), &spec.Options{Files: p.Files})
		require.NoError(t, err, name)
		assert.Equal(t, len(checked.Missed), instructions-executed, name)
		missed += len(checked.Missed)

		stores, err := compare.LastStores(t.Context(), setup)
		require.NoError(t, err, name)
		s, err := setup()
		require.NoError(t, err)
		for arg, b := range s.Buffers {
			if b == nil || b.Size > 4096 { // each byte would need an execution
				continue
			}
			wrote := res.Effects[0].Written(arg)
			for _, offset := range []uint64{0, b.Size - 1} {
				step, err := stores.Of(t.Context(), arg, offset)
				require.NoError(t, err)
				assert.False(t, step != nil && wrote == 0, "%s: argument %d", name, arg)
				assert.False(t, step == nil && wrote == b.Size, "%s: argument %d", name, arg)
			}
		}
	}
	assert.Positive(t, missed, "all kernels execute all that they have, so this tests nothing")
}

// TestDiffTolerances: differences within the specification's tolerances are accepted, larger ones are not.
// Expectations that diff cannot apply are refused with their key.
func TestDiffTolerances(t *testing.T) {
	a, b := wrongObject(t, "v_add_u32_e32 v2, vcc, v2, v4", "v_sub_u32_e32 v2, vcc, v2, v4")
	compared := func(expect string) (*verdict.Comparison, error) {
		// 0x3f800000 + 1 and - 1 are the two floats next to 1.
		text := `{"code_object":"x.co","kernel":"vadd","grid":[2],"args":[{"buffer":{"size":8}},` +
			`{"buffer":{"hex":"0100000001000000"}},{"buffer":{"hex":"0000803f0000803f"}},{"u32":2}],"expect":` + expect + `}`
		r, err := DiffFiles(func(string) ([]byte, error) { return []byte(text), nil }, "x.json", a, b)
		require.NoError(t, err)
		return r.Run(t.Context())
	}
	for expect, want := range map[string]compare.Verdict{
		`[]`: compare.Different,
		`[{"arg":0,"hex":"0000000000000000","as":"f32"}]`:                 compare.Different,
		`[{"arg":0,"hex":"0000000000000000","as":"f32","ulp":1}]`:         compare.Different,
		`[{"arg":0,"hex":"0000000000000000","as":"f32","ulp":3}]`:         compare.Same,
		`[{"arg":0,"hex":"0000000000000000","as":"f32","absolute":1e-6}]`: compare.Same,
		`[{"arg":0,"hex":"0000000000000000","as":"u32","absolute":2}]`:    compare.Same,
		`[{"arg":0,"hex":"0000000000000000","as":"f32","relative":1e-9}]`: compare.Different,
		// The second element has no tolerance.
		`[{"arg":0,"hex":"00000000","as":"f32","ulp":3}]`: compare.Different,
		`[{"arg":0,"hex":"00000000","as":"f32","ulp":3},{"arg":0,"offset":4,"hex":"00000000","as":"f32",` +
			`"ulp":3}]`: compare.Same,
	} {
		res, err := compared(expect)
		require.NoError(t, err, expect)
		v, _ := res.Verdict()
		assert.Equal(t, want, v, expect)
		var text strings.Builder
		require.NoError(t, res.Write(&text))
		assert.Equal(t, want == compare.Same, strings.Contains(text.String(),
			"\nnote: 2 elements differ within the tolerances of expect\n"), text.String())
	}
	_, err := compared(`[{"arg":0,"hex":"00000000","as":"f32","ulp":3},{"arg":0,"offset":4,"hex":"0000","as":"f16"}]`)
	var key *verdict.KeyError
	require.ErrorAs(t, err, &key)
	assert.Equal(t, "expect[1].as", key.Key)
	_, err = (&ReduceRequest{Spec: []byte(`{"code_object":"x.co","kernel":"vadd","expect":[{"arg":0,"hex":"00",` +
		`"ulp":1}]}`), Name: "x.json", A: a, B: b}).Run(t.Context())
	require.ErrorAs(t, err, &key)
	assert.Equal(t, "expect[0]", key.Key)
}

// TestDefaultWorkgroup: a specification without workgroup has work-groups of 64 work-items, or of the size that the
// kernel requires, like a command line.
func TestDefaultWorkgroup(t *testing.T) {
	text := `{"code_object":"vadd.fiji.co","kernel":"vadd","grid":[128],"args":[{"buffer":{"size":512}},` +
		`{"buffer":{"size":512}},{"buffer":{"size":512}},{"u32":128}]}`
	p, err := parseProgram([]byte(text), "../../../testdata/kernels/x.json", "")
	require.NoError(t, err)
	s, err := setupOf(t, &p, nil)()
	require.NoError(t, err)
	assert.Equal(t, [3]uint32{64}, s.Launch.Group)
}

// TestDiffProgress: progress messages name the input, the program, the number of finished work-groups, and what was
// tried.
func TestDiffProgress(t *testing.T) {
	a, b := wrongObject(t, "v_add_u32_e32 v2, vcc, v2, v4", "v_sub_u32_e32 v2, vcc, v2, v4")
	text := `{"code_object":"x.co","kernel":"vadd","grid":[1024],"args":[{"buffer":{"size":4096}},` +
		`{"buffer":{"size":4096,"random":1}},{"buffer":{"size":4096,"random":2}},{"u32":1000}]}`
	var mu sync.Mutex
	var said []string
	tell := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, text)
	}
	r, err := DiffFiles(func(string) ([]byte, error) { return []byte(text), nil }, "x.json", a, a)
	require.NoError(t, err)
	r.Seeds, r.Progress = 3, tell
	_, err = r.Run(t.Context())
	require.NoError(t, err)
	assert.Contains(t, said, "a, input 1 of 3, 16 of 16 work-groups")
	assert.Contains(t, said, "b, input 3 of 3, 16 of 16 work-groups")
	assert.Contains(t, said, "b, with its work-groups in two orders, 16 of 16 work-groups")
	said = nil
	_, err = (&ReduceRequest{Spec: []byte(text), Name: "x.json", A: a, B: b,
		DiffOptions: verdict.DiffOptions{Progress: tell}}).Run(t.Context())
	require.NoError(t, err)
	assert.Contains(t, said, "0 of at most 3000 inputs tried")
}

// TestDiffFilesNamesTheCompiler: for a source file, the error has the command that compiles it.
func TestDiffFilesNamesTheCompiler(t *testing.T) {
	for name, want := range map[string]string{"k.cl": " -c -cl-std=CL2.0 ", "k.ll": " -O2 -c k.ll -o k.o",
		"k.hip": "hipcc --offload-arch=gfx900 --cuda-device-only -c k.hip -o k.o"} {
		_, err := DiffFiles(func(string) ([]byte, error) { return []byte("source"), nil }, "", name, name)
		assert.ErrorContains(t, err, want)
	}
}

// wrongObject writes a copy of vadd for fiji in which the instruction right is replaced by wrong. It returns the
// names of the original and the copy.
func wrongObject(t *testing.T, right, wrong string) (a, b string) {
	t.Helper()
	data, err := os.ReadFile("../../../testdata/kernels/vadd.fiji.co")
	require.NoError(t, err)
	words := func(text string) (b []byte) {
		p, err := asm.Assemble(gcn.GFX803, text, asm.LLVM)
		require.NoError(t, err)
		for _, w := range p.Words {
			b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
		}
		return b
	}
	x, y := words(right), words(wrong)
	require.Len(t, y, len(x))
	a, b = filepath.Join(t.TempDir(), "a.co"), filepath.Join(t.TempDir(), "b.co")
	require.NoError(t, os.WriteFile(a, data, 0o600))
	at := -1
	for i := 0; i+len(x) <= len(data) && at < 0; i += 4 {
		if string(data[i:i+len(x)]) == string(x) {
			at = i
		}
	}
	require.NotEqual(t, -1, at)
	copy(data[at:], y)
	require.NoError(t, os.WriteFile(b, data, 0o600))
	return a, b
}

// reduced holds the keys of a reduced specification.
type reduced struct {
	Grid []uint32
	Args []struct {
		Buffer *struct {
			Size int
			Hex  string
		}
		U32 *uint32
	}
}

func reduce(t *testing.T, r *ReduceRequest) (x reduced) {
	t.Helper()
	smaller, err := r.Run(t.Context())
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(smaller, &x))
	again, err := DiffFiles(func(string) ([]byte, error) { return smaller, nil }, r.Name, r.A, r.B)
	require.NoError(t, err)
	res, err := again.Run(t.Context())
	require.NoError(t, err)
	require.NotNil(t, res.Difference, "the reduced input does not differ")
	return x
}

func TestReduce(t *testing.T) {
	a, b := wrongObject(t, "v_add_u32_e32 v2, vcc, v2, v4", "v_sub_u32_e32 v2, vcc, v2, v4")
	text := `{"code_object":"x.co","kernel":"vadd","grid":[1024],"workgroup":[64],"args":[{"buffer":{"size":4096}},
		{"buffer":{"size":4096,"random":1}},{"buffer":{"size":4096,"random":2}},{"u32":1000}],"dump":[{"arg":0,"hex":true}]}`
	x := reduce(t, &ReduceRequest{Spec: []byte(text), Name: "x.json", A: a, B: b})
	assert.Equal(t, []uint32{1, 1, 1}, x.Grid)
	assert.EqualValues(t, 1, *x.Args[3].U32)
	assert.Equal(t, []int{4, 4, 4}, []int{x.Args[0].Buffer.Size, x.Args[1].Buffer.Size, x.Args[2].Buffer.Size})
	assert.Equal(t, [2]string{"01", ""}, [2]string{x.Args[1].Buffer.Hex, x.Args[2].Buffer.Hex})

	// A fault remains a fault.
	a, b = wrongObject(t, "v_addc_u32_e32 v1, vcc, v3, v1, vcc", "v_addc_u32_e32 v1, vcc, v0, v1, vcc")
	x = reduce(t, &ReduceRequest{Spec: []byte(text), Name: "x.json", A: a, B: b})
	assert.Equal(t, []uint32{1, 1, 1}, x.Grid)
	assert.Empty(t, x.Args[1].Buffer.Hex)

	_, err := (&ReduceRequest{Spec: []byte(text), Name: "x.json", A: a, B: a}).Run(t.Context())
	assert.ErrorIs(t, err, ErrSame)
	_, err = (&ReduceRequest{Spec: []byte(`{"asm":""}`), Name: "x.json", A: a, B: b}).Run(t.Context())
	assert.ErrorContains(t, err, "x.json: asm is of a request of exec")
}
