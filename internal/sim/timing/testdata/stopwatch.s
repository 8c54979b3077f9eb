// Waves that read the clock before and after work whose length depends on the wave, and
// after a barrier. Stores the three times, low dwords, for each work-item: out[4*id].
// clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx900 -c stopwatch.s -o stopwatch.o
// ld.lld-22 -shared -s stopwatch.o -o stopwatch.co
	.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
	.text
	.protected stopwatch
	.globl stopwatch
	.p2align 8
	.type stopwatch,@function
stopwatch:                        // s[0:1] kernarg, s2 work-group, v0 work-item
	s_load_dwordx2 s[0:1], s[0:1], 0x0
	v_readfirstlane_b32 s3, v0
	s_lshr_b32 s3, s3, 6
	s_memtime s[4:5]
	s_waitcnt lgkmcnt(0)
	v_lshlrev_b32_e32 v1, 4, v0
	s_cmp_eq_u32 s3, 0
	s_cbranch_scc1 work_done
work:
	ds_write_b128 v1, v[4:7]
	ds_read_b128 v[4:7], v1
	s_waitcnt lgkmcnt(0)
	s_sub_u32 s3, s3, 1
	s_cmp_lg_u32 s3, 0
	s_cbranch_scc1 work
work_done:
	s_memtime s[6:7]
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_memtime s[8:9]
	s_waitcnt lgkmcnt(0)
	s_lshl_b32 s2, s2, 8          // work-groups of 256
	v_add_u32_e32 v2, s2, v0
	v_lshlrev_b32_e32 v2, 4, v2
	v_mov_b32_e32 v4, s4
	v_mov_b32_e32 v5, s6
	v_mov_b32_e32 v6, s8
	global_store_dwordx3 v2, v[4:6], s[0:1]
	s_endpgm
	.size stopwatch, .-stopwatch

	.rodata
	.p2align 6
	.amdhsa_kernel stopwatch
		.amdhsa_group_segment_fixed_size 4096
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 10
	.end_amdhsa_kernel

	.amdgpu_metadata
amdhsa.version: [ 1, 1 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx900
amdhsa.kernels:
  - .name: stopwatch
    .symbol: stopwatch.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 4096
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - { .name: out, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global }
	.end_amdgpu_metadata
