package explain

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gcnsim/gcnsim/gcn"
)

// TestExplainImageInst: what data and address registers hold, for each type of image.
func TestExplainImageInst(t *testing.T) {
	for _, c := range []struct {
		target gcn.Target
		text   string
		want   []string
	}{
		{gcn.GFX803, "image_load v[3:6], v[1:3], s[8:15] dmask:0xf unorm", []string{
			"data v3 R, v4 G, v5 B, v6 A\n", "address: unsigned integers, in texels\n",
			"\n1D v1 x\n2D v1 x, v2 y\n3D v1 x, v2 y, v3 z\n2D MSAA v1 x, v2 y, v3 fragment\n",
			"UNRM 1 no effect", "arrays and cubes: as without layers, in slice 0", "by type of image: 1 to 3 VGPRs",
			"s[8:15], T#"}},
		{gcn.GFX803, "image_load v[3:4], v[1:2], s[8:15] dmask:0x5 r128 da", []string{"\n1D, slice ignored v1 x, v2 slice\n2D, slice ignored v1 x, v2 y, v3 slice\n2D MSAA, slice ignored"}},
		{gcn.GFX803, "image_load v[3:6], v[1:3], s[8:15] dmask:0x7 tfe d16", []string{
			"data v3[15:0] R, v4[15:0] G, v5[15:0] B\n v6 residency status"}},
		{gcn.GFX810, "image_load v[3:5], v[1:3], s[8:15] dmask:0xd tfe d16", []string{
			"data v3[15:0] R, v3[31:16] B, v4[15:0] A\n v5 residency status"}},
		{gcn.GFX803, "image_load_pck v[3:4], v[1:2], s[8:15] dmask:0x3", []string{"loads 2 dwords a lane", "DMASK 3 dwords 0, 1", "v3 dword 0 of the texel, v4 dword 1"}},
		{gcn.GFX803, "image_store_mip v[3:4], v[1:4], s[8:15] dmask:0x3 da", []string{
			"data v3 R, v4 G\n the other components are written as 0",
			"cube v1 x, v2 y, v3 6*layer + face, v4 LOD\n1D array v1 x, v2 slice, v3 LOD\n",
			"2D MSAA array v1 x, v2 y, v3 slice, v4 fragment, v5 LOD"}},
		{gcn.GFX803, "image_atomic_cmpswap v[3:4], v[1:2], s[8:15] dmask:0x3 glc", []string{
			"swap of 4 bytes a lane", "DMASK 3 2 dwords of data", "data v3 operand (then the old value), v4 compared"}},
		{gcn.GFX803, "image_atomic_cmpswap v[3:6], v[1:2], s[8:15] dmask:0xf", []string{"swap of 8 bytes a lane", "v[3:4] operand, v[5:6] compared"}},
		{gcn.GFX900, "image_atomic_add v3, v[1:2], s[8:15] dmask:0x1", []string{"add of 4 bytes", "data v3 operand\n"}},
		{gcn.GFX803, "image_get_resinfo v[3:4], v1, s[8:15] dmask:0xa", []string{"v3 height (1D array: layers), v4 levels", "\nany v1 LOD\n", "1 VGPR\n"}},
		{gcn.GFX803, "image_get_lod v[3:4], v[1:2], s[8:15], s[12:15] dmask:0x3", []string{"v3 LOD after clamping, v4 LOD before clamping", "floats, 0 to 1 across the image"}},
		{gcn.GFX803, "image_sample_c_d_cl_o v[3:6], v[1:9], s[8:15], s[12:15] dmask:0xf", []string{
			"\n1D v1 offsets, v2 reference, v3 dx/dh, v4 dx/dv, v5 x, v6 least LOD\n",
			"\n2D v1 offsets, v2 reference, v3 dx/dh, v4 dy/dh, v5 dx/dv, v6 dy/dv, v7 x, v8 y, v9 least LOD\n",
			"6 to 12 VGPRs", "offsets: texels, signed", "dx/dh: change of x", "reference: compared"}},
		{gcn.GFX900, "image_sample_b_cl v3, v[1:4], s[8:15], s[12:15] dmask:0x3 unorm a16 da d16", []string{
			"data v3[15:0] R, v3[31:16] G\n", "floats, in texels, of 16 bits",
			"cube v1[15:0] LOD bias, v2[15:0] x, v2[31:16] y, v3[15:0] 8*layer + face, v3[31:16] least LOD",
			"from 1 to 2 across a face"}},
		{gcn.GFX900, "image_gather4 v[3:4], v[1:2], s[8:15], s[12:15] dmask:0x2 d16", []string{
			"four texels a lane", "DMASK 2 component G",
			"v3[15:0] lower left, v3[31:16] lower right, v4[15:0] upper right, v4[31:16] upper left", "s[12:15], S#"}},
		{gcn.GFX900, "image_gather4h v[3:6], v[1:2], s[8:15], s[12:15] dmask:0x1", []string{"v3 texel 0, v4 texel 1"}},
	} {
		got := oneSpace(assembled(t, c.target, c.text).String())
		for _, want := range c.want {
			assert.Contains(t, got, want, c.text)
		}
	}
	gather := assembled(t, gcn.GFX900, "image_gather4 v[3:6], v[1:2], s[8:15], s[12:15] dmask:0x1")
	assert.NotContains(t, gather.String(), "\n3D ", "no GATHER4 of 3D images")
	assert.Contains(t, explained(t, "inst", gcn.GCN12, 0xf0440000, 0), "data none: DMASK does not fit")
	assert.Contains(t, explained(t, "inst", gcn.GCN12, 0xf0000000, 0), "data v0 0, because DMASK names nothing")
}
