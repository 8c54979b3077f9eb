# An object that is not linked: code that finds a variable through the global offset table,
# relative to itself and by a pointer, and one without data in the file.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.text
	.globl get
	.p2align 8
	.type get,@function
get:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, value@gotpcrel32@lo+4
	s_addc_u32 s5, s5, value@gotpcrel32@hi+12
	s_load_dwordx2 s[4:5], s[4:5], 0x0
	s_getpc_b64 s[6:7]
	s_add_u32 s6, s6, table@rel32@lo+4
	s_addc_u32 s7, s7, table@rel32@hi+12
	s_load_dwordx2 s[6:7], s[6:7], 0x0
	s_getpc_b64 s[8:9]
	s_add_u32 s8, s8, zeros@gotpcrel32@lo+4
	s_addc_u32 s9, s9, zeros@gotpcrel32@hi+12
	s_load_dwordx2 s[8:9], s[8:9], 0x0
	s_waitcnt lgkmcnt(0)
	s_load_dword s4, s[4:5], 0x0
	s_load_dword s5, s[6:7], 0x0
	s_load_dword s6, s[8:9], 0xffc
	v_mov_b32 v0, s2
	v_mov_b32 v1, s3
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v2, s4
	v_mov_b32 v3, s5
	v_mov_b32 v4, s6
	flat_store_dwordx3 v[0:1], v[2:4]
	s_endpgm
	.size get, .-get

	.data
	.globl value
	.type value,@object
	.p2align 3
value:
	.long 42
	.long 43
	.size value, 8
table:
	.quad value+4

	.bss
	.globl zeros
	.type zeros,@object
	.p2align 6
zeros:
	.zero 4096
	.size zeros, 4096

	.section .rodata,"a"
	.p2align 6
	.globl get.kd
	.amdhsa_kernel get
		.amdhsa_next_free_vgpr 5
		.amdhsa_next_free_sgpr 10
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 8
	.end_amdhsa_kernel

	.amdgpu_metadata
amdhsa.version: [ 1, 1 ]
amdhsa.kernels:
  - .name: get
    .symbol: get.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 10
    .vgpr_count: 5
    .max_flat_workgroup_size: 64
    .args:
      - { .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global }
	.end_amdgpu_metadata
