// Scales an array and adds a bias: out[i] = in[i] * scale + bias.
__kernel void scale(__global int *out, __global const int *in, int scale, int bias, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  if (i < n) out[i] = in[i] * scale + bias;
}
