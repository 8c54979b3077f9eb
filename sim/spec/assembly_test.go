package spec

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sampling is the text of a kernel that gets the addresses of a T# and an S#, and stores what it
// samples at the texels of an image of four, and as many to their right.
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

// TestDispatchOfAText runs a kernel whose code object is a text; faults and mismatches name its
// lines.
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
