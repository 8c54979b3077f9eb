package spec

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
)

// execSpecs and dispatchSpecs together contain every key.
var execSpecs = []string{
	`{"id":"any","mcpu":"gfx803","asm":"buffer_load_dword v1, v0, s[0:3], 0 offen\nds_write_b32 v0, v1\ns_waitcnt vmcnt(0)",
		"exec":"0xffffffffffffffff","vcc":0,"m0":"0xffff","scc":0,"mode":"0xc0","flat_scratch":0,
		"sgpr":{"0":["0x10000","0x0","0x100","0x27fac"],"8":[7]},"vgpr":{"0":[0,4,8],"2":"0x3f800000"},
		"mem":[{"addr":"0x10000","hex":"00112233","size":256},{"addr":"0x20000","size":4096,"random":7,"as":"f32","min":-1,"max":1.5,"with":["edges","nan"]}],"lds":{"size":4096,"hex":"01"},"gds":{"size":256},
		"rules":"seed","alignment":"dword","check":["all"],"max_instructions":1000,
		"dump":{"sgpr":[[0,4]],"vgpr":[[1,2]],"mem":[{"addr":"0x10000","size":4},{"addr":"0x20000","size":64}],"lds":[[0,64]],"gds":[[0,64]],"regs":true}}`,
	`{"id":1,"mcpu":"gfx900","words":["dc508000","017f0002","bf810000"],"vgpr":{"2":4096},"mem":[{"addr":4096,"size":4096}],"max_instructions":100,
		"timing":true,"chip":"vega10","timing_params":{"CUs":2,"PerfectMemory":true}}`,
	`{"id":[2],"mcpu":"tahiti","asm":"image_load v0, v[0:1], s[0:7] dmask:1 unorm","chip":"tahiti","tile_mode":["0x0"],"gb_addr_config":"0x12011003",
		"border_colors":[["0x0","0x0","0x0","0x0"]],"sgpr":{"0":["0x100","0xa00000","0x4007c07f","0x92e60fac",0,0,0,0]},"mem":[{"addr":65536,"size":65536}],
		"max_instructions":10,"check":["range","ignored"]}`,
	`{"id":4,"mcpu":"fiji","waves":2,"states":[{"m0":64,"vgpr":{"0":[4]}},{"exec":1,"vcc":2,"m0":64,"scc":1,"mode":192,"flat_scratch":0,"sgpr":{"1":[1,2]},"vgpr":{"0":8}}],
		"asm":"ds_write_b32 v0, v1\ns_barrier\nds_read_b32 v2, v0","dump":{"sgpr":[[0,4]],"vgpr":[[1,2]],"regs":true},"check":["all"],"max_instructions":100}`,
	`{"id":{"a":3},"mcpu":"hawaii","macrotile_mode":[1,2],"asm":"flat_load_dword v0, v[2:3]","rules":"driver",` +
		`"alignment":"strict","max_instructions":10}`,
}

var dispatchSpecs = []string{
	`{"code_object":"vadd.fiji.co","kernel":"vadd","mcpu":"gfx803","grid":[100,1,1],"workgroup":[64,1,1],
		"args":[{"buffer":{"size":400}},{"buffer":{"hex":"00112233","size":400}},{"buffer":{"size":400,"addr":"0x100001000","random":1,"as":"i16","min":"-0x10","max":9,"with":["same"]}},{"u32":5}],
		"rules":"driver","check":["all"],"dump":[{"arg":0,"file":"out.bin"},{"arg":1,"hex":true}],
		"expect":[{"arg":0,"hex":"00112233","offset":0,"as":"f32","ulp":1,"absolute":"0.5","relative":1e-3},{"arg":1,"file":"data","as":"f16","bits":true}],
		"global_offset":[0,0,0],"work_dim":1,"dynamic_lds":0,"max_flat_workgroup_size":256,"max_instructions":1000,"placement":{"seed":1}}`,
	`{"code_object":"vadd.gfx906.co","kernel":"vadd","grid":[64],"workgroup":[64],"args":[{"buffer":{"size":256}},{"buffer":{"file":"data"}},{"buffer":{"size":256}},{"hex":"40000000"}],
		"timing":true,"chip":"vega20","timing_params":{"CUs":2},"max_instructions":1000}`,
	`{"code_object":"vadd.tahiti.co","kernel":"vadd","grid":[1],"kernarg":"00000000000000000000000000000000000000000000000000000000000000000000000000000000",
		"args":[{"buffer":{"size":256,"addr":0}}],"tile_mode":[0],"border_colors":[[1,2,3,4]],"gb_addr_config":0,"max_instructions":1000}`,
	`{"code_object":"picture.fiji.co","kernel":"picture","grid":[16,8],"workgroup":[16,8],"args":[{"image":{"format":"R8G8B8A8_UNORM","size":[16,8],"levels":1,"tiling":14,"hex":"00112233"}},
		{"image":{"format":"32_UINT","size":[4,4,2],"type":"2D_ARRAY","random":1,"as":"u8","with":["edges"]}}],"max_instructions":1000,"dump":[{"arg":0,"file":"a.png","hex":true}],"expect":[{"arg":1,"hex":"00"}]}`,
	`{"code_object":"vadd.fiji.co","kernel":"vadd","grid":[1],"workgroup":[4],"args":[{"buffer":{"size":64}},{"sampler":{"filter":"linear","mip":"nearest","address":["repeat","clamp_to_edge","clamp_to_border"],
		"border":"opaque_black","compare":"less","unnormalized":false,"lod":[0,"4.5"],"bias":-1.5,"anisotropy":8}},{"image":{"format":"BC1_SRGB","size":[64,64,64],"file":"data"}},{"u32":4}],"max_instructions":1000}`,
	`{"code_object":"vadd.fiji.co","kernel":"vadd","grid":[1],"args":[{"u64":1},{"f32":1.5},{"local":16},{"u32":1}],` +
		`"macrotile_mode":[0],"max_instructions":10}`,
}

// memory has the files of a dispatch and discards those that are written.
type memory struct{ kernels }

func (m memory) ReadFile(name string, limit int64) ([]byte, error) {
	if name == "data" {
		return make([]byte, 256), nil
	}
	if filepath.Ext(name) != ".co" {
		return nil, os.ErrNotExist
	}
	return m.kernels.ReadFile(name, limit)
}

func (memory) WriteFile(string, []byte) error { return nil }

// kinds are the kinds of errors that may occur, that is, all except internal.
var kinds = []string{"input", "asm", "decode", "fault", "unsupported", "illegal", "register", "pc", "limit",
	"mismatch", "deadlock", "trap", "cancelled"}

// within is the time after which a run is cancelled.
const within = 50 * time.Millisecond

// checkReply writes a reply and reads it: it must be one line of JSON, without an error or with one of a known kind.
func checkReply(t *testing.T, request string, reply any) {
	t.Helper()
	var line strings.Builder
	require.NoError(t, jsonout.Write(&line, reply), request)
	require.Equal(t, 1, strings.Count(line.String(), "\n"), request)
	var got struct {
		OK    bool
		Error *struct{ Kind, Message, Stack string }
	}
	require.NoError(t, json.Unmarshal([]byte(line.String()), &got), "%s\n%s", request, line.String())
	require.Equal(t, got.OK, got.Error == nil, request)
	if got.Error != nil {
		require.Contains(t, kinds, got.Error.Kind, "%s\n%s\n%s", request, got.Error.Message, got.Error.Stack)
	}
}

// sizes returns the sums of the sizes in a request, without those that are an error.
func (e *Exec) sizes() (mapped, shown uint64) {
	for _, r := range e.Mem {
		if r.Size <= maxFileBytes {
			mapped += r.Size
		}
	}
	for _, r := range e.Dump.Mem {
		if r.Size != nil && *r.Size <= maxDumpBytes {
			shown += *r.Size
		}
	}
	return mapped, shown
}

// heavy is a size above which the fuzzer skips a request.
const heavy = 1 << 24

func tryExec(t *testing.T, request string) {
	t.Helper()
	if req, err := ParseExec([]byte(request)); err == nil {
		if mapped, shown := req.sizes(); mapped > heavy || shown > heavy {
			return
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	reply := Answer(ctx, []byte(request), nil)
	checkReply(t, request, reply)
}

func tryDispatch(t *testing.T, request string) {
	t.Helper()
	req, err := ParseDispatch([]byte(request))
	if err != nil {
		if e, ok := errors.AsType[*RequestError](err); ok { // otherwise a value of the right form is invalid
			require.Positive(t, e.Line, request)
			require.Positive(t, e.Col, request)
		}
		return
	}
	for _, a := range req.Args {
		if a.Buffer != nil && a.Buffer.Size > heavy && a.Buffer.Size <= maxFileBytes {
			return
		}
	}
	for _, a := range req.Args {
		if size := uint64(heavy); a.Image != nil {
			for _, n := range a.Image.Size {
				size /= uint64(max(n, 1))
			}
			if size < 64 { // bytes of a texel, and more for tiling
				return
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	reply, err := req.Answer(ctx, &Options{Files: memory{}, Workers: 2})
	if err != nil {
		reply = FailedReply(err)
	}
	checkReply(t, request, reply)
}

// TestEveryFieldAtItsEdges replaces, deletes and duplicates each value of each specification.
func TestEveryFieldAtItsEdges(t *testing.T) {
	for _, c := range []struct {
		specs []string
		try   func(*testing.T, string)
	}{{execSpecs, tryExec}, {dispatchSpecs, tryDispatch}} {
		for _, spec := range c.specs {
			whole := parseNode(spec)
			for place := range whole.all(nil) {
				for how := range len(edges) + numMutations {
					if effort.LeavesOut(place+how) || effort.LeavesOut(place/7+how) {
						continue
					}
					changed := whole.clone()
					changed.mutate(place, how, place+how)
					c.try(t, changed.String())
				}
			}
		}
	}
}

// FuzzFields changes several values of a specification, each according to four bytes. The outcome must be a result or
// an error, within bounded memory.
func FuzzFields(f *testing.F) {
	specs := slices.Concat(execSpecs, dispatchSpecs)
	for i := range specs {
		f.Add(uint8(i), []byte{1, 0, 0, 0})
		f.Add(uint8(i), []byte{5, 0, 7, 0, 30, 0, 50, 9})
	}
	f.Fuzz(func(t *testing.T, spec uint8, choices []byte) {
		number, try := int(spec)%len(specs), tryExec
		if number >= len(execSpecs) {
			try = tryDispatch
		}
		n := parseNode(specs[number])
		for ; len(choices) >= 4; choices = choices[4:] {
			v := binary.LittleEndian.Uint32(choices)
			n.mutate(int(v&0xfff), int(v>>12&0xff), int(v>>20))
		}
		text := n.String()
		if len(text) > 1<<20 { // copies of copies are too large
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		try(t, text)
		runtime.ReadMemStats(&after)
		// Ranges and buffers may be large, and there may be several.
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<30), text)
	})
}

// FuzzRequest parses arbitrary text as a dispatch, or as waves. The outcome must be a result or an error.
func FuzzRequest(f *testing.F) {
	for dispatch, specs := range map[bool][]string{false: execSpecs, true: dispatchSpecs} {
		for _, spec := range specs {
			f.Add(dispatch, strings.ReplaceAll(spec, "\n\t", ""))
		}
	}
	f.Fuzz(func(t *testing.T, dispatch bool, request string) {
		if dispatch {
			tryDispatch(t, request)
		} else {
			tryExec(t, request)
		}
	})
}

// node is a JSON value that can be changed in place. An object keeps the order of its keys, and may have duplicates.
type node struct {
	raw   string   // a value without members
	keys  []string // keys of an object
	items []*node  // values of an object or an array
	open  byte     // '{', '[' or 0
}

// parseNode reads text, which is JSON.
func parseNode(text string) *node {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return readNode(d)
}

func readNode(d *json.Decoder) *node {
	token, err := d.Token()
	if err != nil {
		panic(err)
	}
	delim, nested := token.(json.Delim)
	if !nested {
		b, _ := json.Marshal(token)
		return &node{raw: string(b)}
	}
	n := &node{open: byte(delim)}
	for d.More() {
		if n.open == '{' {
			key, _ := d.Token()
			n.keys = append(n.keys, key.(string))
		}
		n.items = append(n.items, readNode(d))
	}
	_, _ = d.Token()
	return n
}

func (n *node) append(b *bytes.Buffer) {
	if n.open == 0 {
		b.WriteString(n.raw)
		return
	}
	b.WriteByte(n.open)
	for i, item := range n.items {
		if i > 0 {
			b.WriteByte(',')
		}
		if n.open == '{' {
			fmt.Fprintf(b, "%q:", n.keys[i])
		}
		item.append(b)
	}
	b.WriteByte(n.open + 2) // the closing bracket of either kind
}

func (n *node) String() string {
	var b bytes.Buffer
	n.append(&b)
	return b.String()
}

// clone returns a deep copy of n.
func (n *node) clone() *node {
	c := *n
	c.keys, c.items = append([]string(nil), n.keys...), nil
	for _, item := range n.items {
		c.items = append(c.items, item.clone())
	}
	return &c
}

// all appends n and all its descendants to list.
func (n *node) all(list []*node) []*node {
	list = append(list, n)
	for _, item := range n.items {
		list = item.all(list)
	}
	return list
}

// edges are values at the limits of the types that keys have, and of other types.
var edges = []string{
	`0`, `1`, `-1`, `2`, `63`, `64`, `65`, `101`, `102`, `103`, `104`, `127`, `128`, `255`, `256`, `257`, `1023`,
	`1025`, `4095`, `4096`, `65535`, `65536`, `65537`,
	`2147483647`, `2147483648`, `4294967295`, `4294967296`, `4294967297`, `1099511627775`, `281474976710655`,
	`9223372036854775807`, `9223372036854775808`,
	`18446744073709551552`, `18446744073709551615`, `18446744073709551616`, `-2147483648`, `-2147483649`,
	`-9223372036854775808`, `-9223372036854775809`,
	`1.5`, `-0`, `1e3`, `1e39`, `1e-400`, `1e999`,
	`""`, `"0"`, `"-"`, `"0x"`, `"0xffffffffffffffff"`, `"0x10000000000000000"`, `"-1"`, `"-0x8000000000000000"`,
	`" 1"`, `"1_0"`, `"07"`, `"inf"`, `"nan"`, `"\u0000"`, `"\ud800"`,
	`"00112233"`, `"bf800000"`, `"0011223"`, `"all"`, `"gfx900"`, `"tahiti"`, `"rdna"`, `"../../../etc/passwd"`,
	`"s_nop 0\ns_endpgm"`,
	`true`, `false`, `null`, `[]`, `{}`, `[[]]`, `[{}]`, `[null]`, `[0]`, `[-1]`, `[0,1]`, `[1,2,3,4]`,
	`["0xffffffffffffffff",1]`, `[[0,18446744073709551615]]`,
	`[[18446744073709551615,1]]`, `[[0,1],[0,1],[0,1]]`, `["all","all"]`, `{"0":1}`, `{"18446744073709551615":[1]}`,
	`{"255":0,"256":0}`, `{"-1":0}`, `{"1":[1,2],"2":[3]}`,
	`{"addr":-1,"size":1}`, `[{"addr":-16,"size":32}]`, `[{"addr":0,"size":18446744073709551615}]`,
	`[{"addr":4096,"size":4096},{"addr":4097,"size":1}]`, `{"size":0}`, `{"size":65537}`,
	`{"buffer":{}}`, `[{"buffer":{"size":0}}]`, `[{"local":4294967295}]`, `[{"arg":0}]`,
	`[{"arg":0,"hex":true},{"arg":0,"hex":true}]`, `{"seed":0}`, `{"CUs":0}`, `{"CUs":-1,"L1Latency":9223372036854775807}`,
	`[0` + strings.Repeat(`,0`, 64) + `]`, strings.Repeat(`[`, 100) + strings.Repeat(`]`, 100),
	`"` + strings.Repeat(`ab`, 1000) + `"`,
}

// The ways to change a value: the edges, then these.
const (
	mutateDelete = iota
	mutateTwice
	mutateKey
	mutateWrap
	mutateCopy
	numMutations
)

// mutate changes the value number place in the way how; more selects the rest.
func (n *node) mutate(place, how, more int) {
	places := n.all(nil)
	at := places[place%len(places)]
	if how %= len(edges) + numMutations; how < len(edges) {
		*at = node{raw: edges[how]}
		return
	}
	switch how - len(edges) {
	case mutateDelete, mutateTwice, mutateKey:
		if len(at.items) == 0 {
			return
		}
		i := more % len(at.items)
		switch {
		case how-len(edges) == mutateTwice:
			at.items = append(at.items, at.items[i].clone())
			if at.open == '{' {
				at.keys = append(at.keys, at.keys[i])
			}
		case how-len(edges) == mutateDelete:
			at.items = append(at.items[:i:i], at.items[i+1:]...)
			if at.open == '{' {
				at.keys = append(at.keys[:i:i], at.keys[i+1:]...)
			}
		case at.open == '{':
			at.keys[i] = []string{strings.ToUpper(at.keys[i]), at.keys[i] + "s", "", "255", "4294967296"}[more%5]
		}
	case mutateWrap:
		inner := at.clone()
		*at = node{open: '[', items: []*node{inner}}
	case mutateCopy:
		*at = *places[more%len(places)].clone()
	}
}
