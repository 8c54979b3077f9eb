// Half-precision functions where their results are exact (GCN 1.2 and later): roots, powers of two, rounding, exponents.
#include "ids.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

__kernel void halfmath(__global half *out, __global const half *in, __global const short *exponents) {
  int i = GLOBAL_X(64), e = exponents[i];
  half x = in[i], p = __builtin_amdgcn_ldexph((half)1, e), q = (half)(e * e);
  __global half *o = out + i * 16;
  o[0] = __builtin_amdgcn_rcph(p);
  o[1] = __builtin_amdgcn_rsqh(p * p);
  o[2] = __builtin_sqrtf16(q);
  o[3] = __builtin_log2f16(p);
  o[4] = __builtin_exp2f16((half)e);
  o[5] = __builtin_amdgcn_fracth(x);
  o[6] = __builtin_truncf16(x) + __builtin_ceilf16(x);
  o[7] = __builtin_rintf16(x) - __builtin_floorf16(x);
  o[8] = __builtin_amdgcn_frexp_manth(x);
  o[9] = (half)__builtin_amdgcn_frexp_exph(x);
  o[10] = (half)(short)x + (half)(ushort)(short)__builtin_fabsf16(x);
  o[11] = __builtin_fminf16(__builtin_fmaxf16(x, (half)-2), (half)7);
  o[12] = __builtin_fmaxf16(__builtin_fmaxf16(x, p), (half)3);
  o[13] = __builtin_fminf16(__builtin_fminf16(x, p), (half)2);
  o[14] = p / (half)4 - x;
  o[15] = __builtin_amdgcn_classh(x, 0x48) ? (half)1 : __builtin_copysignf16(p, x);
}
