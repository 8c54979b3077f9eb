# Relocations that a linker leaves for the loader, and a descriptor no compiler writes.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.text
	.globl tiny
	.p2align 8
	.type tiny,@function
tiny:
	s_endpgm
	.size tiny, .-tiny

	.section .rodata,"a"
	.p2align 6
	.globl tiny.kd
	.amdhsa_kernel tiny
		.amdhsa_next_free_vgpr 9
		.amdhsa_next_free_sgpr 30
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_private_segment_size 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 1
		.amdhsa_system_vgpr_workitem_id 1
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_private_segment_fixed_size 64
		.amdhsa_kernarg_size 24
		.amdhsa_float_round_mode_32 1
		.amdhsa_float_round_mode_16_64 2
		.amdhsa_float_denorm_mode_32 0
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 0
		.amdhsa_exception_int_div_zero 1
	.end_amdhsa_kernel

	.globl constant
	.type constant,@object
	.p2align 3
constant:
	.quad 0x1122334455667788
	.size constant, 8

	.weak absent

	.data
	.globl places
	.type places,@object
	.p2align 3
places:
	.quad constant+8
	.quad hidden
	.quad absent
	.size places, 24
	.type hidden,@object
hidden:
	.long 7
	.size hidden, 4

	.bss
	.globl zeros
	.type zeros,@object
zeros:
	.zero 4096
	.size zeros, 4096
