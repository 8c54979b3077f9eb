package spec

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
)

// The tests below change each key of a request, one at a time, and require a difference in the answer. A new key must
// be added here.

// keysOf returns the keys of a request type as paths.
func keysOf(typ reflect.Type, path string) (keys []string) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Array {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct {
		return nil
	}
	for f := range typ.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "-" || !f.IsExported() {
			continue
		}
		inner := path
		if key != "" {
			inner = strings.TrimPrefix(path+"."+key, ".")
			keys = append(keys, inner)
		}
		if key != "id" && key != "suppressions" {
			keys = append(keys, keysOf(f.Type, inner)...)
		}
	}
	return keys
}

// with returns a request with members replaced or added.
func with(t *testing.T, request, members string) string {
	t.Helper()
	all := map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal([]byte(request), &all))
	require.NoError(t, json.Unmarshal([]byte("{"+members+"}"), &all), members)
	text, err := json.Marshal(all)
	require.NoError(t, err)
	return string(text)
}

// requireEffects answers a request with the members of each row in turn. The table must have a row for each key of R.
// If a key has an effect only together with another one, its row has both values of the key, separated by a bar.
func requireEffects[R any](t *testing.T, request string, rows map[string]string, answer func(string) string) {
	t.Helper()
	keys := keysOf(reflect.TypeFor[R](), "")
	slices.Sort(keys)
	require.Equal(t, keys, slices.Sorted(maps.Keys(rows)))
	for key, members := range rows {
		first, second, both := strings.Cut(members, " | ")
		if !both {
			first, second = "", members
		}
		if a := answer(with(t, request, first)); a == answer(with(t, request, second)) {
			t.Errorf("%s has no effect: %s: %s", key, members, a)
		}
	}
}

func TestEveryKeyOfExecHasAnEffect(t *testing.T) {
	const request = `{"mcpu":"gfx803","asm":"s_cbranch_scc1 l\nl:\nbuffer_load_dword v1, v0, s[0:3], 0 offen offset:2\nds_read_b32 v2, v0\nds_read_b32 v3, v0 gds\ns_memtime s[6:7]\ns_mov_b64 s[4:5], flat_scratch",
		"sgpr":{"0":[4096,"0x100000",16,"0x27fac"]},"vgpr":{"0":[0,4]},"m0":-1,"mem":[{"addr":4096,"size":256,"hex":"0102030405060708"}],
		"dump":{"sgpr":[[0,9]],"vgpr":[[0,6]],"mem":[{"addr":4096,"size":8}],"lds":[[0,1]],"gds":[[0,1]],"regs":true}}`
	const swizzled = `"check":["all"],"sgpr":{"0":[4096,"0x80100000",16,"0x627fac"]}`
	image := `"asm":"image_load v4, v[0:1], s[8:15] dmask:1 unorm\nimage_sample_lz v5, v[2:3], s[8:15], s[16:19] dmask:1",
		"sgpr":{"8":["0x10","0x1c400000","0xfc03f","0x90e00924","0x1fe000"],"16":["0xb6",0,0,"0xc0000000"]},"mem":[{"addr":0,"size":262144,"hex":"` + imageBytes + `"}],
		"vgpr":{"0":[37,11,5,9,50],"1":[9,21,3,60,8],"2":["0xbf800000","0xbf800000"]}`
	state := func(keys string) string { return `"waves":2,"states":[{},{` + keys + `}]` }
	mem := func(keys string) string { return `"mem":[{"addr":4096,"size":256` + keys + `}]` }
	bounds := func(keys string) string { return `"check":["bounds"],` + mem(","+keys) }
	trapping := func(keys string) string { return `"asm":"s_trap 1","trap_handler":{` + keys + `}` }
	requireEffects[Exec](t, request, map[string]string{
		"id": `"id":7`, "mcpu": `"mcpu":"tahiti"`, "asm": `"asm":"s_nop 0"`, "words": `"words":[]`, "exec": `"exec":1`,
		"vcc": `"vcc":1`, "m0": `"m0":2`, "scc": `"scc":1`, "mode": `"mode":0`,
		"flat_scratch": `"flat_scratch":"0x100000000"`, "sgpr": `"sgpr":{"4":1}`, "vgpr": `"vgpr":{"2":1}`,
		"mem": `"mem":[]`, "mem.addr": `"mem":[{"addr":0,"size":8192}]`, "mem.size": `"mem":[{"addr":4096,"size":2}]`,
		"mem.noinit":       `"mem":[{"addr":4096,"size":256}] | "mem":[{"addr":4096,"size":256,"noinit":true}]`,
		"mem.parts":        mem(``) + ` | ` + mem(`,"parts":[{"size":4}]`),
		"mem.parts.offset": bounds(`"parts":[{"size":4}]`) + ` | ` + bounds(`"parts":[{"size":4,"offset":16}]`),
		"mem.parts.size":   bounds(`"parts":[{"size":4}]`) + ` | ` + bounds(`"parts":[{"size":256}]`),
		"mem.parts.name":   bounds(`"parts":[{"size":4}]`) + ` | ` + bounds(`"parts":[{"size":4,"name":"a"}]`),
		"mem.hex":          `"mem":[{"addr":4096,"size":256,"hex":"04"}]`,
		"mem.random":       mem(``) + ` | ` + mem(`,"random":1`),
		"mem.as":           mem(`,"random":1`) + ` | ` + mem(`,"random":1,"as":"f32"`),
		"mem.min":          mem(`,"random":1`) + ` | ` + mem(`,"random":1,"min":4294967295`),
		"mem.max":          mem(`,"random":1`) + ` | ` + mem(`,"random":1,"max":0`),
		"mem.with":         mem(`,"random":1`) + ` | ` + mem(`,"random":1,"with":["same"]`),
		"lds":              `"lds":{"hex":"05"}`,
		"lds.size":         `"check":["range"],"lds":{"size":4} | "check":["range"],"lds":{"size":64}`,
		"lds.hex":          `"lds":{"hex":"05"} | "lds":{"hex":"06"}`,
		"gds":              `"gds":{"hex":"05"}`, "gds.size": `"check":["range"],"gds":{"size":4} | "check":["range"],` +
			`"gds":{"size":64}`,
		"gds.hex": `"gds":{"hex":"05"} | "gds":{"hex":"06"}`,
		"waves":   `"waves":2`, "states": state(``), "states.exec": state(`"exec":1`),
		"states.vcc": state(``) + ` | ` + state(`"vcc":1`), "states.m0": state(``) + ` | ` + state(`"m0":2`),
		"states.scc":          state(``) + ` | ` + state(`"scc":1`),
		"states.mode":         state(``) + ` | ` + state(`"mode":0`),
		"states.flat_scratch": state(``) + ` | ` + state(`"flat_scratch":"0x100000000"`),
		"states.sgpr":         state(``) + ` | ` + state(`"sgpr":{"8":7}`),
		"states.vgpr":         state(``) + ` | ` + state(`"vgpr":{"5":7}`),
		"rules":               swizzled + ` | ` + swizzled + `,"rules":"rdna"`, "alignment": `"alignment":"unaligned"`,
		"check":                   `"check":["all"],"alignment":"strict"`,
		"check_options":           `"check":["all"] | "check":["all"],"check_options":{"flat":"x"}`,
		"check_options.flat":      `"check":["all"] | "check":["all"],"check_options":{"flat":"x"}`,
		"check_options.barrier":   `"check":["all"] | "check":["all"],"check_options":{"barrier":"x"}`,
		"check_options.xnack":     `"check_options":{"xnack":true}`, // no check is enabled
		"check_options.sramecc":   `"check_options":{"sramecc":true}`,
		"check_options.max_bytes": `"check":["race"] | "check":["race"],"check_options":{"max_bytes":1}`,
		"suppressions":            `"check":["all"] | "check":["all"],"suppressions":["all 0x0"]`,
		"timing":                  `"timing":true`, "chip": `"timing":true | "timing":true,"chip":"polaris10"`,
		"timing_params":     `"timing":true | "timing":true,"timing_params":{"L1Latency":999}`,
		"sensitivity":       `"timing":true | "timing":true,"sensitivity":true`,
		"tile_mode":         image + ` | ` + image + `,"tile_mode":[` + strings.Repeat("0,", 31) + `0]`,
		"macrotile_mode":    image + ` | ` + image + `,"macrotile_mode":[` + strings.Repeat("85,", 15) + `85]`,
		"gb_addr_config":    image + ` | ` + image + `,"gb_addr_config":"0x22011012"`,
		"border_colors":     image + ` | ` + image + `,"border_colors":[["0x40000000",0,0,0]]`,
		"max_instructions":  `"max_instructions":2`,
		"trap_handler":      trapping(`"asm":"s_rfe_b64 s[2:3]"`),
		"trap_handler.asm":  trapping(`"asm":"s_mov_b32 s0, 7\ns_endpgm"`),
		"trap_handler.file": trapping(`"file":"x"`), // there are no files
		"trap_handler.tma": trapping(`"asm":"s_mov_b64 s[0:1], tma\ns_endpgm"`) + ` | ` +
			trapping(`"asm":"s_mov_b64 s[0:1], tma\ns_endpgm","tma":256`),
		"trap_handler.tma_arg": trapping(`"asm":"s_endpgm"`) + ` | ` + trapping(`"asm":"s_endpgm","tma_arg":0`),
		"dump":                 `"dump":{}`, "dump.sgpr": `"dump":{"sgpr":[[0,1]]}`, "dump.vgpr": `"dump":{"vgpr":[[0,1]]}`,
		"dump.lds": `"dump":{"lds":[[0,1]]}`, "dump.gds": `"dump":{"gds":[[0,1]]}`, "dump.regs": `"dump":{"regs":true}`,
		"dump.mem":      `"dump":{"mem":[{"addr":4096,"size":4}]}`,
		"dump.mem.addr": `"dump":{"mem":[{"addr":4096,"size":4}]} | "dump":{"mem":[{"addr":4100,"size":4}]}`,
		"dump.mem.size": `"dump":{"mem":[{"addr":4096,"size":4}]} | "dump":{"mem":[{"addr":4096,"size":8}]}`,
		"mem.file":      `"mem":[{"addr":4096,"file":"x"}]`, // there are no files
	}, func(request string) string { return string(answer(t, []byte(request))) })
}

// imageBytes is the data of an image as hex digits, without repetition.
var imageBytes = func() string {
	var b strings.Builder
	for i := range 64 * 256 {
		fmt.Fprintf(&b, "%04x0000", 0x1000+i)
	}
	return b.String()
}()

func TestEveryKeyOfDispatchHasAnEffect(t *testing.T) {
	const request = `{"code_object":"vadd.fiji.co","kernel":"vadd","grid":[64],"workgroup":[64],
		"args":[{"buffer":{"size":256}},{"buffer":{"size":256,"hex":"01"}},{"buffer":{"size":256,"hex":"02"}},{"u32":64}],
		"dump":[{"arg":0,"hex":true},{"arg":1,"hex":true}],"check":["all"]}`
	const buffer = `{"buffer":{"size":256}}`
	args := func(last string) string {
		return `"args":[` + strings.Repeat(`{"buffer":{"size":256,"hex":"07"}},`, 3) + last + `]`
	}
	first := func(b string) string { return `"args":[` + buffer + `,{"buffer":` + b + `},` + buffer + `,{"u32":64}]` }
	second := func(arg string, n int) string {
		return fmt.Sprintf(`"args":[%s,%s,%s,{"u32":%d}]`, buffer, arg, buffer, n)
	}
	const plain = `"format":"R8_UINT","size":[4,4]`
	img := func(keys string) string { return second(`{"image":{`+keys+`}}`, 8) }
	smp := func(keys string) string {
		return `"dump":[{"arg":0,"hex":true}],` + second(`{"sampler":{`+keys+`}}`, 4)
	}
	nan := `"args":[{"buffer":{"size":256}},{"buffer":{"hex":"0100c0ff"}},` + buffer + `,{"u32":1}],`
	driver := func(keys string) string { return `"args":[],"dump":[],"registers":{` + keys + `}` }
	expect := func(keys string) string { return `"expect":[{"arg":0,` + keys + `}]` }
	requireEffects[Dispatch](t, request, map[string]string{
		"code_object": `"code_object":"vadd.tahiti.co"`, "kernel": `"kernel":"x"`, "mcpu": `"mcpu":"tahiti"`,
		"grid": `"grid":[128]`, "workgroup": `"workgroup":[32]`,
		"args": args(`{"u32":1}`), "args.buffer": args(buffer), "args.u32": args(`{"u32":64}`) + " | " + args(`{"u32":0}`),
		"args.f32": args(`{"f32":1}`) + " | " + args(`{"f32":0}`),
		"args.u64": args(`{"u64":1}`), "args.local": args(`{"local":1}`),
		"args.hex":           args(`{"hex":"01000000"}`) + " | " + args(`{"hex":"00000000"}`),
		"args.buffer.size":   first(`{"size":256}`) + " | " + first(`{"size":260}`),
		"args.buffer.hex":    first(`{"size":256}`) + " | " + first(`{"size":256,"hex":"03"}`),
		"args.buffer.file":   first(`{"size":256}`) + " | " + first(`{"file":"vadd.arg1.in"}`),
		"args.buffer.noinit": first(`{"size":256}`) + " | " + first(`{"size":256,"noinit":true}`),
		"args.buffer.parts":  first(`{"size":256}`) + " | " + first(`{"size":256,"parts":[{"size":4}]}`),
		"args.buffer.parts.offset": first(`{"size":256,"parts":[{"size":4}]}`) + " | " +
			first(`{"size":256,"parts":[{"size":4,"offset":16}]}`),
		"args.buffer.parts.size": first(`{"size":256,"parts":[{"size":4}]}`) + " | " +
			first(`{"size":256,"parts":[{"size":256}]}`),
		"args.buffer.parts.name": first(`{"size":256,"parts":[{"size":4}]}`) + " | " +
			first(`{"size":256,"parts":[{"size":4,"name":"a"}]}`),
		"args.buffer.addr":   first(`{"size":4,"addr":4096}`) + " | " + first(`{"size":4,"addr":8192}`),
		"args.buffer.random": first(`{"size":256}`) + " | " + first(`{"size":256,"random":1}`),
		"args.buffer.as":     first(`{"size":256,"random":1}`) + " | " + first(`{"size":256,"random":1,"as":"f32"}`),
		"args.buffer.min":    first(`{"size":256,"random":1}`) + " | " + first(`{"size":256,"random":1,"min":4294967295}`),
		"args.buffer.max":    first(`{"size":256,"random":1}`) + " | " + first(`{"size":256,"random":1,"max":0}`),
		"args.buffer.with":   first(`{"size":256,"random":1}`) + " | " + first(`{"size":256,"random":1,"with":["same"]}`),
		"rules":              `"rules":"x"`, "suppressions": `"suppressions":["all vadd"]`, "check": `"check":["x"]`,
		"check_options": `"check_options":{"flat":"x"}`, "check_options.flat": `"check_options":{"flat":"x"}`,
		"check_options.barrier":   `"check_options":{"barrier":"x"}`,
		"check_options.xnack":     `"check":[],"check_options":{"xnack":true}`,
		"check_options.sramecc":   `"check":[],"check_options":{"sramecc":true}`,
		"check_options.max_bytes": `"check":[],"check_options":{"max_bytes":1}`,
		"dump":                    `"dump":[]`, "dump.arg": `"dump":[{"arg":1,"hex":true}]`,
		"dump.file": `"dump":[{"arg":0,"hex":true,"file":"x"}]`, "dump.hex": `"dump":[{"arg":0}]`,
		"args.image": img(plain), "args.image.format": img(plain) + " | " + img(`"format":"R8_UNORM","size":[4,4]`),
		"args.image.size":   img(plain) + " | " + img(`"format":"R8_UINT","size":[4,5]`),
		"args.image.type":   img(plain) + " | " + img(plain+`,"type":"1D_ARRAY"`),
		"args.image.levels": img(plain) + " | " + img(plain+`,"levels":2`),
		"args.image.tiling": img(plain) + " | " + img(plain+`,"tiling":8`),
		"args.image.hex":    img(plain+`,"hex":"01"`) + " | " + img(plain+`,"hex":"02"`),
		"args.image.file": img(`"format":"R32_UINT","size":[64,64]`) + " | " +
			img(`"format":"R32_UINT","size":[64,64],"file":"vadd.arg1.in"`),
		"args.image.random": img(plain) + " | " + img(plain+`,"random":1`),
		"args.image.as":     img(plain+`,"random":1`) + " | " + img(plain+`,"random":1,"as":"u8"`),
		"args.image.min":    img(plain+`,"random":1`) + " | " + img(plain+`,"random":1,"min":4294967295`),
		"args.image.max":    img(plain+`,"random":1`) + " | " + img(plain+`,"random":1,"max":0`),
		"args.image.with":   img(plain+`,"random":1`) + " | " + img(plain+`,"random":1,"with":["same"]`),
		"args.sampler":      smp(``), "args.sampler.filter": smp(``) + " | " + smp(`"filter":"linear"`),
		"args.sampler.mip":          smp(``) + " | " + smp(`"mip":"nearest"`),
		"args.sampler.address":      smp(``) + " | " + smp(`"address":"clamp_to_edge"`),
		"args.sampler.border":       smp(``) + " | " + smp(`"border":"opaque_white"`),
		"args.sampler.compare":      smp(``) + " | " + smp(`"compare":"always"`),
		"args.sampler.unnormalized": smp(``) + " | " + smp(`"unnormalized":true`),
		"args.sampler.lod":          smp(``) + " | " + smp(`"lod":[1,2]`),
		"args.sampler.bias":         smp(``) + " | " + smp(`"bias":-1.5`),
		"args.sampler.anisotropy":   smp(``) + " | " + smp(`"anisotropy":4`),
		"expect":                    expect(`"hex":"03"`) + " | " + expect(`"hex":"04"`),
		"expect.arg":                expect(`"hex":"03"`) + ` | "expect":[{"arg":1,"hex":"03"}]`,
		"expect.offset":             expect(`"hex":"00000000"`) + " | " + expect(`"hex":"00000000","offset":4`),
		"expect.hex":                expect(`"hex":"03"`) + " | " + expect(`"hex":"04"`),
		"expect.file":               expect(`"file":"x"`) + " | " + expect(`"file":"vadd.arg1.in"`),
		"expect.as":                 expect(`"hex":"0300c0ff"`) + " | " + expect(`"hex":"0300c0ff","as":"i16"`),
		"expect.bits": nan + expect(`"hex":"0000c07f","as":"f32"`) + " | " + nan +
			expect(`"hex":"0000c07f","as":"f32","bits":true`),
		"expect.ulp":      expect(`"hex":"04000000","as":"f32"`) + " | " + expect(`"hex":"04000000","as":"f32","ulp":1`),
		"expect.absolute": expect(`"hex":"05"`) + " | " + expect(`"hex":"05000000","absolute":2`),
		"expect.relative": expect(`"hex":"04000000","as":"f32"`) + " | " +
			expect(`"hex":"04000000","as":"f32","relative":0.5`),
		"global_offset": `"global_offset":[0,0,1]`, "work_dim": `"work_dim":4`, "kernarg": `"kernarg":"00"`,
		"registers": driver(``), "registers.user": driver(``) + " | " + driver(`"user":[0,0,0,0,4096]`),
		"registers.start": driver(``) + " | " + driver(`"start":[1,0,0]`), "entry": driver(``) + `,"entry":4294967296`,
		"registers.tmp_ring": driver(`"tmp_ring":-1`), "registers.private_base": driver(`"private_base":"x"`),
		"registers.border_colors": driver(`"border_colors":"x"`), // this kernel has no scratch and no images
		"dynamic_lds":             `"dynamic_lds":65537`,
		"max_flat_workgroup_size": `"max_flat_workgroup_size":32`, "max_instructions": `"max_instructions":1`,
		"trap_handler": `"trap_handler":{"asm":"s_bad"}`, "trap_handler.asm": `"trap_handler":{"asm":"s_bad"}`,
		"trap_handler.file": `"trap_handler":{"file":"x"}`, "trap_handler.tma": `"trap_handler":{"asm":"s_endpgm","tma":1}`,
		"trap_handler.tma_arg": `"trap_handler":{"asm":"s_endpgm","tma_arg":9}`,
		"schedule":             `"schedule":"sideways"`, // the stored values do not depend on the order
		"placement":            where(0), "placement.seed": where(1) + " | " + where(2),
		"timing": `"timing":true`, "chip": `"chip":"tahiti"`, "timing_params": `"timing_params":{"CUs":1}`,
		"sensitivity": `"sensitivity":true`,
		"tile_mode":   tooMany("tile_mode", 33), "macrotile_mode": tooMany("macrotile_mode", 17),
		"gb_addr_config": `"gb_addr_config":"x"`, "border_colors": tooMany("border_colors", 1),
	}, func(text string) string {
		req, err := ParseDispatch([]byte(text))
		if err != nil {
			return err.Error()
		}
		reply, err := req.Answer(t.Context(), &Options{Files: kernels{}})
		if err != nil {
			return err.Error()
		}
		line, err := jsonout.Marshal(reply)
		require.NoError(t, err)
		return string(line)
	})
}

// where returns a dispatch that faults, so that the error shows the addresses of its buffers.
func where(seed int) string {
	return fmt.Sprintf(`"placement":{"seed":%d},"args":[{"buffer":{"size":4}},{"buffer":{"size":4}},`+
		`{"buffer":{"size":4}},{"u32":64}]`, seed)
}

// tooMany returns an array of n numbers.
func tooMany(key string, n int) string {
	return fmt.Sprintf("%q:[%s0]", key, strings.Repeat("0,", n-1))
}

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

// TestWriteIsMarshal compares the writer with encoding/json, which has no streaming of views.
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
