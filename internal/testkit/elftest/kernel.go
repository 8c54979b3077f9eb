package elftest

// Kernel returns the assembly text of a code object with one kernel, k. Its kernarg segment, at s[0:1], has 8 bytes:
// a pointer.
func Kernel(processor, text string) []byte {
	return []byte(`
	.amdgcn_target "amdgcn-amd-amdhsa--` + processor + `"
k:
` + text + `
	s_endpgm
	.rodata
	.p2align 6
	.amdhsa_kernel k
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.amdhsa_next_free_vgpr 8
	.amdhsa_next_free_sgpr 16
	.amdhsa_group_segment_fixed_size 2048
	.end_amdhsa_kernel
	.amdgpu_metadata
amdhsa.kernels:
  - .args:
      - .offset: 0
        .size: 8
        .value_kind: global_buffer
    .group_segment_fixed_size: 2048
    .kernarg_segment_align: 8
    .kernarg_segment_size: 8
    .max_flat_workgroup_size: 256
    .name: k
    .private_segment_fixed_size: 0
    .symbol: k.kd
    .wavefront_size: 64
amdhsa.target: amdgcn-amd-amdhsa--` + processor + `
amdhsa.version:
  - 1
  - 2
	.end_amdgpu_metadata
`)
}
