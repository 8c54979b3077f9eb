package spec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
	"github.com/gcnsim/gcnsim/sim"
)

// kernels gives read-only access to the compiled kernels of the project's tests.
type kernels struct{}

func (kernels) ReadFile(name string, limit int64) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join("../../testdata/kernels", filepath.Base(name)))
	if int64(len(b)) > limit {
		return nil, errors.New("too large")
	}
	return b, err
}

func (kernels) WriteFile(string, []byte) error { return errors.New("read-only") }

func TestDispatchRefusesWhatItCannotTake(t *testing.T) {
	const args = `{"buffer":{"size":64}},{"buffer":{"size":64}},{"buffer":{"size":64}}`
	for name, c := range map[string]struct{ keys, message string }{
		"no files of that name":  {`"code_object":"x"`, "code_object: open"},
		"huge buffer":            {`"args":[{"buffer":{"size":"0xffffffffffffffff"}}]`, "args[0]: with a buffer of 18446744073709551615 bytes"},
		"buffers in sum":         {`"args":[{"buffer":{"size":1073741824}},{"buffer":{"size":3221225473}}]`, "args[1]: with a buffer of 3221225473 bytes"},
		"no buffer":              {`"args":[{"buffer":{}}]`, "args[0]: a buffer of no size"},
		"two contents":           {`"args":[{"buffer":{"file":"a","hex":"00"}}]`, "both hex and file"},
		"two kinds of argument":  {`"args":[{"u32":1,"u64":2}]`, "args[0]: give exactly one of buffer"},
		"nothing":                {`"args":[{}]`, "args[0]: give exactly one of buffer"},
		"dump of no buffer":      {`"args":[` + args + `,{"u32":1}],"dump":[{"arg":3,"hex":true}]`, "dump: argument 3 is not a buffer"},
		"dump beyond":            {`"args":[` + args + `,{"u32":1}],"dump":[{"arg":4294967295,"hex":true}]`, "dump: argument 4294967295 is not a buffer"},
		"dump to nowhere":        {`"args":[` + args + `,{"u32":1}],"dump":[{"arg":0}]`, "goes nowhere"},
		"dump of too much":       {`"args":[{"buffer":{"size":"0x400001"}}],"dump":[` + strings.Repeat(`{"arg":0,"hex":true},`, 255) + `{"arg":0,"hex":true}]`, "dump[255]: with these 4194305 bytes the answer would show more than the 1073741824 that it may; give file"},
		"dump that cannot write": {`"args":[` + args + `,{"u32":1}],"dump":[{"arg":0,"file":"a"}]`, "read-only"},
	} {
		keys := c.keys
		if !strings.Contains(keys, "code_object") {
			keys += `,"code_object":"vadd.fiji.co"`
		}
		req, err := ParseDispatch([]byte(`{"kernel":"vadd","grid":[1],` + keys + `}`))
		require.NoError(t, err, name)
		_, err = req.Answer(t.Context(), &Options{Files: kernels{}})
		require.ErrorContains(t, err, c.message, name)
		assert.Equal(t, "input", Failed(err).Kind, name)
	}
	req, err := ParseDispatch([]byte(`{"code_object":"a"}`))
	require.NoError(t, err)
	_, err = req.Answer(t.Context(), nil)
	require.ErrorContains(t, err, `there are no files here, "a" cannot be read`)
}

// run executes a specification of vadd on fiji, which adds two buffers.
func run(t *testing.T, keys string) (*Reply, error) {
	t.Helper()
	return runGrid(t, 2, keys)
}

// runGrid does what run does, with n work-items.
func runGrid(t *testing.T, n int, keys string) (*Reply, error) {
	t.Helper()
	req, err := ParseDispatch(fmt.Appendf(nil,
		`{"code_object":"vadd.fiji.co","kernel":"vadd","grid":[%d],"workgroup":[64],%s}`, n, keys))
	if err != nil {
		return nil, err
	}
	return req.Answer(t.Context(), &Options{Files: kernels{}})
}

func TestDispatchLaunch(t *testing.T) {
	const sum = "0400000006000000"
	const dump = `,"dump":[{"arg":0,"hex":true}]`
	const plain = `"args":[{"buffer":{"size":8}},{"buffer":{"hex":"0100000002000000"}},` +
		`{"buffer":{"hex":"0300000004000000"}},{"u32":2}]` + dump
	const placed = `"args":[{"buffer":{"size":8,"addr":"0xff0001000"}},{"buffer":{"hex":"0100000002000000",` +
		`"addr":"0xff0002000"}},` +
		`{"buffer":{"hex":"0300000004000000","addr":"0xff0003000"}}]` + dump
	const kernarg = `,"kernarg":"0010 00f0 0f00 0000 0020 00f0 0f00 0000 0030 00f0 0f00 0000 0200 0000 0000 0000"`
	for name, keys := range map[string]string{
		"as by default":      plain,
		"packed":             plain + `,"placement":{"seed":0}`,
		"elsewhere":          plain + `,"placement":{"seed":"0xffffffffffffffff"}`,
		"with dimensions":    plain + `,"work_dim":1`,
		"with no offset":     plain + `,"global_offset":[0,0,0]`,
		"with a limit":       plain + `,"max_instructions":100`,
		"with more LDS":      plain + `,"dynamic_lds":256`,
		"with a group limit": plain + `,"max_flat_workgroup_size":64`,
		"with a kernarg":     placed + strings.ReplaceAll(kernarg, " ", ""),
	} {
		reply, err := run(t, keys)
		require.NoError(t, err, name)
		var b strings.Builder
		require.NoError(t, jsonout.Write(&b, reply), name)
		assert.Contains(t, b.String(), `"dump":[{"arg":0,"hex":"`+sum+`"}]`, name)
	}
	for keys, want := range map[string]string{
		`"work_dim":4`:                     "a grid of 4 dimensions",
		`"work_dim":4294967295`:            "dimensions",
		`"max_instructions":3`:             "the limit of 3 instructions",
		`"max_instructions":0`:             "max_instructions: no instruction may run",
		`"max_flat_workgroup_size":63`:     "larger than the 63",
		`"max_flat_workgroup_size":0`:      "max_flat_workgroup_size: no work-item may run",
		`"max_flat_workgroup_size":"1025"`: "the hardware has at most 1024",
		`"dynamic_lds":"0xffffffff"`:       "bytes of LDS",
		`"global_offset":[0,1,0]`:          "it has no argument hidden_global_offset_y",
		`"kernarg":"00"`:                   "with kernarg, which holds the arguments, only a buffer can be given",
		`"timing_params":{"CUs":1}`:        "timing_params has no effect",
	} {
		_, err := run(t, plain+","+keys)
		assert.ErrorContains(t, err, want, keys)
	}
	_, err := run(t, `"kernarg":"00"`)
	assert.ErrorContains(t, err, "1 are given")
	_, err = run(t, `"args":[{"buffer":{"size":8,"addr":"0xfffffffffffffff8"}}]`)
	assert.ErrorContains(t, err, "args[0]: cannot map 8 bytes at 0xfffffffffffffff8: it wraps around")
}

// TestDispatchesShareObjects: decoded code is reused by the next dispatch.
func TestDispatchesShareObjects(t *testing.T) {
	req, err := ParseDispatch([]byte(`{"kernel":"spill","grid":[64],"workgroup":[64],"code_object":"spill.v6.fiji.co",` +
		`"kernarg":"` +
		strings.Repeat("00", 4096) + `","max_instructions":1}`))
	require.NoError(t, err)
	o := &Options{Files: kernels{}, Objects: new(sim.ObjectCache)}
	var bytes [2]uint64
	for i := range bytes {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := req.Answer(t.Context(), o)
		runtime.ReadMemStats(&after)
		require.ErrorContains(t, err, "limit of 1 instructions")
		bytes[i] = after.TotalAlloc - before.TotalAlloc
	}
	assert.Less(t, 2*bytes[1], bytes[0], "%d bytes, then %d", bytes[0], bytes[1])
}

// TestSave: a saved specification is read as the same dispatch, with all kinds of arguments.
func TestSave(t *testing.T) {
	u32, u64, f32, local, levels, addr := uint32(7), uint64(8), float32(1.5), uint32(64), uint32(2), uint64(1<<32)
	value := []byte{1, 2, 3}
	d := &Dispatch{Kernel: "k", Grid: [3]uint32{64, 2, 1}, Group: [3]uint32{8, 8, 1}, Args: []Arg{
		{U32: &u32}, {U64: &u64}, {F32: &f32}, {Local: &local}, {Bytes: &value},
		{Buffer: &Buffer{Size: 64, Data: []byte{1, 2}, NoInit: true, Addr: &addr}},
		{Buffer: &Buffer{Size: 64, Random: &Random{Seed: 3, As: F16, Min: "1", Max: "2", With: []string{"edges"}}}},
		{Image: &Image{Format: "R8G8B8A8_UNORM", Size: []uint32{8, 8}, Type: "2d", Levels: &levels,
			Random: &Random{Seed: 4, As: U8}}},
		{Sampler: &Sampler{}},
		{Sampler: &Sampler{Filter: "linear", Address: [3]string{"repeat", "repeat", "repeat"}, LOD: &[2]float32{0, 1}}},
	}}
	d.MaxInstructions = 1000
	text, err := Save(d, "k.co", "gfx803")
	require.NoError(t, err)
	req, err := ParseDispatch(text)
	require.NoError(t, err, "%s", text)
	assert.Equal(t, "k.co", req.Name)
	assert.Equal(t, gcn.GFX803, *req.Target)
	assert.Empty(t, cmp.Diff(d.Args, req.Args))
	assert.Equal(t, "k", req.Kernel)
	assert.EqualValues(t, d.Grid, req.Grid)
	assert.EqualValues(t, d.Group, req.Group)
	assert.Equal(t, d.MaxInstructions, req.MaxInstructions)
}

// TestSaveDriver: a saved dispatch of a driver is read as the same dispatch, including registers, addresses and
// expectations.
func TestSaveDriver(t *testing.T) {
	d := &Dispatch{
		Kernel: "k", Grid: [3]uint32{7, 1, 1}, Group: [3]uint32{4, 1, 1}, Entry: 0x600100,
		Registers: &sim.Registers{
			TmpRing: 5, PrivateBase: 1 << 40, BorderColors: 256, Start: [3]uint32{1, 0, 2},
			UserData: [isa.MaxUserSGPRs]uint32{0: 1, 15: 0xffffffff},
		},
		Args: []Arg{{Buffer: &Buffer{Size: 8, Data: []byte{1, 2}, Addr: new(uint64(1 << 47))}},
			{Buffer: &Buffer{Size: 4, Addr: new(uint64(4096))}}},
		Expect: []Expect{{Arg: 0, Offset: 4, Want: []byte{1, 2, 3, 4}}, {Arg: 1, Offset: 1, Want: []byte{1}}},
	}
	text, beside, err := SaveDriver(d, "vadd.fiji.co", "fiji", "k")
	require.NoError(t, err)
	req, err := ParseDispatch(text)
	require.NoError(t, err)
	got, err := req.Read(inMemory(beside), nil)
	require.NoError(t, err)
	d.Expect[1].As = U8
	assert.Empty(t, cmp.Diff(d, got, cmpopts.IgnoreFields(Dispatch{}, "Object", "Name", "Target", "Settings"),
		cmpopts.IgnoreFields(Buffer{}, "File"), cmpopts.IgnoreFields(Expect{}, "File"),
		cmpopts.IgnoreUnexported(Expect{}, Dispatch{})))
}

// inMemory has files in memory, and the kernels of the tests.
type inMemory map[string][]byte

func (m inMemory) ReadFile(name string, limit int64) ([]byte, error) {
	if data, ok := m[name]; ok {
		return data, nil
	}
	return kernels{}.ReadFile(name, limit)
}

func (inMemory) WriteFile(string, []byte) error { return nil }
