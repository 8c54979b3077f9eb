// -1 * 0 is -0. LLVM computes the product as a * b + 0 (v_fma_mixlo_f16, v_mad_mixlo_f16), which is +0.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void zero(global half *out, global const float *in) {
  int t = __builtin_amdgcn_workitem_id_x();
  out[t] = (half)(in[t] * in[t + 2]);
}
