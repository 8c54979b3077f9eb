package spec

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
)

func TestDecodeSaysWhere(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  `1:1: this is not JSON: unexpected end of JSON input`,
		"{\n \"args\": [\n  {\"u32\": 1}\n": `3:13: this is not JSON: unexpected end of JSON input`,
		"{\n \"grid\" [1]}":                 "2:9: this is not JSON: invalid character '[' after object key",
		"[]":                                `1:1: this is an array; give an object`,
		"{\"grids\":[1]}":                   `1:2: unknown key "grids"; did you mean "grid"?`,
		"{\"frobnicate\":1}":                `1:2: unknown key "frobnicate"`,
		"{\n\n \"args\":[{},\n{\"buffer\":\n  {\"fil\":1}}]}": `5:4: args[1].buffer: unknown key "fil"; did you mean "file"?`,
		"{\"args\":[{\"buffer\":{\"size\":1.5}}]}": `1:28: args[0].buffer.size: 1.5 is not an integer; write ` +
			`16, "16" or "0x10"`,
		"{\"kernel\":\"a\",\n\"kernel\":\"b\"}":       `2:1: key "kernel" is given twice`,
		"{\"kernel\":\"a\",\n\"k\\u0065rnel\":\"b\"}": `2:1: key "kernel" is given twice`,
		"{\"grid\":[1,2,3,4]}":                        `1:16: grid: there are more than 3 numbers`,
		"{\"grid\":[1,\"0x100000000\"]}":              `1:12: grid[1]: 0x100000000 does not fit 32 bits`,
		"{\"grid\":[-1]}":                             `1:10: grid[0]: -1 is negative`,
		"{\"grid\":{}}":                               `1:9: grid: this is an object; give an array`,
		"{\"timing\":1}":                              `1:11: timing: this is 1; give true, false or "sampled"`,
		"{\"args\":[{\"f32\":1e39}]}":                 `1:17: args[0].f32: 1e39 does not fit single precision`,
		"{\"args\":[{\"f32\":\"one\"}]}": `1:17: args[0].f32: one is not a number; write 1.5, "1.5",` +
			` "inf" or "nan"`,
		"{\"args\":[{\"hex\":\"0\"}]}": `1:17: args[0].hex: hex data: encoding/hex: odd length ` +
			`hex string; write two hex digits a byte`,
		"{\"args\":[{\"hex\":\"\\u0030\\u0030\"}]}": `1:17: args[0].hex: hex data: encoding/hex: invalid byte: ` +
			`U+005C '\'; write two hex digits a byte`,
		"{\"args\":[{\"hex\":16}]}": `1:17: args[0].hex: this is a number; write two hex ` +
			`digits a byte`,
		"{\"dump\":[{\"arg\":0,\"hex\":true},null]}":    `1:31: dump[1]: this is null; give a value`,
		"{\"kernel\":" + strings.Repeat("9", 100) + "}": `1:11: kernel: this is a number; give text`,
		"{\"args\":[{\"u64\":" + strings.Repeat("9", 100) + "}]}": `1:17: args[0].u64: ` + strings.Repeat("9",
			60) + `... does not fit 64 bits`,
	} {
		_, err := ParseDispatch([]byte(text))
		var e *RequestError
		require.ErrorAs(t, err, &e, text)
		assert.Equal(t, want, err.Error(), text)
	}
}

func TestDecodeValues(t *testing.T) {
	req, err := ParseDispatch([]byte(` { "kernel" : "a\"}]\\" , "code_object":null, "grid":["0x10"], "workgroup":[], "timing_params":{"CUs": "0x10", "NoCache": true },
		"args":[{"u32":"-1"},{"f32":"-inf"},{"f32":1.5},{"hex":"0x0a0B"},{"buffer":{"size":"16"}},{"u64":-1}], "check":["all"], "border_colors":[[1,2,3,4]] } `))
	require.NoError(t, err)
	assert.Equal(t, `a"}]\`, req.Kernel)
	assert.Equal(t, [3]uint32{16}, req.Grid)
	assert.Equal(t, map[string]int64{"CUs": 16, "NoCache": 1}, req.TimingParams)
	assert.Equal(t, uint32(0xffffffff), *req.Args[0].U32)
	assert.Equal(t, float32(1.5), *req.Args[2].F32)
	assert.Equal(t, []byte{10, 11}, *req.Args[3].Bytes)
	assert.Equal(t, uint64(16), req.Args[4].Buffer.Size)
	assert.Equal(t, uint64(1<<64-1), *req.Args[5].U64)
	assert.Equal(t, [][4]uint32{{1, 2, 3, 4}}, req.BorderColors)
}

// TestWriteIsMarshal compares the writer with encoding/json, which knows nothing of views.
func TestWriteIsMarshal(t *testing.T) {
	for _, request := range []string{
		`{}`,
		`{"id":"<&>","mcpu":"gfx803","words":[]}`,
		`{"id":[1, 2],"mcpu":"gfx803","asm":"flat_load_dword v0, v[2:3]"}`,
		`{"mcpu":"gfx803","timing":true,"check":["all"],"asm":"buffer_load_dword v0, off, s[0:3], 0\ns_endpgm","sgpr":{"1":[0,0,"0x27fac"]},
			"mem":[{"addr":"0x1000","hex":"010203"},{"addr":"0x1003","size":9000}],
			"dump":{"sgpr":[[0,4],[0,2],[1,1]],"vgpr":[[0,2],[1,2]],"mem":[{"addr":"0x1001","size":9000},{"addr":0,"size":0}],"lds":[[0,8]],"gds":[[8,0]],"regs":true}}`,
	} {
		reply := Answer(t.Context(), []byte(request), nil)
		want, err := jsonout.Marshal(reply)
		require.NoError(t, err)
		var got strings.Builder
		require.NoError(t, jsonout.Write(&got, reply))
		assert.Equal(t, string(want)+"\n", got.String())
		assert.True(t, json.Valid(want))
	}
}
