package spec

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/testkit/elftest"
)

// painted is a dispatch that stores to the texels of a row of an image of 64 by 64: the number of the lane, or with
// other the number of another for lane 37.
func painted(target gcn.Target, value string, im Image) *Dispatch {
	return &Dispatch{
		Object: elftest.Kernel(target.String(), `
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	s_load_dwordx8 s[8:15], s[4:5], 0x0
	v_mov_b32 v1, 9
	`+value+`
	s_waitcnt lgkmcnt(0)
	image_store v2, v[0:1], s[8:15] dmask:0x1 unorm`),
		Target: &target, Kernel: "k", Grid: [3]uint32{64, 1, 1}, Args: []Arg{{Image: &im}},
	}
}

// TestDiffOfImages: images are compared texel by texel, though chips lay them out in other ways, and the store of a
// texel that differs is found in each.
func TestDiffOfImages(t *testing.T) {
	im := Image{Format: "R32_FLOAT", Size: []uint32{64, 64}}
	const lane, other = "v_cvt_f32_u32 v2, v0", `v_cvt_f32_u32 v2, v0
	v_cmp_eq_u32 vcc, 37, v0
	v_mov_b32 v3, 0x42140001
	v_cndmask_b32 v2, v2, v3, vcc`
	a, b := painted(gcn.GFX803, lane, im), painted(gcn.GFX900, lane, im)
	var memory [2]*Memory
	for i, d := range []*Dispatch{a, b} {
		res, err := d.Run(t.Context(), nil)
		require.NoError(t, err)
		memory[i] = res.Memory[0]
	}
	require.NotEqual(t, memory[0].Buffer.Bytes(), memory[1].Buffer.Bytes(), "the layouts are other ones")
	got, err := compare.Programs(t.Context(), compare.SetupOf(a.Program(nil)), compare.SetupOf(b.Program(nil)))
	require.NoError(t, err)
	v, why := got.Verdict()
	assert.Equal(t, compare.Same, v, why)

	b = painted(gcn.GFX900, other, im)
	got, err = compare.Programs(t.Context(), compare.SetupOf(a.Program(nil)), compare.SetupOf(b.Program(nil)))
	require.NoError(t, err)
	d := got.Difference
	require.NotNil(t, d)
	assert.Equal(t, compare.Element{Arg: 0, Offset: 4 * (9*64 + 37), Size: 4}, d.Element)
	assert.Equal(t, []byte{0, 0, 0x14, 0x42}, d.A.Value) // 37
	assert.Equal(t, []byte{1, 0, 0x14, 0x42}, d.B.Value)
	for _, h := range []*compare.Half{&d.A, &d.B} {
		require.NotNil(t, h.Store)
		assert.Contains(t, h.Store.Text, "image_store")
		assert.Equal(t, [3]uint32{37, 0, 0}, h.Store.Item)
	}

	for _, d := range []*Dispatch{a, b} {
		d.Expect = []Expect{{Arg: 0, Want: make([]byte, 4*64*64), As: F32, ULP: new(uint64(1))}}
	}
	got, err = compare.Programs(t.Context(), compare.SetupOf(a.Program(nil)), compare.SetupOf(b.Program(nil)))
	require.NoError(t, err)
	v, why = got.Verdict()
	assert.Equal(t, compare.Same, v, why)
	assert.Equal(t, 1, got.Tolerated)
}
