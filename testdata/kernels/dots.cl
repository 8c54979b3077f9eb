// Dot products of gfx906: of 2, 4 and 8 elements, with and without saturation.
#include "ids.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

__kernel void dots(__global int *out, __global const int *a, __global const int *b, __global const int *c) {
  int i = GLOBAL_X(64);
  __global int *o = out + i * 8;
  int x = a[i], y = b[i], z = c[i];
  o[0] = __builtin_amdgcn_sdot4(x, y, z, 0);
  o[1] = (int)__builtin_amdgcn_udot4((uint)x, (uint)y, (uint)z, 0);
  o[2] = __builtin_amdgcn_sdot8(x, y, z, 0);
  o[3] = (int)__builtin_amdgcn_udot8((uint)x, (uint)y, (uint)z, 0);
  o[4] = __builtin_amdgcn_sdot2(__builtin_astype(x, short2), __builtin_astype(y, short2), z, 1);
  o[5] = (int)__builtin_amdgcn_udot2(__builtin_astype(x, ushort2), __builtin_astype(y, ushort2), (uint)z, 1);
  o[6] = __builtin_amdgcn_sdot4(x, y, z, 1);
  half2 h = (half2)((half)(x & 63), (half)(y & 63)), k = (half2)((half)(z & 31), (half)(x >> 8 & 31));
  o[7] = (int)__builtin_amdgcn_fdot2(h, k, (float)(z & 255), 0);
}
