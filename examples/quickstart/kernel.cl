// Adds two arrays. Work-groups have 64 work-items; the last one may be partial.
__kernel void vadd(__global int *sum, __global const int *x, __global const int *y, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  if (i < n) sum[i] = x[i] + y[i];
}
