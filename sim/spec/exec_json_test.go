package spec

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
)

// answer executes one request and returns the reply as the command exec writes it.
func answer(t *testing.T, request []byte) []byte {
	t.Helper()
	b, err := jsonout.Marshal(Answer(t.Context(), request, nil))
	require.NoError(t, err)
	return b
}

// exec executes one request and decodes the reply.
func exec(t *testing.T, request string) map[string]any {
	t.Helper()
	var reply map[string]any
	require.NoError(t, json.Unmarshal(answer(t, []byte(request)), &reply))
	return reply
}

func TestExecNumbers(t *testing.T) {
	for _, n := range []string{`16`, `"16"`, `"0x10"`, `"0x10"`} {
		reply := exec(t, `{"mcpu":"gfx803","words":[],"m0":`+n+`,"dump":{"regs":true}}`)
		require.Equal(t, true, reply["ok"], reply)
		assert.Equal(t, "0x00000010", reply["regs"].(map[string]any)["m0"])
	}
	reply := exec(t, `{"mcpu":"gfx803","words":[],"m0":-1,"vcc":"-1","dump":{"regs":true}}`)
	assert.Equal(t, "0xffffffff", reply["regs"].(map[string]any)["m0"])
	assert.Equal(t, "0xffffffffffffffff", reply["regs"].(map[string]any)["vcc"])
}

func TestExecRefusesWhatItCannotTake(t *testing.T) {
	for name, c := range map[string]struct{ request, kind, message string }{
		"no JSON":                        {`{`, "input", "the request"},
		"two values":                     {`{} {}`, "input", "column 4: this is not JSON: invalid character '{' after top-level value"},
		"unknown key":                    {`{"mcpu":"gfx803","wrods":[]}`, "input", `column 18: unknown key "wrods"; did you mean "words"?`},
		"no processor":                   {`{}`, "input", "mcpu is missing; give a processor"},
		"other processor":                {`{"mcpu":"gfx1030","words":[]}`, "input", "known are gfx600"},
		"no program":                     {`{"mcpu":"gfx803"}`, "input", "give asm or words"},
		"two programs":                   {`{"mcpu":"gfx803","asm":"s_nop 0","words":[]}`, "input", "give one"},
		"no word":                        {`{"mcpu":"gfx803","words":["xyz"]}`, "input", "eight hex digits"},
		"number too large":               {`{"mcpu":"gfx803","words":[],"m0":"0x100000000"}`, "input", "does not fit 32 bits"},
		"float":                          {`{"mcpu":"gfx803","words":[],"m0":1.5}`, "input", "not an integer"},
		"SGPR":                           {`{"mcpu":"gfx803","words":[],"sgpr":{"101":[1,2]}}`, "input", "s0 to s101"},
		"SGPR name":                      {`{"mcpu":"gfx803","words":[],"sgpr":{"x":[1]}}`, "input", `sgpr: "x" is not the number of a register`},
		"VGPR":                           {`{"mcpu":"gfx803","words":[],"vgpr":{"256":1}}`, "input", "0 to 255"},
		"lanes":                          {`{"mcpu":"gfx803","words":[],"vgpr":{"0":[` + strings.Repeat("0,", 64) + `0]}}`, "input", "64 lanes"},
		"overlap":                        {`{"mcpu":"gfx803","words":[],"mem":[{"addr":0,"size":8},{"addr":4,"size":8}]}`, "input", "overlaps"},
		"huge range":                     {`{"mcpu":"gfx803","words":[],"mem":[{"addr":0,"size":"0x1000000000"}]}`, "input", "more than the 4294967296 bytes"},
		"odd hex":                        {`{"mcpu":"gfx803","words":[],"mem":[{"addr":0,"hex":"0"}]}`, "input", "hex data"},
		"LDS size":                       {`{"mcpu":"gfx803","words":[],"lds":{"size":65540}}`, "input", "more than"},
		"rules":                          {`{"mcpu":"gfx803","words":[],"rules":"mine"}`, "input", "seed, driver"},
		"alignment":                      {`{"mcpu":"gfx803","words":[],"alignment":"odd"}`, "input", "dword_strict"},
		"timing chip":                    {`{"mcpu":"gfx803","words":[],"timing":true,"chip":"navi10"}`, "input", "tiling is known of tahiti"},
		"tile modes":                     {`{"mcpu":"gfx803","words":[],"tile_mode":[` + strings.Repeat("0,", 32) + `0]}`, "input", "33 values for 32"},
		"no tile modes":                  {`{"mcpu":"gfx900","words":[],"tile_mode":[0]}`, "input", "gfx900 has no such"},
		"no macro modes":                 {`{"mcpu":"tahiti","words":[],"macrotile_mode":[0]}`, "input", "gfx600 has no such"},
		"address config":                 {`{"mcpu":"gfx900","words":[],"gb_addr_config":"0x100000000"}`, "input", "gb_addr_config: 0x100000000 does not fit"},
		"border colour":                  {`{"mcpu":"gfx900","words":[],"border_colors":[[0,0,0,"0x100000000"]]}`, "input", "border_colors[0][3]: 0x100000000 does not fit"},
		"short colour":                   {`{"mcpu":"gfx900","words":[],"border_colors":[[0,0,0,0],[1]]}`, "input", "border_colors[1]: there are not 4 values, but 1"},
		"long colour":                    {`{"mcpu":"gfx900","words":[],"border_colors":[[0,0,0,0,0]]}`, "input", "border_colors[0]: there are more than 4 values"},
		"many colours":                   {`{"mcpu":"gfx900","words":[],"border_colors":[` + strings.Repeat("[0,0,0,0],", 4096) + `[0,0,0,0]]}`, "input", "border_colors: 4097 colours"},
		"chip of another":                {`{"mcpu":"gfx900","chip":"fiji","asm":"image_load v0, v[0:1], s[0:7] dmask:1 unorm"}`, "input", "chip fiji does not run programs for gfx900; it is gfx803"},
		"timing parameter":               {`{"mcpu":"gfx803","words":[],"timing":true,"timing_params":{"Speed":1}}`, "input", "known are CUs"},
		"check":                          {`{"mcpu":"gfx803","words":[],"check":["spelling"]}`, "input", "known are all"},
		"dump SGPR":                      {`{"mcpu":"gfx803","words":[],"dump":{"sgpr":[[100,9]]}}`, "input", "dump.sgpr[0]: 9 registers from 100 on"},
		"dump VGPR":                      {`{"mcpu":"gfx803","words":[],"dump":{"vgpr":[[-1,1]]}}`, "input", "dump.vgpr[0][0]: -1 is negative"},
		"dump memory":                    {`{"mcpu":"gfx803","words":[],"dump":{"mem":[{"addr":16,"size":4}]}}`, "input", "no mapped range holds 0x10"},
		"dump LDS":                       {`{"mcpu":"gfx803","words":[],"dump":{"lds":[[65536,1]]}}`, "input", "dump.lds[0]: 1 bytes from 65536"},
		"dump beyond the address space":  {`{"mcpu":"gfx803","words":[],"mem":[{"addr":4096,"size":4096}],"dump":{"mem":[{"addr":"0x1008","size":"0xffffffffffffffff"}]}}`, "input", "dump.mem[0]: it wraps around"},
		"dump at the edge":               {`{"mcpu":"gfx803","words":[],"mem":[{"addr":"0xfffffffffffff000","size":4095}],"dump":{"mem":[{"addr":"0xfffffffffffff000","size":4096}]}}`, "input", "dump.mem[0]: it wraps around"},
		"dump of too much":               {`{"mcpu":"gfx803","words":[],"mem":[{"addr":0,"size":"0x400000"}],"dump":{"mem":[` + strings.Repeat(`{"addr":0,"size":"0x400000"},`, 256) + `{"addr":0,"size":1}]}}`, "input", "dump.mem[256]: with these 1 bytes the answer would show more than the 1073741824"},
		"dump of too much LDS":           {`{"mcpu":"gfx803","words":[],"dump":{"lds":[` + strings.Repeat("[0,65536],", 1<<14) + `[0,1]]}}`, "input", "dump.lds[16384]: with these 1 bytes"},
		"huge register":                  {`{"mcpu":"gfx803","words":[],"sgpr":{"9223372036854775807":[1]}}`, "input", "sgpr: \"9223372036854775807\" is not"},
		"negative register":              {`{"mcpu":"gfx803","words":[],"sgpr":{"-1":[1]}}`, "input", "sgpr: \"-1\" is not"},
		"register given twice":           {`{"mcpu":"gfx803","words":[],"sgpr":{"0":[1,2],"1":[3]}}`, "input", "sgpr: s1 is given twice"},
		"register under two names":       {`{"mcpu":"gfx803","words":[],"vgpr":{"1":[1,2],"01":[3]}}`, "input", "vgpr: v1 is given twice"},
		"huge dump":                      {`{"mcpu":"gfx803","words":[],"dump":{"sgpr":[["0xffffffffffffffff",2]]}}`, "input", "dump.sgpr[0]: 2 registers"},
		"huge count":                     {`{"mcpu":"gfx803","words":[],"dump":{"vgpr":[[1,"0xffffffffffffffff"]]}}`, "input", "dump.vgpr[0]: 18446744073709551615 registers"},
		"huge LDS dump":                  {`{"mcpu":"gfx803","words":[],"dump":{"gds":[[16,"0xfffffffffffffff8"]]}}`, "input", "dump.gds[0]"},
		"many ranges":                    {`{"mcpu":"gfx803","words":[],"mem":[{"addr":0,"size":"0x1000"},{"addr":"0x100000000","size":"0xfffff001"}]}`, "input", "mem[1]: with 4294963201 bytes"},
		"negative size":                  {`{"mcpu":"gfx803","words":[],"mem":[{"addr":0,"size":-1}]}`, "input", "mem[0].size: -1 is negative"},
		"a range at the end":             {`{"mcpu":"gfx803","words":[],"mem":[{"addr":-4096,"size":8192}]}`, "input", "mem[0]: cannot map 8192 bytes at 0xfffffffffffff000: it wraps"},
		"SCC":                            {`{"mcpu":"gfx803","words":[],"scc":2}`, "input", "scc: 2 is not 0 or 1"},
		"negative number too large":      {`{"mcpu":"gfx803","words":[],"m0":-2147483649}`, "input", "m0: -2147483649 does not fit 32 bits"},
		"negative number beyond 64 bits": {`{"mcpu":"gfx803","words":[],"vcc":-9223372036854775809}`, "input", "vcc: -9223372036854775809 does not fit 64 bits"},
		"number beyond 64 bits":          {`{"mcpu":"gfx803","words":[],"vcc":"0x10000000000000000"}`, "input", "vcc: 0x10000000000000000 does not fit 64 bits"},
		"register value":                 {`{"mcpu":"gfx803","words":[],"sgpr":{"2":[0,"0x100000000"]}}`, "input", "column 44: sgpr.2[1]: 0x100000000 does not fit 32 bits"},
		"key given twice":                {`{"mcpu":"gfx803","words":[],"m0":1,"m0":2}`, "input", "column 36: key \"m0\" is given twice"},
		"key in capitals":                {`{"MCPU":"gfx803","words":[]}`, "input", "did you mean \"mcpu\"?"},
		"key with hex in a dump":         {`{"mcpu":"gfx803","words":[],"mem":[{"addr":0,"size":8}],"dump":{"mem":[{"addr":0,"size":8,"hex":"00"}]}}`, "input", `dump.mem[0]: unknown key "hex"`},
		"short word":                     {`{"mcpu":"gfx803","words":["bf8000"]}`, "input", "words[0]: \"bf8000\" is not a machine word; write eight hex digits"},
		"long word":                      {`{"mcpu":"gfx803","words":["0bf800000"]}`, "input", "words[0]: \"0bf800000\" is not a machine word"},
		"null in an array":               {`{"mcpu":"gfx803","words":[null]}`, "input", "words[0]: this is null"},
		"text for an object":             {`{"mcpu":"gfx803","words":[],"lds":"64"}`, "input", "lds: this is text; give an object"},
		"number for text":                {`{"mcpu":803}`, "input", "column 9: mcpu: this is a number; give text"},
		"octal":                          {`{"mcpu":"gfx803","words":[],"m0":"0o10"}`, "input", "m0: 0o10 is not an integer"},
		"switch of time":                 {`{"mcpu":"gfx803","words":[],"timing":true,"timing_params":{"NoCache":2}}`, "input", "timing: NoCache is 2; it must be true or false, or 1 or 0"},
		"negative time":                  {`{"mcpu":"gfx803","words":[],"timing":true,"timing_params":{"L1Latency":-1}}`, "input", "timing: L1Latency is -1; it must be 0 to 1048576"},
		"parameter of time":              {`{"mcpu":"gfx803","words":[],"timing":true,"timing_params":{"CUs":"0xffffffffffffffff"}}`, "input", "far too large"},
		"no instruction may run":         {`{"mcpu":"gfx803","words":[],"max_instructions":0}`, "input", "max_instructions"},
		"undefined word":                 {`{"mcpu":"gfx803","words":["ffffffff"]}`, "decode", "cannot decode"},
		"truncated":                      {`{"mcpu":"gfx803","words":["e0501000"]}`, "decode", "second word"},
		"text":                           {`{"mcpu":"gfx803","asm":"v_ad_f32 v0, v0, v0"}`, "asm", "v_add_f32"},
		"unmapped":                       {`{"mcpu":"gfx803","asm":"flat_load_dword v0, v[2:3]","vgpr":{"2":64}}`, "fault", "no mapped range"},
		"endless":                        {`{"mcpu":"gfx803","asm":"l: s_branch l","max_instructions":100}`, "limit", "limit of 100"},
		"register tuple":                 {`{"mcpu":"gfx803","words":["e05c1000","8000ff00"]}`, "register", "VGPRs"},
		"jump to nowhere":                {`{"mcpu":"gfx803","asm":"s_branch 0x7000"}`, "pc", "left the program"},
	} {
		reply := exec(t, c.request)
		require.Equal(t, false, reply["ok"], name)
		e := reply["error"].(map[string]any)
		assert.Equal(t, c.kind, e["kind"], "%s: %v", name, e)
		assert.Contains(t, e["message"], c.message, name)
	}
}

// The answer to a request that cannot be decoded has its id.
func TestErrorHasID(t *testing.T) {
	for _, request := range []string{
		`{"foo":1,"id":7}`, `{"id":7,"mcpu":5}`, `{"id":7,"m0":1.5}`, `{"mem":[{"addr":1,"hex":"0"}],"id":7}`,
		`{"id":7,"mcpu":"x"}`,
	} {
		reply := exec(t, request)
		assert.Equal(t, false, reply["ok"], request)
		assert.EqualValues(t, 7, reply["id"], request)
	}
	assert.NotContains(t, exec(t, `{"id":7`), "id")
}

// A size smaller than the data is an error.
func TestSizesHoldTheirData(t *testing.T) {
	for _, members := range []string{`"mem":[{"addr":0,"size":1,"hex":"0102"}]`, `"lds":{"size":1,"hex":"0102"}`,
		`"gds":{"size":0,"hex":"0102"}`} {
		reply := exec(t, `{"mcpu":"gfx803","words":[],`+members+`}`)
		require.Equal(t, false, reply["ok"], members)
		require.Contains(t, reply["error"].(map[string]any)["message"], "but there are 2 bytes of data", members)
	}
	reply := exec(t, `{"mcpu":"gfx803","words":[],"mem":[{"addr":0,"size":2,"hex":"0102"}],"lds":{"hex":"01"},"gds":{}}`)
	require.Equal(t, true, reply["ok"], reply)
}

// TestWaves has four waves that exchange data through LDS: behind the barrier each reads the value that the next wave
// wrote before it.
func TestWaves(t *testing.T) {
	request := `{"mcpu":"fiji","waves":4,"m0":-1,"sgpr":{"4":[5]},"vgpr":{"2":[10,20]},
		"states":[{"sgpr":{"0":0}},{"sgpr":{"0":1}},{"sgpr":{"0":2},"vgpr":{"2":[100]}},{"sgpr":{"0":3},"exec":1}],
		"asm":"v_mbcnt_lo_u32_b32 v0, -1, 0\nv_mbcnt_hi_u32_b32 v0, -1, v0\ns_lshl_b32 s1, s0, 8\nv_lshlrev_b32 v0, 2, v0\nv_add_u32 v1, vcc, s1, v0\nv_add_u32 v3, vcc, s0, v2\nds_write_b32 v1, v3\ns_waitcnt lgkmcnt(0)\ns_barrier\ns_add_u32 s1, s1, 0x100\ns_and_b32 s1, s1, 0x3ff\nv_add_u32 v1, vcc, s1, v0\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)\ns_endpgm",
		"lds":{"size":1024},"check":["race","wait","uninit"],"dump":{"sgpr":[[0,1],[4,1]],"vgpr":[[4,1]],"lds":[[0,4],[768,8]],"regs":true}}`
	line := answer(t, []byte(request))
	var got struct {
		OK    bool
		Waves []struct {
			SGPR map[string][]string
			VGPR map[string][]string
			Regs map[string]any
		}
		SGPR         map[string]any
		LDS          []struct{ Hex string }
		Instructions int
		Diagnostics  []any
	}
	require.NoError(t, json.Unmarshal(line, &got))
	require.True(t, got.OK, string(line))
	require.Len(t, got.Waves, 4)
	assert.Nil(t, got.SGPR)
	assert.Equal(t, 4*15, got.Instructions)
	assert.Empty(t, got.Diagnostics)
	for i, want := range [][2]int{{11, 21}, {102, 2}, {13, 0}, {10, 0}} { // one lane of the last wave writes and reads
		w := got.Waves[i]
		assert.Equal(t, fmt.Sprintf("0x%08x", i), w.SGPR["0"][0])
		assert.Equal(t, "0x00000005", w.SGPR["4"][0])
		assert.Equal(t, fmt.Sprintf("0x%08x", want[0]), w.VGPR["4"][0], i)
		assert.Equal(t, fmt.Sprintf("0x%08x", want[1]), w.VGPR["4"][1], i)
		assert.NotNil(t, w.Regs["exec"])
	}
	assert.Equal(t, "0d00000000000000", got.LDS[1].Hex)
}

// TestWavesOfOne: a work-group of one wave has the same results as a wave alone.
func TestWavesOfOne(t *testing.T) {
	const request = `{"mcpu":"fiji","asm":"s_barrier\nv_mov_b32 v0, s0","sgpr":{"0":7},"dump":{"vgpr":[[0,1]],"regs":true}`
	assert.Equal(t, string(answer(t, []byte(request+`}`))), string(answer(t, []byte(request+`,"waves":1}`))))
}

func TestWavesRefuse(t *testing.T) {
	for keys, want := range map[string]string{
		`"waves":0`:                  "waves: 0 is not in 1 to 16",
		`"waves":17`:                 "waves: 17 is not in 1 to 16",
		`"states":[]`:                "states is of several waves; give waves",
		`"waves":1,"states":[{},{}]`: "states: there are 2 for 1 waves",
		`"waves":2,"states":[{},{"sgpr":{"103":1}}]`: `states[1]: sgpr: "103" with 1 values is not within`,
		`"waves":2,"states":[{"vgpr":{"256":1}}]`:    `states[0]: vgpr: "256" is not a register`,
	} {
		reply := Answer(t.Context(), []byte(`{"mcpu":"fiji","asm":"s_nop 0",`+keys+`}`), nil)
		require.NotNil(t, reply.Error, keys)
		assert.Contains(t, reply.Error.Message, want, keys)
	}
	reply := Answer(t.Context(),
		[]byte(`{"mcpu":"fiji","asm":"s_cbranch_scc1 l\ns_barrier\ns_branch m\nl: ds_read_b32 v0, v1\nflat_load_dword v0,`+
			` v[2:3]\nm: s_endpgm","waves":2,"m0":-1,"states":[{},{"scc":1}]}`), nil)
	require.NotNil(t, reply.Error)
	assert.Equal(t, "fault", reply.Error.Kind)
	assert.Equal(t, 1, *reply.Error.Wave)
}

// sampling is the assembly text of a kernel with the addresses of a T# and an S# as arguments. It stores the samples
// at the four texels of an image and at four positions to their right.
const sampling = `	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
k:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[8:9], s[0:1], 0x10
	v_cvt_f32_u32_e32 v1, v0
	v_add_f32_e32 v1, 0.5, v1
	v_mul_f32_e32 v1, 0x3e800000, v1
	v_mov_b32_e32 v2, 0.5
	s_waitcnt lgkmcnt(0)
	s_load_dwordx8 s[12:19], s[4:5], 0x0
	s_load_dwordx4 s[20:23], s[6:7], 0x0
	s_waitcnt lgkmcnt(0)
	image_sample_lz v4, v[1:2], s[12:19], s[20:23] dmask:0x1
	v_lshlrev_b32_e32 v0, 2, v0
	v_mov_b32_e32 v3, s9
	v_add_u32_e32 v2, vcc, s8, v0
	v_addc_u32_e32 v3, vcc, 0, v3, vcc
	s_waitcnt vmcnt(0)
	flat_store_dword v[2:3], v4
	s_endpgm
	.rodata
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 24
	.end_amdhsa_kernel
	.amdgpu_metadata
amdhsa.kernels:
  - .args:
      - .offset: 0
        .size: 8
        .value_kind: image
      - .offset: 8
        .size: 8
        .value_kind: sampler
      - .offset: 16
        .size: 8
        .value_kind: global_buffer
    .name: k
    .symbol: k.kd
	.end_amdgpu_metadata
`

// TestDispatchOfAText executes a kernel whose code object is assembly text. Faults and mismatches name its lines.
func TestDispatchOfAText(t *testing.T) {
	files := pictures{"k.s": []byte(sampling)}
	answer := func(image, sampler, out, more string) *Reply {
		req, err := ParseDispatch([]byte(`{"code_object":"k.s","kernel":"k","grid":[8],"workgroup":[8],"args":[{"image":{` +
			image + `}},{"sampler":{` + sampler + `}},{"buffer":` + out + `}],"dump":[{"arg":2,"hex":true}]` + more + `}`))
		require.NoError(t, err)
		reply, err := req.Answer(t.Context(), &Options{Files: files})
		if err != nil {
			return FailedReply(err)
		}
		return reply
	}
	const image = `"format":"R32_FLOAT","size":[4,1],"hex":"0000803f000000400000404000008040"`
	for sampler, want := range map[string][8]float32{
		``:                            {1, 2, 3, 4, 1, 2, 3, 4},
		`"address":"clamp_to_edge"`:   {1, 2, 3, 4, 4, 4, 4, 4},
		`"address":"mirrored_repeat"`: {1, 2, 3, 4, 4, 3, 2, 1},
		`"address":"clamp_to_border","border":"opaque_white"`: {1, 2, 3, 4, 1, 1, 1, 1},
		`"unnormalized":true,"address":"clamp_to_edge"`:       {1, 1, 1, 1, 2, 2, 2, 2},
	} {
		reply := answer(image, sampler, `{"size":32}`, "")
		require.True(t, reply.OK, "%v", reply.Error)
		var got [8]float32
		for i := range got {
			got[i] = math.Float32frombits(binary.LittleEndian.Uint32(reply.Dump[0].Hex[0][4*i:]))
		}
		assert.Equal(t, want, got, sampler)
	}
	reply := answer(image, ``, `{"size":32}`, `,"expect":[{"arg":2,"offset":4,"hex":"00004040","as":"f32"}]`)
	assert.Contains(t, reply.Error.Message, "want 3, got 2, 4194304 ulp away; stored by work-item 1,0,0 with "+
		"flat_store_dword v[2:3], v4 at 0x1058 (k.s:19)")
	reply = answer(image, ``, `{"size":28}`, "")
	require.NotNil(t, reply.Error)
	assert.Equal(t, "fault", reply.Error.Kind)
	assert.Equal(t, "k.s:19", reply.Error.Source)
	files["k.s"] = append([]byte("s_foo\n"), files["k.s"]...)
	reply = answer(image, ``, `{"size":32}`, "")
	assert.Equal(t, "asm", reply.Error.Kind)
	assert.Contains(t, reply.Error.Message, "k.s: code object: assembly: 1:1: ")
}
