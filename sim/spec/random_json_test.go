package spec

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRandomRefuses(t *testing.T) {
	for keys, want := range map[string]string{
		`"as":"f32"`:                            "there is none; give random",
		`"min":1`:                               "there is none; give random",
		`"with":[]`:                             "there is none; give random",
		`"random":1,"hex":"00"`:                 "hex, file and noinit have no effect",
		`"random":1,"noinit":true`:              "hex, file and noinit have no effect",
		`"random":1,"min":-1`:                   "min: -1 does not fit u32",
		`"random":1,"max":4294967296`:           "max: 4294967296 does not fit u32",
		`"random":1,"min":1.5`:                  "min: 1.5 is not an integer",
		`"random":1,"as":"i8","min":-129`:       "min: -129 does not fit i8",
		`"random":1,"as":"i8","max":128`:        "max: 128 does not fit i8",
		`"random":1,"as":"f16","max":65520`:     "max: 65520 does not fit f16",
		`"random":1,"as":"f32","min":"-inf"`:    "min: -inf does not fit f32",
		`"random":1,"as":"f64","min":"nan"`:     "min: nan does not fit f64",
		`"random":1,"as":"f64","min":1e999`:     "min: 1e999 does not fit double precision",
		`"random":1,"as":"f64","min":"one"`:     "min: one is not a number",
		`"random":1,"as":"f32","min":2`:         "min is more than max, which is 1 unless it is given",
		`"random":1,"min":2,"max":1`:            "min is more than max",
		`"random":1,"as":"f32","with":["huge"]`: `with[0]: "huge" is not known; known are numbers, same, edges, nan`,
	} {
		_, err := run(t, `"args":[{"buffer":{"size":8,`+keys+`}}]`)
		assert.ErrorContains(t, err, "args[0]: ", keys)
		assert.ErrorContains(t, err, want, keys)
		reply := Answer(t.Context(), []byte(`{"mcpu":"fiji","asm":"","mem":[{"addr":4096,"size":8,`+keys+`}]}`), nil)
		require.NotNil(t, reply.Error, keys)
		assert.Contains(t, reply.Error.Message, "mem[0]: ", keys)
		assert.Contains(t, reply.Error.Message, want, keys)
	}
	_, err := ParseDispatch([]byte(`{"args":[{"buffer":{"random":1,"as":"f8"}}]}`))
	assert.ErrorContains(t, err, "args[0].buffer.as: f8 is no type of elements; known are u32, i32, f32")
	_, err = ParseDispatch([]byte(`{"args":[{"buffer":{"random":1,"min":[]}}]}`))
	assert.ErrorContains(t, err, "args[0].buffer.min: this is an array; give a number")
}

// TestSeedVariesRandomData: a caller's seed is as if that of the request were greater.
func TestSeedVariesRandomData(t *testing.T) {
	answer := func(seed int, more uint64) string {
		req, err := ParseDispatch(fmt.Appendf(nil, `{"code_object":"vadd.fiji.co","kernel":"vadd","grid":[64],"workgroup":[64],
			"args":[{"buffer":{"size":256}},{"buffer":{"size":256,"random":%d}},{"buffer":{"size":256,"random":%d}},{"u32":64}],"dump":[{"arg":0,"hex":true}]}`, seed, seed))
		require.NoError(t, err)
		reply, err := req.Answer(t.Context(), &Options{Files: kernels{}, Seed: more})
		require.NoError(t, err)
		line, err := json.Marshal(reply.Dump)
		require.NoError(t, err)
		return string(line)
	}
	assert.Equal(t, answer(1, 0), answer(1, 0))
	assert.Equal(t, answer(1, 4), answer(5, 0))
	assert.NotEqual(t, answer(1, 1), answer(1, 0))
	request := []byte(`{"mcpu":"fiji","asm":"","mem":[{"addr":4096,"size":8,"random":1}],"dump":{"mem":[{"addr":4096,` +
		`"size":8}]}}`)
	assert.NotEqual(t, Answer(t.Context(), request, nil).Mem, Answer(t.Context(), request, &Options{Seed: 1}).Mem)
}
