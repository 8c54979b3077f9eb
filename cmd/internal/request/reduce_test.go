package request

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
)

// wrongObject writes a copy of vadd for fiji in which the instruction right is wrong, and returns
// the names of the original and of the copy.
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
	spec, err := r.Run(t.Context())
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(spec, &x))
	again, err := DiffFiles(func(string) ([]byte, error) { return spec, nil }, r.Name, r.A, r.B)
	require.NoError(t, err)
	res, err := again.Run(t.Context())
	require.NoError(t, err)
	require.NotNil(t, res.Difference, "the reduced input does not differ")
	return x
}

func TestReduce(t *testing.T) {
	a, b := wrongObject(t, "v_add_u32_e32 v2, vcc, v2, v4", "v_sub_u32_e32 v2, vcc, v2, v4")
	spec := `{"code_object":"x.co","kernel":"vadd","grid":[1024],"workgroup":[64],"args":[{"buffer":{"size":4096}},
		{"buffer":{"size":4096,"random":1}},{"buffer":{"size":4096,"random":2}},{"u32":1000}],"dump":[{"arg":0,"hex":true}]}`
	x := reduce(t, &ReduceRequest{Spec: []byte(spec), Name: "x.json", A: a, B: b})
	assert.Equal(t, []uint32{1, 1, 1}, x.Grid)
	assert.EqualValues(t, 1, *x.Args[3].U32)
	assert.Equal(t, []int{4, 4, 4}, []int{x.Args[0].Buffer.Size, x.Args[1].Buffer.Size, x.Args[2].Buffer.Size})
	assert.Equal(t, [2]string{"01", ""}, [2]string{x.Args[1].Buffer.Hex, x.Args[2].Buffer.Hex})

	// A fault stays one.
	a, b = wrongObject(t, "v_addc_u32_e32 v1, vcc, v3, v1, vcc", "v_addc_u32_e32 v1, vcc, v0, v1, vcc")
	x = reduce(t, &ReduceRequest{Spec: []byte(spec), Name: "x.json", A: a, B: b})
	assert.Equal(t, []uint32{1, 1, 1}, x.Grid)
	assert.Empty(t, x.Args[1].Buffer.Hex)

	_, err := (&ReduceRequest{Spec: []byte(spec), Name: "x.json", A: a, B: a}).Run(t.Context())
	assert.ErrorIs(t, err, ErrSame)
	_, err = (&ReduceRequest{Spec: []byte(`{"asm":""}`), Name: "x.json", A: a, B: b}).Run(t.Context())
	assert.ErrorContains(t, err, "x.json: asm is of a request of exec")
}
