package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
)

// TestSave: a specification that was saved is read as the dispatch that it was made of, whatever kinds of
// arguments it has.
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

// TestSaveDriver: what is saved of a dispatch of a driver is read back, registers, places and expectations included.
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

// inMemory are files, and the kernels of the tests.
type inMemory map[string][]byte

func (m inMemory) ReadFile(name string, limit int64) ([]byte, error) {
	if data, ok := m[name]; ok {
		return data, nil
	}
	return kernels{}.ReadFile(name, limit)
}

func (inMemory) WriteFile(string, []byte) error { return nil }
