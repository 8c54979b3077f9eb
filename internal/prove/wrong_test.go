package prove_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/prove"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// kernel is the text of a kernel k(global int *s[4:5], global int *s[6:7], int s8, int s9) with work-groups of 128 and
// 512 bytes of LDS. v0 is the global id of the work-item, v1 is 4 times the id.
const kernel = `
	.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
k:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx2 s[8:9], s[0:1], 0x10
	v_lshl_or_b32 v0, s2, 7, v0
	v_lshlrev_b32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
%s
	s_endpgm
	.rodata
	.p2align 6
	.amdhsa_kernel k
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.amdhsa_group_segment_fixed_size 512
	.amdhsa_next_free_vgpr 12
	.amdhsa_next_free_sgpr 24
	.end_amdhsa_kernel
	.amdgpu_metadata
amdhsa.kernels:
  - .args:
      - .offset: 0
        .size: 8
        .value_kind: global_buffer
      - .offset: 8
        .size: 8
        .value_kind: global_buffer
      - .offset: 16
        .size: 4
        .value_kind: by_value
      - .offset: 20
        .size: 4
        .value_kind: by_value
    .group_segment_fixed_size: 512
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 128
    .name: k
    .private_segment_fixed_size: 0
    .reqd_workgroup_size: [128, 1, 1]
    .symbol: k.kd
    .wavefront_size: 64
amdhsa.target: amdgcn-amd-amdhsa--gfx900
amdhsa.version: [1, 1]
	.end_amdgpu_metadata
`

// edited has kernels with right edits, which do not change what the kernel does, and wrong edits, which do. An edit is
// a text and its replacement.
var edited = []struct {
	size         int // work-items of a work-group
	text         string
	right, wrong [][2]string
}{
	{128, `	v_cmp_gt_i32 vcc, s8, v0
	s_and_saveexec_b64 s[10:11], vcc
	global_load_dword v2, v1, s[6:7]
	s_waitcnt vmcnt(0)
	v_ashrrev_i32 v3, 1, v2
	v_sub_u32 v3, v3, s9
	global_store_dword v1, v3, s[4:5]`,
		[][2]string{{"v_cmp_gt_i32 vcc, s8, v0", "v_cmp_lt_i32 vcc, v0, s8"},
			{"v_sub_u32 v3, v3, s9", "v_subrev_u32 v3, s9, v3"}, {"v_ashrrev_i32 v3, 1, v2", "v_bfe_i32 v3, v2, 1, 31"}},
		[][2]string{{"v_ashrrev_i32", "v_lshrrev_b32"}, {"ashrrev_i32 v3, 1", "ashrrev_i32 v3, 2"}, // signs, shifts
			{"gt_i32", "ge_i32"}, {"gt_i32", "gt_u32"}, {"s8, v0", "s9, v0"}, {"gt_i32", "lt_i32"}, // bounds
			{"v3, v3, s9", "v3, s9, v3"}, {"v3, s9", "v3, s8"}, {"v1, s[6:7]", "v1, s[4:5]"}, // swapped arguments
			{"v1, v3, s[4:5]", "v0, v3, s[4:5]"}, {"v1, s[6:7]", "v1, s[6:7] offset:4"}, // strides
			{"s_and_saveexec_b64 s[10:11], vcc", "s_nop 0"}, {"s_and_save", "s_or_save"}, {"s_and_save", "s_andn2_save"}, // EXEC
			{"	global_load", "	s_not_b64 exec, exec\n	global_load"},
			{"	global_store", "	s_mov_b64 exec, s[10:11]\n	global_store"}}},
	{128, `	v_mov_b32 v3, 0
	s_mov_b32 s12, 0
	s_cmp_lt_i32 s8, 1
	s_cbranch_scc1 end
loop:
	global_load_dword v2, v1, s[6:7]
	s_waitcnt vmcnt(0)
	v_add_u32 v3, v3, v2
	v_add_u32 v1, 4, v1
	s_add_i32 s12, s12, 1
	s_cmp_lt_i32 s12, s8
	s_cbranch_scc1 loop
end:
	v_lshlrev_b32 v1, 2, v0
	global_store_dword v1, v3, s[4:5]`,
		[][2]string{{"v_add_u32 v3, v3, v2", "v_add_u32 v3, v2, v3"}, {"s_cmp_lt_i32 s12, s8", "s_cmp_gt_i32 s8, s12"}},
		[][2]string{{"s_mov_b32 s12, 0", "s_mov_b32 s12, 1"}, {"s_cmp_lt_i32 s12, s8", "s_cmp_le_i32 s12, s8"},
			{"s12, s12, 1", "s12, s12, 2"}, {"s_cmp_lt_i32 s8, 1", "s_cmp_lt_i32 s8, 2"}, {"s12, s8", "s12, s9"},
			{"u32 v1, 4, v1", "u32 v1, 8, v1"}, {"v3, v3, v2", "v3, v3, v1"}, {"v_mov_b32 v3, 0", "v_mov_b32 v3, 1"},
			{"s_cmp_lt_i32 s12, s8", "s_cmp_lt_u32 s12, s9"}, {"v_add_u32 v3, v3, v2", "v_sub_u32 v3, v3, v2"},
			{"	v_lshlrev_b32 v1, 2, v0\n	global_store", "	global_store"}, {"v1, s[6:7]", "v1, s[4:5]"}}},
	{128, `	global_load_dword v2, v1, s[6:7]
	v_and_b32 v3, 0x1fc, v1
	s_waitcnt vmcnt(0)
	ds_write_b32 v3, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_xor_b32 v4, 0x1fc, v3
	ds_read_b32 v5, v4
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_write_b32 v3, v5
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_xor_b32 v4, 4, v3
	ds_read_b32 v6, v4
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v6, s[4:5]`,
		[][2]string{{"v_xor_b32 v4, 0x1fc, v3", "v_sub_u32 v4, 0x1fc, v3"}, {"v_xor_b32 v4, 4, v3", "v_xor_b32 v4, v3, 4"}},
		[][2]string{{"	s_barrier\n	v_xor_b32 v4, 0x1fc", "	v_xor_b32 v4, 0x1fc"}, {"	s_barrier\n	ds_write", "	ds_write"},
			{"	s_barrier\n	v_xor_b32 v4, 4", "	v_xor_b32 v4, 4"}, {"0x1fc, v3", "0x1f8, v3"}, {"4, v3", "8, v3"},
			{"ds_read_b32 v6, v4", "ds_read_b32 v6, v3"}, {"ds_write_b32 v3, v5", "ds_write_b32 v4, v5"},
			{"0x1fc, v1", "0xfc, v1"}}},
	{128, `	global_load_dword v2, v1, s[6:7]
	s_waitcnt vmcnt(0)
	global_store_dword v1, v2, s[4:5]
	global_load_dword v3, v1, s[6:7] offset:4
	s_waitcnt vmcnt(0)
	global_store_dword v1, v3, s[6:7]`,
		[][2]string{{"s[6:7] offset:4", "s[6:7] offset:4 glc"}},
		[][2]string{{"v1, v2, s[4:5]", "v1, v2, s[6:7]"}, {"v1, v3, s[6:7]", "v1, v2, s[6:7]"}, {"offset:4", "offset:8"},
			{"v1, v3, s[6:7]", "v1, v3, s[6:7] offset:4"}}},
	{128, `	global_load_dword v2, v1, s[6:7]
	s_waitcnt vmcnt(0)
	v_cmp_gt_i32 s[10:11], s8, v2
	s_bcnt1_i32_b64 s12, s[10:11]
	v_readfirstlane_b32 s13, v2
	v_mov_b32 v4, s12
	v_xor_b32 v4, s13, v4
	v_writelane_b32 v5, s12, 3
	v_writelane_b32 v5, s13, 4
	v_readlane_b32 s14, v5, 4
	v_add_u32 v4, s14, v4
	global_store_dword v1, v4, s[4:5]`,
		[][2]string{{"v_cmp_gt_i32 s[10:11], s8, v2", "v_cmp_lt_i32 s[10:11], v2, s8"},
			{"v_xor_b32 v4, s13, v4", "v_xor_b32 v4, s14, v4\n	v_xor_b32 v4, s14, v4\n	v_xor_b32 v4, s13, v4"}},
		[][2]string{{"gt_i32", "ge_i32"}, {"gt_i32", "gt_u32"}, {"s13, v2", "s13, v0"},
			{"	v_readfirst", "	s_mov_b64 exec, s[10:11]\n	v_readfirst"}, {"s14, v5, 4", "s14, v5, 3"},
			{"s14, v5, 4", "s14, v5, 5"}, {"v5, s13, 4", "v5, s13, 3"}, {"s12, s[10:11]", "s12, exec"},
			{"	v_readlane", "	v_mov_b32 v5, 0\n	v_readlane"}}},
	{128, `	v_and_b32 v3, 0x7c, v1
	ds_add_u32 v3, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_read_b32 v4, v3
	s_waitcnt lgkmcnt(0)
	global_atomic_smax v3, v4, s[4:5]
	global_atomic_add_x2 v1, v[3:4], s[6:7]`,
		[][2]string{{"0x7c, v1", "0x7f, v1"}, {"v3, v0\n	s_wait", "v3, v0\n	s_nop 0\n	s_wait"}},
		[][2]string{{"ds_add_u32", "ds_sub_u32"}, {"ds_add_u32", "ds_write_b32"}, {"v3, v0", "v3, v1"}, {"smax", "umax"},
			{"smax", "add"}, {"v3, v0\n", "v3, v0\n	ds_add_u32 v3, v0\n"}, {"	s_barrier\n", ""}, {"v3, v0", "v3, v0 offset:4"},
			{"v3, v4, s[4:5]", "v3, v4, s[6:7]"}, {"add_x2", "sub_x2"}, {"v[3:4]", "v[4:5]"},
			{"add_x2 v1, v[3:4]", "sub v1, v3"},
			{"	global_atomic_smax", "	s_mov_b64 exec, 1\n	global_atomic_smax"}}},
	{64, `	v_add_u32 v3, s8, v0
	global_store_dword v1, v3, s[4:5]
	global_store_dword v1, v1, s[4:5] offset:4`,
		[][2]string{{"v_add_u32 v3, s8, v0", "v_sub_u32 v3, v0, s9\n	v_add_u32 v3, s9, v3\n	v_add_u32 v3, s8, v3"}},
		[][2]string{{"	global_store_dword v1, v3, s[4:5]\n	global_store_dword v1, v1, s[4:5] offset:4", // next lane
			"	global_store_dword v1, v1, s[4:5] offset:4\n	global_store_dword v1, v3, s[4:5]"}}},
}

// TestWrongPairs edits kernels and checks that no kernel with a wrong edit is proved equal to the original.
func TestWrongPairs(t *testing.T) {
	program := func(text string, size int) prove.Program {
		o, err := codeobj.Parse([]byte(strings.ReplaceAll(fmt.Sprintf(kernel, text), "128", fmt.Sprint(size))))
		require.NoError(t, err)
		return prove.Program{Object: o, Kernel: &o.Kernels[0]}
	}
	for n, x := range edited {
		a := program(x.text, x.size)
		ask := func(edit [2]string) *prove.Proof {
			require.Equal(t, 1, strings.Count(x.text, edit[0]), "%d: %q", n, edit)
			b := program(strings.Replace(x.text, edit[0], edit[1], 1), x.size)
			return prove.Kernels(a, b, prove.Limits{Time: enough.Time, Easy: true})
		}
		for _, edit := range x.right {
			p := ask(edit)
			assert.True(t, p.Proved, "%d: %q: %s", n, edit, p.Why)
		}
		for _, edit := range x.wrong {
			assert.False(t, ask(edit).Proved, "%d: %q", n, edit)
		}
	}
}
