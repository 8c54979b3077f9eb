package verdict_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/verdict"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// add returns a dispatch that adds a buffer of eight numbers, random ones that are all equal, to one of zeros, with the
// kernel of a file.
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

// TestDiff: code for two processors does the same, whatever the seed.
func TestDiff(t *testing.T) {
	c, err := verdict.Diff(t.Context(), add(t, "vadd.fiji"), add(t, "vadd.gfx900"), &verdict.DiffOptions{Seeds: 4})
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, c.Write(&text))
	assert.Equal(t, "same: 4 runs; 32 of 32 bytes written; 0 of 27 instructions of a and 0 of 26 of b never executed; "+
		"nothing was checked\n", text.String())
}

// TestReduce: a compiler that subtracts instead of adding shows it with one work-item and one number.
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

// TestDiffRefuses: what a comparison would ignore is refused by its field.
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
