// ds_bpermute and ds_permute (GCN 1.2 and later), with lanes switched off.
#include "ids.h"

__kernel void permute(__global int *out, __global const int *in, __global const uchar *to) {
  int i = GLOBAL_X(64), l = LOCAL_X;
  __global int *o = out + i * 4;
  int v = in[i];
  o[0] = __builtin_amdgcn_ds_bpermute(to[i] * 4, v);
  o[1] = __builtin_amdgcn_ds_permute((63 - l) * 4, v);
  o[2] = __builtin_amdgcn_ds_permute((l * 5 & 63) * 4, v);
  if (l & 1) o[3] = __builtin_amdgcn_ds_bpermute((l ^ 2) * 4, v);
}
