package job

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomData returns what keys make of n bytes.
func randomData(t *testing.T, keys string, n, number int, more uint64) ([]byte, *elementType) {
	t.Helper()
	var s randomSpec
	require.NoError(t, decode([]byte(`{"random":7,`+keys+`}`), &s), keys)
	data := make([]byte, n)
	require.NoError(t, s.fill(data, number, more), keys)
	return data, s.As.typ()
}

// TestRandomIsInRange draws numbers of each type: all lie in their range, and both of its
// ends are near.
func TestRandomIsInRange(t *testing.T) {
	const n = 4096
	for _, typ := range elementTypes {
		for _, bound := range [][2]string{{"", ""}, {"3", "17"}, {"-9", "100"}, {"-7", "-7"}, {"0", "0"}} {
			if bound[0] != "" && bound[0][0] == '-' && !typ.signed && typ.mantissa == 0 {
				continue
			}
			keys := fmt.Sprintf(`"as":%q`, typ.name)
			low, high := -1., 1.
			switch {
			case bound[0] != "":
				keys += fmt.Sprintf(`,"min":%s,"max":"%s"`, bound[0], bound[1])
				_, _ = fmt.Sscan(bound[0], &low)
				_, _ = fmt.Sscan(bound[1], &high)
			case typ.signed:
				low, high = -math.Ldexp(1, typ.bits()-1), math.Ldexp(1, typ.bits()-1)-1
			case typ.mantissa == 0:
				low, high = 0, math.Ldexp(1, typ.bits())-1
			}
			data, _ := randomData(t, keys, n*typ.bytes, 0, 0)
			least, most := math.Inf(1), math.Inf(-1)
			for i := range n {
				x := typ.number(typ.get(data[i*typ.bytes:]))
				least, most = min(least, x), max(most, x)
			}
			assert.True(t, low <= least && most <= high, "%s: %v to %v", keys, least, most)
			near := (high - low) / 64
			assert.True(t, least <= low+near && high-near <= most, "%s: %v to %v", keys, least, most)
		}
	}
}

// number returns the value of an element.
func (t *elementType) number(v uint64) float64 {
	switch {
	case t.mantissa > 0:
		return t.float(v)
	case t.signed:
		return float64(int64(v<<(64-t.bits())) >> (64 - t.bits()))
	}
	return float64(v)
}

// TestSpecialValues looks for each kind of special value, of each type that has it.
func TestSpecialValues(t *testing.T) {
	const n = 4096
	for name, is := range map[string]func(x float64, smallest float64) bool{
		"nan":        func(x, _ float64) bool { return math.IsNaN(x) },
		"infinities": func(x, _ float64) bool { return math.IsInf(x, 0) },
		"denormals":  func(x, smallest float64) bool { return x != 0 && math.Abs(x) < smallest },
		"zeros":      func(x, _ float64) bool { return x == 0 },
	} {
		for _, typ := range elementTypes {
			if typ.mantissa == 0 && name != "zeros" {
				var s randomSpec
				require.NoError(t, decode(fmt.Appendf(nil, `{"random":7,"as":%q,"with":[%q]}`, typ.name, name), &s))
				require.ErrorContains(t, s.fill(nil, 0, 0), "with[0]: "+typ.name+" has no "+name)
				continue
			}
			keys := fmt.Sprintf(`"as":%q,"min":1,"max":2,"with":[%q]`, typ.name, name)
			data, _ := randomData(t, keys, n*typ.bytes, 0, 0)
			found := 0
			for i := range n {
				x := typ.number(typ.get(data[i*typ.bytes:]))
				if is(x, typ.float(1<<typ.mantissa)) {
					found++
				} else {
					require.True(t, 1 <= x && x <= 2, "%s: %v", keys, x)
				}
			}
			assert.InDelta(t, n/4, found, n/20, keys)
		}
	}
	data, typ := randomData(t, `"as":"i8","with":["edges"],"min":-3,"max":100`, 4096, 0, 0)
	seen := map[uint64]int{}
	for i := range data {
		seen[typ.get(data[i*typ.bytes:])]++
	}
	for _, edge := range []int8{-3, -1, 0, 1, 100} {
		assert.Greater(t, seen[uint64(uint8(edge))], 100, edge)
	}
	data, typ = randomData(t, `"as":"f32","with":["edges","nan","denormals"]`, 16384, 0, 0)
	seen = map[uint64]int{}
	for i := range len(data) / 4 {
		seen[typ.get(data[i*typ.bytes:])]++
	}
	for _, edge := range []uint64{0, 1 << 31, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x80800000} {
		assert.Greater(t, seen[edge], 10, "%08x", edge)
	}
	data, _ = randomData(t, `"as":"u16","with":["same"]`, 9, 0, 0)
	assert.Equal(t, data[:2], data[2:4])
	assert.Equal(t, data[:8], []byte{data[0], data[1], data[0], data[1], data[0], data[1], data[0], data[1]})
	assert.Equal(t, data[0], data[8]) // half an element
}

// TestRandomReproduces: the data depends on seed, argument and type alone, and these numbers
// stay.
func TestRandomReproduces(t *testing.T) {
	long, _ := randomData(t, `"as":"f32","with":["edges"]`, 4096, 3, 0)
	short, _ := randomData(t, `"as":"f32","with":["edges"]`, 100, 3, 0)
	assert.Equal(t, long[:100], short)
	other, _ := randomData(t, `"as":"f32","with":["edges"]`, 100, 2, 0)
	assert.NotEqual(t, short, other)
	next, _ := randomData(t, `"as":"f32","with":["edges"]`, 100, 3, 1)
	assert.NotEqual(t, short, next)
	for keys, want := range map[string]string{
		`"as":"u32"`: "0e360aa4e69fa4826b0e4da844ebb18e", `"as":"f32"`: "d828903efa27a93c3a34a13eb41eeb3d", `"as":"f16","max":100`: "f75351521654ea52755508b87541fb51",
		`"as":"i64","min":-5,"with":["edges"]`: "6edc6329071b0552fbffffffffffffff", `"as":"f64","min":-1e308,"max":1.7e308`: "45573d8522fed97fd0f9d1f6d9e7ca7f",
	} {
		data, _ := randomData(t, keys, 16, 0, 0)
		assert.Equal(t, want, hex.EncodeToString(data), keys)
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
		`"random":1,"as":"f32","with":["huge"]`: `with[0]: "huge" is not known; known are same, edges, nan`,
	} {
		_, err := run(t, `"args":[{"buffer":{"size":8,`+keys+`}}]`)
		assert.ErrorContains(t, err, "args[0]: ", keys)
		assert.ErrorContains(t, err, want, keys)
		reply := Exec(t.Context(), []byte(`{"mcpu":"fiji","asm":"","mem":[{"addr":4096,"size":8,`+keys+`}]}`), nil)
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
		assert.True(t, req.Random())
		reply, err := req.Run(t.Context(), &Options{Files: kernels{}, Seed: more})
		require.NoError(t, err)
		line, err := json.Marshal(reply.Dump)
		require.NoError(t, err)
		return string(line)
	}
	assert.Equal(t, answer(1, 0), answer(1, 0))
	assert.Equal(t, answer(1, 4), answer(5, 0))
	assert.NotEqual(t, answer(1, 1), answer(1, 0))
	request := []byte(`{"mcpu":"fiji","asm":"","mem":[{"addr":4096,"size":8,"random":1}],"dump":{"mem":[{"addr":4096,"size":8}]}}`)
	assert.NotEqual(t, Exec(t.Context(), request, nil).Mem, Exec(t.Context(), request, &Options{Seed: 1}).Mem)
	req, err := ParseDispatch([]byte(`{"args":[{"buffer":{"size":8}},{"u32":1}]}`))
	require.NoError(t, err)
	assert.False(t, req.Random())
}
