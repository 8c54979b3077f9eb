package spec

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/sim/element"
)

// randomData returns n bytes of r, with seed 7.
func randomData(t *testing.T, r Random, n, number int, more uint64) ([]byte, *element.Type) {
	t.Helper()
	r.Seed = 7
	data := make([]byte, n)
	require.NoError(t, r.Fill(data, number, more), "%+v", r)
	return data, element.Of(r.As)
}

// TestRandomIsInRange draws numbers of each type. All must be in the range, and some near both of its ends.
func TestRandomIsInRange(t *testing.T) {
	const n = 4096
	for e := range Element(element.Count) {
		typ := element.Of(e)
		for _, bound := range [][2]string{{"", ""}, {"3", "17"}, {"-9", "100"}, {"-7", "-7"}, {"0", "0"}} {
			if bound[0] != "" && bound[0][0] == '-' && !typ.Signed && typ.Mantissa == 0 {
				continue
			}
			keys := Random{As: e}
			low, high := -1., 1.
			switch {
			case bound[0] != "":
				keys.Min, keys.Max = Number(bound[0]), Number(bound[1])
				_, _ = fmt.Sscan(bound[0], &low)
				_, _ = fmt.Sscan(bound[1], &high)
			case typ.Signed:
				low, high = -math.Ldexp(1, typ.Bits()-1), math.Ldexp(1, typ.Bits()-1)-1
			case typ.Mantissa == 0:
				low, high = 0, math.Ldexp(1, typ.Bits())-1
			}
			data, _ := randomData(t, keys, n*typ.Bytes, 0, 0)
			least, most := math.Inf(1), math.Inf(-1)
			for i := range n {
				x := number(typ, typ.Get(data[i*typ.Bytes:]))
				least, most = min(least, x), max(most, x)
			}
			assert.True(t, low <= least && most <= high, "%+v: %v to %v", keys, least, most)
			near := (high - low) / 64
			assert.True(t, least <= low+near && high-near <= most, "%+v: %v to %v", keys, least, most)
		}
	}
}

// number returns the value of an element.
func number(t *element.Type, v uint64) float64 {
	switch {
	case t.Mantissa > 0:
		return t.Float(v)
	case t.Signed:
		return float64(int64(v<<(64-t.Bits())) >> (64 - t.Bits()))
	}
	return float64(v)
}

// TestSpecialValues searches for each kind of special values, for each type that has them.
func TestSpecialValues(t *testing.T) {
	const n = 4096
	for name, is := range map[string]func(x float64, smallest float64) bool{
		"nan":        func(x, _ float64) bool { return math.IsNaN(x) },
		"infinities": func(x, _ float64) bool { return math.IsInf(x, 0) },
		"denormals":  func(x, smallest float64) bool { return x != 0 && math.Abs(x) < smallest },
		"zeros":      func(x, _ float64) bool { return x == 0 },
	} {
		for e := range Element(element.Count) {
			typ := element.Of(e)
			if typ.Mantissa == 0 && name != "zeros" {
				require.ErrorContains(t, (&Random{As: e, With: []string{name}}).Fill(nil, 0, 0),
					"with[0]: "+typ.Name+" has no "+name)
				continue
			}
			keys := Random{As: e, Min: "1", Max: "2", With: []string{name}}
			data, _ := randomData(t, keys, n*typ.Bytes, 0, 0)
			found := 0
			for i := range n {
				x := number(typ, typ.Get(data[i*typ.Bytes:]))
				if is(x, typ.Float(1<<typ.Mantissa)) {
					found++
				} else {
					require.True(t, 1 <= x && x <= 2, "%+v: %v", keys, x)
				}
			}
			assert.InDelta(t, n/4, found, n/20, keys)
		}
	}
	data, typ := randomData(t, Random{As: I8, With: []string{"edges"}, Min: "-3", Max: "100"}, 4096, 0, 0)
	seen := map[uint64]int{}
	for i := range data {
		seen[typ.Get(data[i*typ.Bytes:])]++
	}
	for _, edge := range []int8{-3, -1, 0, 1, 100} {
		assert.Greater(t, seen[uint64(uint8(edge))], 100, edge)
	}
	data, typ = randomData(t, Random{As: F32, With: []string{"edges", "nan", "denormals"}}, 16384, 0, 0)
	seen = map[uint64]int{}
	for i := range len(data) / 4 {
		seen[typ.Get(data[i*typ.Bytes:])]++
	}
	for _, edge := range []uint64{0, 1 << 31, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x80800000} {
		assert.Greater(t, seen[edge], 10, "%08x", edge)
	}
	data, _ = randomData(t, Random{As: U16, With: []string{"same"}}, 9, 0, 0)
	assert.Equal(t, data[:2], data[2:4])
	assert.Equal(t, data[:8], []byte{data[0], data[1], data[0], data[1], data[0], data[1], data[0], data[1]})
	assert.Equal(t, data[0], data[8]) // half of an element
}

// TestRandomReproduces: the data depends only on seed, argument and type, and equals the numbers in the test.
func TestRandomReproduces(t *testing.T) {
	long, _ := randomData(t, Random{As: F32, With: []string{"edges"}}, 4096, 3, 0)
	short, _ := randomData(t, Random{As: F32, With: []string{"edges"}}, 100, 3, 0)
	assert.Equal(t, long[:100], short)
	other, _ := randomData(t, Random{As: F32, With: []string{"edges"}}, 100, 2, 0)
	assert.NotEqual(t, short, other)
	next, _ := randomData(t, Random{As: F32, With: []string{"edges"}}, 100, 3, 1)
	assert.NotEqual(t, short, next)
	for _, c := range []struct {
		keys Random
		want string
	}{
		{Random{As: U32}, "0e360aa4e69fa4826b0e4da844ebb18e"},
		{Random{As: F32}, "d828903efa27a93c3a34a13eb41eeb3d"},
		{Random{As: F16, Max: "100"}, "f75351521654ea52755508b87541fb51"},
		{Random{As: I64, Min: "-5", With: []string{"edges"}}, "6edc6329071b0552fbffffffffffffff"},
		{Random{As: F64, Min: "-1e308", Max: "1.7e308"}, "45573d8522fed97fd0f9d1f6d9e7ca7f"},
	} {
		data, _ := randomData(t, c.keys, 16, 0, 0)
		assert.Equal(t, c.want, hex.EncodeToString(data), "%+v", c.keys)
	}
}

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

// TestSeedVariesRandomData: the caller's seed is added to that of the request.
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
