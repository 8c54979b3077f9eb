package spec

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
)

// answer runs one request and returns the reply as exec writes it.
func answer(t *testing.T, request []byte) []byte {
	t.Helper()
	b, err := jsonout.Marshal(Answer(t.Context(), request, nil))
	require.NoError(t, err)
	return b
}

// exec runs one request and decodes the reply.
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

// A request that does not decode is answered under its id all the same.
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

// A size that is less than the data is a mistake.
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
