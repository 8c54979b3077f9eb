package spec

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
)

// added executes vadd, which adds arguments 1 and 2. a has the bytes of argument 1 as hex digits.
func added(t *testing.T, a, keys string) (*Reply, error) {
	t.Helper()
	n := len(a) / 2
	return run(t, fmt.Sprintf(`"args":[{"buffer":{"size":%d}},{"buffer":{"hex":%q}},{"buffer":{"size":%d}},{"u32":%d}],%s`,
		n, a, n, n/4, keys))
}

// bytesOf returns dwords as hex digits in memory order.
func bytesOf(dwords ...uint32) string {
	var b strings.Builder
	for _, v := range dwords {
		b.WriteString(hex.EncodeToString([]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)}))
	}
	return b.String()
}

// TestExpectTolerances compares one element with its expectation under each tolerance.
func TestExpectTolerances(t *testing.T) {
	const (
		one, afterOne, nan, otherNaN, negNaN = 0x3f800000, 0x3f800001, 0x7fc00000, 0x7f800001, 0xffc00003
		inf, negInf, largest, negZero        = 0x7f800000, 0xff800000, 0x7f7fffff, 0x80000000
	)
	for _, c := range []struct {
		want, got uint32
		keys      string
		right     bool
	}{
		{7, 7, ``, true}, {7, 8, ``, false}, {7, 8, `,"absolute":1`, true}, {7, 6, `,"absolute":1`, true},
		{7, 5, `,"absolute":1`, false}, {0, 0xffffffff, `,"absolute":1`, false},
		{0, 0xffffffff, `,"absolute":1,"as":"i32"`, true}, {0xff00, 0x0001, `,"absolute":2,"as":"i8"`, true},
		{0xff00, 0x0001, `,"absolute":1,"as":"u8"`, false},
		{0x80000000, 0x7fffffff, `,"absolute":4294967294,"as":"i32"`, false},
		{0x80000000, 0x7fffffff, `,"absolute":4294967295,"as":"i32"`, true}, {one, one, `,"as":"f32"`, true},
		{one, afterOne, `,"as":"f32"`, false}, {one, afterOne, `,"as":"f32","ulp":1`, true},
		{afterOne, one, `,"as":"f32","ulp":1`, true}, {one, afterOne + 1, `,"as":"f32","ulp":1`, false},
		{one, afterOne, `,"as":"f32","ulp":0`, false}, {nan, otherNaN, `,"as":"f32"`, true},
		{nan, negNaN, `,"as":"f32","ulp":1`, true}, {nan, negNaN, `,"as":"f32","bits":true`, false}, {nan, negNaN, ``, false},
		{nan, one, `,"as":"f32","absolute":1e300`, false}, {one, nan, `,"as":"f32","ulp":4294967295`, false},
		{nan, inf, `,"as":"f32","ulp":4294967295`, false}, {inf, inf, `,"as":"f32"`, true},
		{inf, negInf, `,"as":"f32","relative":9`, false}, {inf, largest, `,"as":"f32","ulp":1`, false},
		{largest, inf, `,"as":"f32","relative":9`, false}, {0, negZero, `,"as":"f32"`, true},
		{0, negZero, `,"as":"f32","bits":true`, false}, {0, negZero, `,"as":"f32","ulp":0`, true},
		{1, 1<<31 | 1, `,"as":"f32","ulp":2`, true}, {1, 1<<31 | 1, `,"as":"f32","ulp":1`, false},
		{one, 0x3fc00000, `,"as":"f32","absolute":0.5`, true}, {one, 0x3fc00001, `,"as":"f32","absolute":"0.5"`, false},
		{0x40800000, 0x40c00000, `,"as":"f32","relative":0.5`, true},
		{0x40800000, 0x40c00001, `,"as":"f32","relative":0.5`, false},
		{0x40800000, 0x40c00001, `,"as":"f32","relative":0.5,"ulp":9999999`, true},
		{0x3c00_3c00, 0x3c01_3bff, `,"as":"f16","ulp":1`, true}, {0x3c00_3c00, 0x3c02_3c00, `,"as":"f16","ulp":1`, false},
	} {
		reply, err := added(t, bytesOf(c.got), fmt.Sprintf(`"expect":[{"arg":0,"hex":%q%s}]`, bytesOf(c.want), c.keys))
		require.NoError(t, err)
		assert.Equal(t, c.right, reply.OK, "%08x %08x %s", c.want, c.got, c.keys)
		assert.Equal(t, c.right, reply.Error == nil)
	}
	reply, err := added(t, strings.Repeat("00", 16),
		`"expect":[{"arg":0,"hex":"000000000000f03f","offset":8,"as":"f64","relative":1}]`)
	require.NoError(t, err)
	assert.True(t, reply.OK)
}

// TestMismatch: the first of several mismatches is reported, with its position and the store that wrote it.
func TestMismatch(t *testing.T) {
	var data []uint32
	for i := range uint32(128) {
		data = append(data, i)
	}
	want := append([]uint32(nil), data...)
	want[70], want[100] = 70+1<<16, 0
	reply, err := runGrid(t, 128, fmt.Sprintf(`"args":[{"buffer":{"size":512}},{"buffer":{"hex":%q}},{"buffer":{"size":512}},{"u32":128}],
		"expect":[{"arg":1,"hex":"00"},{"arg":0,"hex":%q,"offset":8}],"dump":[{"arg":0,"hex":true}],"timing":true`, bytesOf(data...), bytesOf(want[2:]...)))
	require.NoError(t, err)
	require.False(t, reply.OK)
	var b strings.Builder
	require.NoError(t, jsonout.Write(&b, reply))
	var got struct {
		Dump  []any
		Error struct {
			Kind, Message, PC, Text string
			Wave, Lane              int
			Mismatch                map[string]any
		}
	}
	require.NoError(t, json.Unmarshal([]byte(b.String()), &got))
	assert.Len(t, got.Dump, 1)
	assert.Equal(t, "mismatch", got.Error.Kind)
	assert.Regexp(t, `^expect\[1\]: argument 0, byte 280, element 70: want 0x00010046, got 0x00000046; stored by `+
		`work-item 70,0,0 with flat_store_dword v\[\d+:\d+\], v\d+ at 0x[0-9a-f]+; 2 of 126 `+
		`elements differ$`, got.Error.Message)
	assert.Equal(t, 6, got.Error.Lane)
	assert.Zero(t, got.Error.Wave)
	assert.Contains(t, got.Error.Text, "flat_store_dword")
	assert.Equal(t, map[string]any{
		"expect": 1., "arg": 0., "byte": 280., "element": 70., "as": "u32", "want": "0x00010046", "got": "0x00000046",
		"differ": 2., "elements": 126.,
		"group": []any{1., 0., 0.}, "item": []any{70., 0., 0.},
	}, got.Error.Mismatch)

	reply, err = added(t, bytesOf(0x3f800000, 0x40000000),
		fmt.Sprintf(`"expect":[{"arg":1,"hex":%q,"as":"f32"}]`, bytesOf(0x3f800000, 0x40000003)))
	require.NoError(t, err)
	assert.Equal(t, "expect[0]: argument 1, byte 4, element 1: want 2.0000007, got 2, 3 ulp away; nothing stored it; "+
		"1 of 2 elements differ", reply.Error.Message)
	reply, err = added(t, bytesOf(0x7fc00000), fmt.Sprintf(`"expect":[{"arg":1,"hex":%q,"as":"f32","bits":true}]`,
		bytesOf(0x7fc00001)))
	require.NoError(t, err)
	assert.Contains(t, reply.Error.Message, "want 0x7fc00001, got 0x7fc00000; nothing")
	reply, err = added(t, "0102030405060708", `"expect":[{"arg":1,"hex":"010203040509"}]`) // half of an element
	require.NoError(t, err)
	assert.Contains(t, reply.Error.Message, "byte 4, element 1: want 0x00000905, got 0x00000605; nothing stored it; "+
		"1 of 2")
}

// TestStorers: the work-item that stored an element of ids is the one whose id selects that element. The grid has
// three dimensions and partial work-groups.
func TestStorers(t *testing.T) {
	for name, text := range map[string]string{"ids.tahiti": "buffer_store_dword", "ids.fiji": "flat_store_dword",
		"ids.v6.gfx900": "global_store_dword"} {
		for element := 0; element < 20*6*4; element += 37 {
			path := "../../testdata/kernels/" + name + ".json"
			spec, err := os.ReadFile(path)
			require.NoError(t, err)
			keys := fmt.Sprintf(`"expect":[{"arg":0,"offset":%d,"hex":"ffffffff"}]`, 4*element)
			d, err := ParseDispatch([]byte(with(t, string(spec), keys)))
			require.NoError(t, err)
			reply, err := d.Answer(t.Context(), &Options{Files: files.Dir("../../testdata/kernels")})
			require.NoError(t, err)
			require.False(t, reply.OK)
			x := uint64(element)
			assert.Equal(t, &[3]uint64{x % 20, x / 20 % 6, x / 120}, reply.Error.Mismatch.Item, name)
			assert.Equal(t, &[3]uint32{uint32(x % 20 / 8), uint32(x / 20 % 6 / 4), uint32(x / 120 / 2)},
				reply.Error.Mismatch.Group, name)
			assert.Contains(t, reply.Error.Text, text)
		}
	}
}

func TestExpectRefuses(t *testing.T) {
	for keys, want := range map[string]string{
		`"arg":3,"hex":"00"`:                               "argument 3 is not a buffer",
		`"arg":4,"hex":"00"`:                               "argument 4 is not a buffer",
		`"arg":0`:                                          "give either hex or file",
		`"arg":0,"hex":"00","file":"a"`:                    "give either hex or file",
		`"arg":0,"hex":""`:                                 "nothing is expected",
		`"arg":0,"file":"none"`:                            "none",
		`"arg":0,"hex":"0000","offset":3`:                  "2 bytes from 3 on, but argument 0 has 4",
		`"arg":0,"hex":"00","offset":"0xffffffffffffffff"`: "but argument 0 has 4",
		`"arg":0,"hex":"00","offset":1`: "offset 1 lies inside of an element of u32; give a " +
			"multiple of 4",
		`"arg":0,"hex":"00","bits":true`:                    "bits has no effect",
		`"arg":0,"hex":"00","ulp":1`:                        "ulp and relative are for floats, not for u32",
		`"arg":0,"hex":"00","relative":1,"as":"i8"`:         "ulp and relative are for floats, not for i8",
		`"arg":0,"hex":"00","bits":true,"ulp":1,"as":"f32"`: "bits allows no difference",
		`"arg":0,"hex":"00","absolute":-1`:                  "absolute: -1 does not fit u64",
		`"arg":0,"hex":"00","absolute":1.5`:                 "absolute: 1.5 is not an integer",
		`"arg":0,"hex":"00","absolute":-1,"as":"f16"`:       "absolute: -1 is no tolerance",
		`"arg":0,"hex":"00","relative":"inf","as":"f64"`:    "relative: inf is no tolerance",
		`"arg":0,"hex":"00","relative":"nan","as":"f64"`:    "relative: nan is no tolerance",
	} {
		_, err := added(t, "00000000", `"expect":[{`+keys+`}]`)
		assert.ErrorContains(t, err, "expect[0]: ", keys)
		assert.ErrorContains(t, err, want, keys)
	}
}
