// Sums of absolute differences, byte extraction, alignment, field insertion, packing.
#include "ids.h"

__kernel void media(__global uint *out, __global const uint *a, __global const uint *b, __global const uint *c) {
  int i = GLOBAL_X(64);
  __global uint *o = out + i * 8;
  uint x = a[i], y = b[i], z = c[i];
  o[0] = __builtin_amdgcn_sad_u8(x, y, z);
  o[1] = __builtin_amdgcn_msad_u8(x, y, z);
  o[2] = __builtin_amdgcn_sad_u16(x, y, z);
  o[3] = __builtin_amdgcn_lerp(x, y, z);
  o[4] = __builtin_amdgcn_alignbyte(x, y, z);
  o[5] = __builtin_amdgcn_ubfe(x, z & 31, 7) | (uint)__builtin_amdgcn_sbfe((int)y, 5, z & 15) << 8;
  o[6] = (x & z) | (y & ~z);
  o[7] = __builtin_amdgcn_sad_hi_u8(x, y, z) + (x & 0xffffff) * (y & 0xffffff);
}
