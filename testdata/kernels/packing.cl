// Conversions that pack two or four numbers into a dword; cube map coordinates; sums of differences of four windows.
#include "ids.h"

__kernel void packing(__global uint *out, __global float4 *cube, __global const float *a, __global const float *b, __global const ulong *w) {
  int i = GLOBAL_X(64);
  float x = a[i], y = b[i];
  __global uint *o = out + i * 12;
  o[0] = __builtin_astype(__builtin_amdgcn_cvt_pkrtz(x, y), uint);
  o[1] = __builtin_astype(__builtin_amdgcn_cvt_pknorm_i16(x * 4.0f, y * 4.0f), uint);
  o[2] = __builtin_astype(__builtin_amdgcn_cvt_pknorm_u16(x * 4.0f, y * 4.0f), uint);
  o[3] = __builtin_astype(__builtin_amdgcn_cvt_pk_i16((int)x * 64, (int)y * 64), uint);
  o[4] = __builtin_astype(__builtin_amdgcn_cvt_pk_u16((uint)__builtin_fabsf(x) * 64, (uint)__builtin_fabsf(y) * 64), uint);
  o[5] = __builtin_amdgcn_cvt_pk_u8_f32(y, 2, __builtin_amdgcn_cvt_pk_u8_f32(x, 0, 0x44332211));
  ulong p = w[i], q = __builtin_amdgcn_qsad_pk_u16_u8(p, (uint)(p >> 40), w[i ^ 1] & 0x0fff0fff0fff0ffful), m = __builtin_amdgcn_mqsad_pk_u16_u8(p, (uint)w[i ^ 2], w[i ^ 1] & 0x0fff0fff0fff0ffful);
  o[6] = (uint)q;
  o[7] = (uint)(q >> 32);
  o[8] = (uint)m;
  o[9] = (uint)(m >> 32);
  o[10] = ((uint)p & 0x00ff00ff) | ((uint)(p >> 32) & 0xff00ff00);
  o[11] = (uint)(__builtin_popcountl(p) * 3) + ((uint)p >> 24);
  float z = 100.0f - x;
  cube[i] = (float4)(__builtin_amdgcn_cubeid(x, y, z), __builtin_amdgcn_cubesc(x, y, z), __builtin_amdgcn_cubetc(x, y, z), __builtin_amdgcn_cubema(x, y, z));
}
