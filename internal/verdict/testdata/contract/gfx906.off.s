	.text
	.amdgcn_target "amdgcn-amd-amdhsa--gfx906"
	.amdhsa_code_object_version 5
	.globl	axpy
axpy:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dword s7, s[4:5], 0x10
	v_lshl_or_b32 v0, s6, 6, v0
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v3, s3
	v_add_co_u32_e32 v2, vcc, s2, v0
	v_addc_co_u32_e32 v3, vcc, v3, v1, vcc
	global_load_dword v2, v[2:3], off
	v_mov_b32_e32 v3, s1
	v_add_co_u32_e32 v0, vcc, s0, v0
	v_addc_co_u32_e32 v1, vcc, v3, v1, vcc
	global_load_dword v3, v[0:1], off
	s_waitcnt vmcnt(1)
	v_mul_f32_e32 v2, s7, v2
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v2, v2, v3
	global_store_dword v[0:1], v2, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel axpy
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 8
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end0:
	.text
	.globl	cross_product
cross_product:
	v_lshl_or_b32 v0, s6, 6, v0
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[8:9], s[4:5], 0x10
	v_lshl_add_u32 v0, v0, 1, v0
	v_add_u32_e32 v1, 1, v0
	v_mov_b32_e32 v2, 0
	v_lshlrev_b64 v[3:4], 2, v[1:2]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v1, s3
	v_add_co_u32_e32 v5, vcc, s2, v3
	v_addc_co_u32_e32 v6, vcc, v1, v4, vcc
	v_add_u32_e32 v1, 2, v0
	v_lshlrev_b64 v[7:8], 2, v[1:2]
	v_mov_b32_e32 v18, s9
	v_add_co_u32_e32 v9, vcc, s8, v7
	v_addc_co_u32_e32 v10, vcc, v18, v8, vcc
	v_mov_b32_e32 v1, s3
	v_add_co_u32_e32 v11, vcc, s2, v7
	v_addc_co_u32_e32 v12, vcc, v1, v8, vcc
	v_mov_b32_e32 v1, v2
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	v_mov_b32_e32 v2, s1
	v_add_co_u32_e32 v13, vcc, s0, v0
	v_addc_co_u32_e32 v14, vcc, v2, v1, vcc
	v_mov_b32_e32 v2, s3
	v_add_co_u32_e32 v15, vcc, s2, v0
	global_load_dword v19, v[5:6], off
	v_addc_co_u32_e32 v16, vcc, v2, v1, vcc
	global_load_dword v2, v[9:10], off
	v_add_co_u32_e32 v0, vcc, s8, v0
	v_addc_co_u32_e32 v1, vcc, v18, v1, vcc
	v_add_co_u32_e32 v17, vcc, s8, v3
	v_addc_co_u32_e32 v18, vcc, v18, v4, vcc
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v2, v19, v2
	global_load_dword v19, v[11:12], off
	global_load_dword v20, v[17:18], off
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v19, v19, v20
	v_sub_f32_e32 v2, v2, v19
	global_store_dword v[13:14], v2, off
	global_load_dword v13, v[11:12], off
	s_nop 0
	global_load_dword v14, v[0:1], off
	global_load_dword v19, v[15:16], off
	global_load_dword v20, v[9:10], off
	v_mov_b32_e32 v9, s1
	v_add_co_u32_e32 v2, vcc, s0, v3
	v_addc_co_u32_e32 v3, vcc, v9, v4, vcc
	s_waitcnt vmcnt(2)
	v_mul_f32_e32 v4, v13, v14
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v9, v19, v20
	v_sub_f32_e32 v4, v4, v9
	global_store_dword v[2:3], v4, off
	global_load_dword v2, v[15:16], off
	s_nop 0
	global_load_dword v3, v[5:6], off
	global_load_dword v4, v[17:18], off
	global_load_dword v9, v[0:1], off
	v_mov_b32_e32 v1, s1
	s_waitcnt vmcnt(1)
	v_mul_f32_e32 v0, v2, v4
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v2, v3, v9
	v_sub_f32_e32 v2, v0, v2
	v_add_co_u32_e32 v0, vcc, s0, v7
	v_addc_co_u32_e32 v1, vcc, v1, v8, vcc
	global_store_dword v[0:1], v2, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel cross_product
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 21
		.amdhsa_next_free_sgpr 10
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end1:
	.text
	.globl	dots
dots:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[8:9], s[4:5], 0x10
	v_lshl_or_b32 v8, s6, 6, v0
	v_mov_b32_e32 v9, 0
	v_lshlrev_b64 v[4:5], 4, v[8:9]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v1, s3
	v_add_co_u32_e32 v0, vcc, s2, v4
	v_addc_co_u32_e32 v1, vcc, v1, v5, vcc
	v_mov_b32_e32 v6, s9
	v_add_co_u32_e32 v4, vcc, s8, v4
	v_addc_co_u32_e32 v5, vcc, v6, v5, vcc
	global_load_dwordx4 v[0:3], v[0:1], off
	v_lshlrev_b64 v[8:9], 2, v[8:9]
	global_load_dwordx4 v[4:7], v[4:5], off
	v_mov_b32_e32 v10, s1
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v0, v0, v4
	v_mul_f32_e32 v1, v1, v5
	v_mul_f32_e32 v2, v2, v6
	v_add_f32_e32 v0, v0, v1
	v_mul_f32_e32 v3, v3, v7
	v_add_f32_e32 v0, v2, v0
	v_add_f32_e32 v2, v3, v0
	v_add_co_u32_e32 v0, vcc, s0, v8
	v_addc_co_u32_e32 v1, vcc, v10, v9, vcc
	global_store_dword v[0:1], v2, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel dots
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 11
		.amdhsa_next_free_sgpr 10
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end2:
	.text
	.globl	polynomial
polynomial:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	v_lshl_or_b32 v0, s6, 6, v0
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v3, s3
	v_add_co_u32_e32 v2, vcc, s2, v0
	v_addc_co_u32_e32 v3, vcc, v3, v1, vcc
	global_load_dword v2, v[2:3], off
	v_mov_b32_e32 v3, s1
	v_add_co_u32_e32 v0, vcc, s0, v0
	v_addc_co_u32_e32 v1, vcc, v3, v1, vcc
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v4, 0x3e99999a, v2
	v_add_f32_e32 v4, 0xbfd9999a, v4
	v_mul_f32_e32 v4, v2, v4
	v_add_f32_e32 v4, 0x3de147ae, v4
	v_mul_f32_e32 v2, v2, v4
	v_add_f32_e32 v2, 0x40133333, v2
	global_store_dword v[0:1], v2, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel polynomial
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 5
		.amdhsa_next_free_sgpr 7
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end3:
	.text
	.globl	quotient
quotient:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[8:9], s[4:5], 0x10
	v_lshl_or_b32 v0, s6, 6, v0
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v3, s3
	v_add_co_u32_e32 v2, vcc, s2, v0
	v_addc_co_u32_e32 v3, vcc, v3, v1, vcc
	global_load_dword v4, v[2:3], off
	v_mov_b32_e32 v3, s9
	v_add_co_u32_e32 v2, vcc, s8, v0
	v_addc_co_u32_e32 v3, vcc, v3, v1, vcc
	global_load_dword v2, v[2:3], off
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v3, v4, v2
	v_mul_f32_e32 v2, v2, v2
	v_add_f32_e32 v3, 0x3fa66666, v3
	v_add_f32_e32 v2, 0x3f333333, v2
	v_div_scale_f32 v4, s[2:3], v2, v2, v3
	v_div_scale_f32 v5, vcc, v3, v2, v3
	v_rcp_f32_e32 v6, v4
	v_fma_f32 v7, -v4, v6, 1.0
	v_fmac_f32_e32 v6, v7, v6
	v_mul_f32_e32 v7, v5, v6
	v_fma_f32 v8, -v4, v7, v5
	v_fmac_f32_e32 v7, v8, v6
	v_fma_f32 v4, -v4, v7, v5
	v_div_fmas_f32 v4, v4, v6, v7
	v_mov_b32_e32 v5, s1
	v_add_co_u32_e32 v0, vcc, s0, v0
	v_addc_co_u32_e32 v1, vcc, v5, v1, vcc
	v_div_fixup_f32 v2, v4, v2, v3
	global_store_dword v[0:1], v2, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel quotient
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 9
		.amdhsa_next_free_sgpr 10
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end4:
	.text
	.globl	rows
rows:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[24:25], s[4:5], 0x10
	v_lshlrev_b32_e32 v1, 4, v0
	v_lshl_or_b32 v12, s6, 10, v1
	v_mov_b32_e32 v13, 0
	v_lshlrev_b64 v[1:2], 2, v[12:13]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v3, s3
	v_add_co_u32_e32 v14, vcc, s2, v1
	v_addc_co_u32_e32 v15, vcc, v3, v2, vcc
	global_load_dwordx4 v[1:4], v[14:15], off
	global_load_dwordx4 v[5:8], v[14:15], off offset:16
	global_load_dwordx4 v[9:12], v[14:15], off offset:32
	s_load_dwordx16 s[8:23], s[24:25], 0x0
	s_waitcnt vmcnt(2) lgkmcnt(0)
	v_mul_f32_e32 v16, s8, v1
	v_mul_f32_e32 v17, s9, v2
	v_mul_f32_e32 v18, s10, v3
	v_mul_f32_e32 v19, s11, v4
	global_load_dwordx4 v[1:4], v[14:15], off offset:48
	s_waitcnt vmcnt(1)
	v_mul_f32_e32 v20, s19, v12
	v_lshl_or_b32 v12, s6, 6, v0
	v_mul_f32_e32 v5, s12, v5
	v_mul_f32_e32 v6, s13, v6
	v_mul_f32_e32 v7, s14, v7
	v_mul_f32_e32 v8, s15, v8
	v_mul_f32_e32 v9, s16, v9
	v_mul_f32_e32 v10, s17, v10
	v_mul_f32_e32 v11, s18, v11
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v14, s20, v1
	v_lshlrev_b64 v[0:1], 2, v[12:13]
	v_add_f32_e32 v13, 0, v16
	v_add_f32_e32 v13, v13, v17
	v_add_f32_e32 v13, v13, v18
	v_add_f32_e32 v13, v13, v19
	v_add_f32_e32 v5, v13, v5
	v_add_f32_e32 v5, v5, v6
	v_add_f32_e32 v5, v5, v7
	v_add_f32_e32 v5, v5, v8
	v_add_f32_e32 v5, v5, v9
	v_add_f32_e32 v5, v5, v10
	v_add_f32_e32 v5, v5, v11
	v_add_f32_e32 v5, v5, v20
	v_mul_f32_e32 v2, s21, v2
	v_add_f32_e32 v5, v5, v14
	v_mul_f32_e32 v3, s22, v3
	v_add_f32_e32 v2, v5, v2
	v_mul_f32_e32 v4, s23, v4
	v_mov_b32_e32 v12, s1
	v_add_f32_e32 v2, v2, v3
	v_add_co_u32_e32 v0, vcc, s0, v0
	v_add_f32_e32 v2, v2, v4
	v_addc_co_u32_e32 v1, vcc, v12, v1, vcc
	global_store_dword v[0:1], v2, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel rows
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 21
		.amdhsa_next_free_sgpr 26
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end5:
	.text
	.globl	mandelbrot
mandelbrot:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[8:9], s[4:5], 0x10
	v_lshl_or_b32 v1, s6, 6, v0
	v_mov_b32_e32 v2, 0
	v_lshlrev_b64 v[0:1], 2, v[1:2]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v4, s3
	v_add_co_u32_e32 v3, vcc, s2, v0
	v_addc_co_u32_e32 v4, vcc, v4, v1, vcc
	global_load_dword v6, v[3:4], off
	v_mov_b32_e32 v4, s9
	v_add_co_u32_e32 v3, vcc, s8, v0
	v_addc_co_u32_e32 v4, vcc, v4, v1, vcc
	global_load_dword v7, v[3:4], off
	s_mov_b32 s33, 0
	s_mov_b64 s[2:3], 0
	v_mov_b32_e32 v12, v2
	s_branch .LBB6_9
.LBB6_1:
	s_or_b64 exec, exec, s[52:53]
	s_xor_b64 s[52:53], exec, -1
	s_and_b64 s[50:51], s[50:51], exec
	s_orn2_b64 s[56:57], s[54:55], exec
.LBB6_2:
	s_or_b64 exec, exec, s[48:49]
	s_and_b64 s[52:53], s[52:53], exec
	s_xor_b64 s[48:49], exec, -1
	s_and_b64 s[54:55], s[50:51], exec
	s_orn2_b64 s[50:51], s[56:57], exec
.LBB6_3:
	s_or_b64 exec, exec, s[46:47]
	s_and_b64 s[52:53], s[52:53], exec
	s_and_b64 s[48:49], s[48:49], exec
	s_xor_b64 s[46:47], exec, -1
	s_and_b64 s[54:55], s[54:55], exec
	s_orn2_b64 s[50:51], s[50:51], exec
.LBB6_4:
	s_or_b64 exec, exec, s[44:45]
	s_and_b64 s[52:53], s[52:53], exec
	s_and_b64 s[48:49], s[48:49], exec
	s_and_b64 s[46:47], s[46:47], exec
	s_xor_b64 s[44:45], exec, -1
	s_and_b64 s[54:55], s[54:55], exec
	s_orn2_b64 s[50:51], s[50:51], exec
.LBB6_5:
	s_or_b64 exec, exec, s[42:43]
	s_and_b64 s[56:57], s[52:53], exec
	s_and_b64 s[52:53], s[48:49], exec
	s_and_b64 s[48:49], s[46:47], exec
	s_and_b64 s[46:47], s[44:45], exec
	s_xor_b64 s[44:45], exec, -1
	s_and_b64 s[42:43], s[54:55], exec
	s_orn2_b64 s[54:55], s[50:51], exec
.LBB6_6:
	s_or_b64 exec, exec, s[40:41]
	s_and_b64 s[56:57], s[56:57], exec
	s_and_b64 s[52:53], s[52:53], exec
	s_and_b64 s[50:51], s[48:49], exec
	s_and_b64 s[48:49], s[46:47], exec
	s_and_b64 s[46:47], s[44:45], exec
	s_xor_b64 s[44:45], exec, -1
	s_and_b64 s[42:43], s[42:43], exec
	s_orn2_b64 s[40:41], s[54:55], exec
.LBB6_7:
	s_or_b64 exec, exec, s[38:39]
	s_andn2_b64 s[34:35], s[34:35], exec
	s_and_b64 s[38:39], s[56:57], exec
	s_or_b64 s[34:35], s[34:35], s[38:39]
	s_andn2_b64 s[30:31], s[30:31], exec
	s_and_b64 s[38:39], s[52:53], exec
	s_or_b64 s[30:31], s[30:31], s[38:39]
	s_andn2_b64 s[28:29], s[28:29], exec
	s_and_b64 s[38:39], s[50:51], exec
	s_or_b64 s[28:29], s[28:29], s[38:39]
	s_andn2_b64 s[26:27], s[26:27], exec
	s_and_b64 s[38:39], s[48:49], exec
	s_or_b64 s[26:27], s[26:27], s[38:39]
	s_andn2_b64 s[24:25], s[24:25], exec
	s_and_b64 s[38:39], s[46:47], exec
	s_or_b64 s[24:25], s[24:25], s[38:39]
	s_andn2_b64 s[22:23], s[22:23], exec
	s_and_b64 s[38:39], s[44:45], exec
	s_or_b64 s[22:23], s[22:23], s[38:39]
	s_andn2_b64 s[20:21], s[20:21], exec
	s_and_b64 s[38:39], s[42:43], exec
	s_or_b64 s[20:21], s[20:21], s[38:39]
	s_andn2_b64 s[18:19], s[18:19], exec
	s_and_b64 s[38:39], s[40:41], exec
	v_mov_b32_e32 v13, s59
	s_or_b64 s[18:19], s[18:19], s[38:39]
.LBB6_8:
	s_or_b64 exec, exec, s[36:37]
	s_and_b64 s[36:37], exec, s[18:19]
	s_or_b64 s[2:3], s[36:37], s[2:3]
	s_andn2_b64 s[4:5], s[4:5], exec
	s_and_b64 s[36:37], s[34:35], exec
	s_or_b64 s[4:5], s[4:5], s[36:37]
	s_andn2_b64 s[6:7], s[6:7], exec
	s_and_b64 s[36:37], s[30:31], exec
	s_or_b64 s[6:7], s[6:7], s[36:37]
	s_andn2_b64 s[8:9], s[8:9], exec
	s_and_b64 s[36:37], s[28:29], exec
	s_or_b64 s[8:9], s[8:9], s[36:37]
	s_andn2_b64 s[10:11], s[10:11], exec
	s_and_b64 s[36:37], s[26:27], exec
	s_or_b64 s[10:11], s[10:11], s[36:37]
	s_andn2_b64 s[12:13], s[12:13], exec
	s_and_b64 s[36:37], s[24:25], exec
	s_or_b64 s[12:13], s[12:13], s[36:37]
	s_andn2_b64 s[14:15], s[14:15], exec
	s_and_b64 s[36:37], s[22:23], exec
	s_or_b64 s[14:15], s[14:15], s[36:37]
	s_andn2_b64 s[16:17], s[16:17], exec
	s_and_b64 s[36:37], s[20:21], exec
	v_mov_b32_e32 v14, s33
	s_or_b64 s[16:17], s[16:17], s[36:37]
	s_mov_b32 s33, s58
	s_andn2_b64 exec, exec, s[2:3]
	s_cbranch_execz .LBB6_18
.LBB6_9:
	v_mul_f32_e32 v14, v2, v2
	v_mul_f32_e32 v15, v12, v12
	v_add_f32_e32 v3, v15, v14
	v_cmp_gt_f32_e32 vcc, 4.0, v3
	v_mov_b32_e32 v13, s33
	s_andn2_b64 s[34:35], s[34:35], exec
	s_andn2_b64 s[30:31], s[30:31], exec
	s_andn2_b64 s[28:29], s[28:29], exec
	s_andn2_b64 s[26:27], s[26:27], exec
	s_andn2_b64 s[24:25], s[24:25], exec
	s_andn2_b64 s[22:23], s[22:23], exec
	s_or_b64 s[20:21], s[20:21], exec
	s_or_b64 s[18:19], s[18:19], exec
	s_and_saveexec_b64 s[36:37], vcc
	s_cbranch_execz .LBB6_8
	v_add_f32_e32 v2, v2, v2
	v_sub_f32_e32 v3, v14, v15
	v_mul_f32_e32 v2, v12, v2
	s_waitcnt vmcnt(1)
	v_add_f32_e32 v3, v6, v3
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v13, v7, v2
	v_mul_f32_e32 v14, v3, v3
	v_mul_f32_e32 v15, v13, v13
	v_add_f32_e32 v2, v15, v14
	v_cmp_gt_f32_e32 vcc, 4.0, v2
	s_mov_b64 s[40:41], -1
	s_mov_b64 s[42:43], 0
	s_mov_b64 s[44:45], -1
	s_mov_b64 s[46:47], 0
	s_mov_b64 s[48:49], 0
	s_mov_b64 s[50:51], 0
	s_mov_b64 s[52:53], 0
	s_mov_b64 s[56:57], 0
	s_and_saveexec_b64 s[38:39], vcc
	s_cbranch_execz .LBB6_7
	v_sub_f32_e32 v2, v14, v15
	v_add_f32_e32 v4, v6, v2
	v_add_f32_e32 v2, v3, v3
	v_mul_f32_e32 v2, v13, v2
	v_add_f32_e32 v13, v7, v2
	v_mul_f32_e32 v14, v4, v4
	v_mul_f32_e32 v15, v13, v13
	v_add_f32_e32 v2, v15, v14
	v_cmp_gt_f32_e32 vcc, 4.0, v2
	s_mov_b64 s[54:55], -1
	s_and_saveexec_b64 s[40:41], vcc
	s_cbranch_execz .LBB6_6
	v_sub_f32_e32 v2, v14, v15
	v_add_f32_e32 v5, v6, v2
	v_add_f32_e32 v2, v4, v4
	v_mul_f32_e32 v2, v13, v2
	v_add_f32_e32 v13, v7, v2
	v_mul_f32_e32 v14, v5, v5
	v_mul_f32_e32 v15, v13, v13
	v_add_f32_e32 v2, v15, v14
	v_cmp_gt_f32_e32 vcc, 4.0, v2
	s_mov_b64 s[50:51], -1
	s_mov_b64 s[54:55], 0
	s_and_saveexec_b64 s[42:43], vcc
	s_cbranch_execz .LBB6_5
	v_sub_f32_e32 v2, v14, v15
	v_add_f32_e32 v8, v6, v2
	v_add_f32_e32 v2, v5, v5
	v_mul_f32_e32 v2, v13, v2
	v_add_f32_e32 v13, v7, v2
	v_mul_f32_e32 v14, v8, v8
	v_mul_f32_e32 v15, v13, v13
	v_add_f32_e32 v2, v15, v14
	v_cmp_gt_f32_e32 vcc, 4.0, v2
	s_mov_b64 s[46:47], -1
	s_and_saveexec_b64 s[44:45], vcc
	s_cbranch_execz .LBB6_4
	v_sub_f32_e32 v2, v14, v15
	v_add_f32_e32 v10, v6, v2
	v_add_f32_e32 v2, v8, v8
	v_mul_f32_e32 v2, v13, v2
	v_add_f32_e32 v13, v7, v2
	v_mul_f32_e32 v14, v10, v10
	v_mul_f32_e32 v15, v13, v13
	v_add_f32_e32 v2, v15, v14
	v_cmp_gt_f32_e32 vcc, 4.0, v2
	s_mov_b64 s[48:49], -1
	s_and_saveexec_b64 s[46:47], vcc
	s_cbranch_execz .LBB6_3
	v_sub_f32_e32 v2, v14, v15
	v_add_f32_e32 v11, v6, v2
	v_add_f32_e32 v2, v10, v10
	v_mul_f32_e32 v2, v13, v2
	v_add_f32_e32 v13, v7, v2
	v_mul_f32_e32 v14, v11, v11
	v_mul_f32_e32 v15, v13, v13
	v_add_f32_e32 v2, v15, v14
	v_cmp_gt_f32_e32 vcc, 4.0, v2
	s_mov_b64 s[50:51], 0
	s_mov_b64 s[56:57], -1
	s_mov_b64 s[52:53], -1
	s_and_saveexec_b64 s[48:49], vcc
	s_cbranch_execz .LBB6_2
	v_sub_f32_e32 v2, v14, v15
	v_add_f32_e32 v9, v6, v2
	v_add_f32_e32 v2, v11, v11
	v_mul_f32_e32 v2, v13, v2
	v_add_f32_e32 v13, v7, v2
	v_mul_f32_e32 v14, v9, v9
	v_mul_f32_e32 v15, v13, v13
	v_add_f32_e32 v2, v15, v14
	v_cmp_gt_f32_e32 vcc, 4.0, v2
	s_mov_b64 s[54:55], -1
	s_and_saveexec_b64 s[52:53], vcc
	s_cbranch_execz .LBB6_1
	s_add_i32 s58, s33, 8
	v_add_f32_e32 v12, v9, v9
	s_cmp_eq_u32 s58, 64
	v_sub_f32_e32 v2, v14, v15
	v_mul_f32_e32 v12, v13, v12
	s_cselect_b64 s[54:55], -1, 0
	s_mov_b64 s[50:51], exec
	v_add_f32_e32 v2, v6, v2
	v_add_f32_e32 v12, v7, v12
	s_mov_b32 s59, 64
	s_orn2_b64 s[54:55], s[54:55], exec
	s_branch .LBB6_1
.LBB6_18:
	s_or_b64 exec, exec, s[2:3]
	s_xor_b64 s[2:3], s[16:17], -1
	s_xor_b64 s[20:21], s[14:15], -1
	s_xor_b64 s[18:19], s[12:13], -1
	s_xor_b64 s[16:17], s[10:11], -1
	s_xor_b64 s[10:11], s[8:9], -1
	s_xor_b64 s[14:15], s[6:7], -1
	s_xor_b64 s[12:13], s[4:5], -1
	s_and_saveexec_b64 s[4:5], s[2:3]
	s_xor_b64 s[2:3], exec, s[4:5]
	s_cbranch_execz .LBB6_44
	s_and_saveexec_b64 s[4:5], s[20:21]
	s_xor_b64 s[4:5], exec, s[4:5]
	s_cbranch_execz .LBB6_41
	s_and_saveexec_b64 s[6:7], s[18:19]
	s_xor_b64 s[6:7], exec, s[6:7]
	s_cbranch_execz .LBB6_38
	s_and_saveexec_b64 s[8:9], s[16:17]
	s_xor_b64 s[8:9], exec, s[8:9]
	s_cbranch_execz .LBB6_35
	s_and_saveexec_b64 s[16:17], s[10:11]
	s_xor_b64 s[10:11], exec, s[16:17]
	s_cbranch_execz .LBB6_32
	s_and_saveexec_b64 s[16:17], s[14:15]
	s_xor_b64 s[14:15], exec, s[16:17]
	s_cbranch_execz .LBB6_29
	s_and_saveexec_b64 s[16:17], s[12:13]
	s_xor_b64 s[12:13], exec, s[16:17]
	v_or_b32_e32 v13, 7, v14
	s_andn2_saveexec_b64 s[12:13], s[12:13]
	v_or_b32_e32 v13, 6, v14
	v_mov_b32_e32 v9, v11
	s_or_b64 exec, exec, s[12:13]
.LBB6_29:
	s_andn2_saveexec_b64 s[12:13], s[14:15]
	v_or_b32_e32 v13, 5, v14
	v_mov_b32_e32 v9, v10
	s_or_b64 exec, exec, s[12:13]
.LBB6_32:
	s_andn2_saveexec_b64 s[10:11], s[10:11]
	v_or_b32_e32 v13, 4, v14
	v_mov_b32_e32 v9, v8
	s_or_b64 exec, exec, s[10:11]
.LBB6_35:
	s_andn2_saveexec_b64 s[8:9], s[8:9]
	v_or_b32_e32 v13, 3, v14
	v_mov_b32_e32 v9, v5
	s_or_b64 exec, exec, s[8:9]
.LBB6_38:
	s_andn2_saveexec_b64 s[6:7], s[6:7]
	v_or_b32_e32 v13, 2, v14
	v_mov_b32_e32 v9, v4
	s_or_b64 exec, exec, s[6:7]
.LBB6_41:
	s_andn2_saveexec_b64 s[4:5], s[4:5]
	v_or_b32_e32 v13, 1, v14
	v_mov_b32_e32 v9, v3
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v2, v9
.LBB6_44:
	s_or_b64 exec, exec, s[2:3]
	v_mul_f32_e32 v2, 0x47c35000, v2
	v_cvt_i32_f32_e32 v2, v2
	v_lshlrev_b32_e32 v3, 24, v13
	v_mov_b32_e32 v4, s1
	v_add_co_u32_e32 v0, vcc, s0, v0
	v_xor_b32_e32 v2, v3, v2
	v_addc_co_u32_e32 v1, vcc, v4, v1, vcc
	global_store_dword v[0:1], v2, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel mandelbrot
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 60
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end6:
	.text
	.globl	axpy_half
axpy_half:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	v_lshl_or_b32 v0, s6, 6, v0
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[0:1], 1, v[0:1]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v3, s3
	v_add_co_u32_e32 v2, vcc, s2, v0
	v_addc_co_u32_e32 v3, vcc, v3, v1, vcc
	global_load_ushort v2, v[2:3], off
	v_mov_b32_e32 v3, s1
	v_add_co_u32_e32 v0, vcc, s0, v0
	v_addc_co_u32_e32 v1, vcc, v3, v1, vcc
	global_load_ushort v3, v[0:1], off
	s_waitcnt vmcnt(1)
	v_mul_f16_e32 v2, 0x3d7b, v2
	s_waitcnt vmcnt(0)
	v_add_f16_e32 v2, v2, v3
	global_store_short v[0:1], v2, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel axpy_half
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 7
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end7:
	.text
	.globl	axpy_half2
axpy_half2:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	v_lshl_or_b32 v0, s6, 6, v0
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[0:1], 2, v[0:1]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v3, s3
	v_add_co_u32_e32 v2, vcc, s2, v0
	v_addc_co_u32_e32 v3, vcc, v3, v1, vcc
	global_load_dword v2, v[2:3], off
	v_mov_b32_e32 v3, s1
	v_add_co_u32_e32 v0, vcc, s0, v0
	v_addc_co_u32_e32 v1, vcc, v3, v1, vcc
	global_load_dword v3, v[0:1], off
	s_mov_b32 s0, 0x3a293d7b
	s_waitcnt vmcnt(1)
	v_pk_mul_f16 v2, v2, s0
	s_waitcnt vmcnt(0)
	v_pk_add_f16 v2, v2, v3
	global_store_dword v[0:1], v2, off
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel axpy_half2
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 7
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end8:
	.text
	.globl	axpy_double
axpy_double:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dwordx2 s[8:9], s[4:5], 0x10
	v_lshl_or_b32 v0, s6, 6, v0
	v_mov_b32_e32 v1, 0
	v_lshlrev_b64 v[0:1], 3, v[0:1]
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v3, s3
	v_add_co_u32_e32 v2, vcc, s2, v0
	v_addc_co_u32_e32 v3, vcc, v3, v1, vcc
	v_mov_b32_e32 v4, s1
	v_add_co_u32_e32 v0, vcc, s0, v0
	v_addc_co_u32_e32 v1, vcc, v4, v1, vcc
	global_load_dwordx2 v[2:3], v[2:3], off
	s_waitcnt vmcnt(0)
	v_mul_f64 v[6:7], v[2:3], s[8:9]
	global_load_dwordx2 v[4:5], v[0:1], off
	s_waitcnt vmcnt(0)
	v_mul_f64 v[2:3], v[2:3], v[4:5]
	v_add_f64 v[2:3], v[6:7], -v[2:3]
	global_store_dwordx2 v[0:1], v[2:3], off
	s_endpgm
	.section	.rodata,"a",@progbits
	.amdhsa_kernel axpy_double
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 10
		.amdhsa_reserve_vcc 1
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end9:
	.hidden	__oclc_ABI_version
	.section	.rodata,"a",@progbits
__oclc_ABI_version:
	.long	500
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  global
        .name:           !str y
        .offset:         0
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .name:           x
        .offset:         8
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .name:           a
        .offset:         16
        .size:           4
        .type_name:      float
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 20
    .max_flat_workgroup_size: 64
    .name:           axpy
    .reqd_workgroup_size:
      - 64
      - 1
      - 1
    .sgpr_count:     12
    .symbol:         axpy.kd
    .vgpr_count:     4
  - .args:
      - .address_space:  global
        .name:           c
        .offset:         0
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .name:           a
        .offset:         8
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .name:           b
        .offset:         16
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 64
    .name:           cross_product
    .reqd_workgroup_size:
      - 64
      - 1
      - 1
    .sgpr_count:     14
    .symbol:         cross_product.kd
    .vgpr_count:     21
  - .args:
      - .address_space:  global
        .name:           d
        .offset:         0
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .name:           a
        .offset:         8
        .size:           8
        .type_name:      'float4*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .name:           b
        .offset:         16
        .size:           8
        .type_name:      'float4*'
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 64
    .name:           dots
    .reqd_workgroup_size:
      - 64
      - 1
      - 1
    .sgpr_count:     14
    .symbol:         dots.kd
    .vgpr_count:     11
  - .args:
      - .address_space:  global
        .name:           !str y
        .offset:         0
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .name:           x
        .offset:         8
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 64
    .name:           polynomial
    .reqd_workgroup_size:
      - 64
      - 1
      - 1
    .sgpr_count:     11
    .symbol:         polynomial.kd
    .vgpr_count:     5
  - .args:
      - .address_space:  global
        .name:           q
        .offset:         0
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .name:           a
        .offset:         8
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .name:           b
        .offset:         16
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 64
    .name:           quotient
    .reqd_workgroup_size:
      - 64
      - 1
      - 1
    .sgpr_count:     14
    .symbol:         quotient.kd
    .vgpr_count:     9
  - .args:
      - .address_space:  global
        .name:           !str y
        .offset:         0
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .name:           m
        .offset:         8
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .name:           x
        .offset:         16
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 64
    .name:           rows
    .reqd_workgroup_size:
      - 64
      - 1
      - 1
    .sgpr_count:     30
    .symbol:         rows.kd
    .vgpr_count:     21
  - .args:
      - .address_space:  global
        .name:           !str n
        .offset:         0
        .size:           8
        .type_name:      'int*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .name:           re
        .offset:         8
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .name:           im
        .offset:         16
        .size:           8
        .type_name:      'float*'
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 64
    .name:           mandelbrot
    .reqd_workgroup_size:
      - 64
      - 1
      - 1
    .sgpr_count:     64
    .symbol:         mandelbrot.kd
    .vgpr_count:     16
  - .args:
      - .address_space:  global
        .name:           !str y
        .offset:         0
        .size:           8
        .type_name:      'half*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .name:           x
        .offset:         8
        .size:           8
        .type_name:      'half*'
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 64
    .name:           axpy_half
    .reqd_workgroup_size:
      - 64
      - 1
      - 1
    .sgpr_count:     11
    .symbol:         axpy_half.kd
    .vgpr_count:     4
  - .args:
      - .address_space:  global
        .name:           !str y
        .offset:         0
        .size:           8
        .type_name:      'half2*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .name:           x
        .offset:         8
        .size:           8
        .type_name:      'half2*'
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 64
    .name:           axpy_half2
    .reqd_workgroup_size:
      - 64
      - 1
      - 1
    .sgpr_count:     11
    .symbol:         axpy_half2.kd
    .vgpr_count:     4
  - .args:
      - .address_space:  global
        .name:           !str y
        .offset:         0
        .size:           8
        .type_name:      'double*'
        .value_kind:     global_buffer
      - .address_space:  global
        .is_const:       true
        .name:           x
        .offset:         8
        .size:           8
        .type_name:      'double*'
        .value_kind:     global_buffer
      - .name:           a
        .offset:         16
        .size:           8
        .type_name:      double
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 64
    .name:           axpy_double
    .reqd_workgroup_size:
      - 64
      - 1
      - 1
    .sgpr_count:     14
    .symbol:         axpy_double.kd
    .vgpr_count:     8
amdhsa.target:   amdgcn-amd-amdhsa--gfx906
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
