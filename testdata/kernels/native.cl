// Approximated functions where their results are exact; rounding, minima, classes of numbers.
#include "ids.h"

__kernel void native(__global float *out, __global uint *classes, __global const float *in, __global const int *exponents) {
  int i = GLOBAL_X(64), e = exponents[i];
  float x = in[i], p = __builtin_amdgcn_ldexpf(1.0f, e);
  __global float *o = out + i * 16;
  o[0] = __builtin_amdgcn_rcpf(p);
  o[1] = __builtin_amdgcn_rsqf(p * p);
  o[2] = __builtin_log2f(p);
  o[3] = __builtin_exp2f((float)e);
  o[4] = __builtin_sqrtf((float)(e * e));
  o[5] = __builtin_amdgcn_sinf((float)e * 0.25f) + 1.0f;
  o[6] = __builtin_floorf(x);
  o[7] = __builtin_ceilf(x);
  o[8] = __builtin_truncf(x);
  o[9] = __builtin_rintf(x);
  o[10] = __builtin_amdgcn_fractf(x);
  o[11] = __builtin_amdgcn_fmed3f(x, -4.5f, 7.25f);
  o[12] = __builtin_fmaxf(__builtin_fmaxf(x, p), 3.0f) - __builtin_fminf(__builtin_fminf(x, p), 2.0f);
  o[13] = __builtin_amdgcn_frexp_mantf(x) * __builtin_amdgcn_frexp_expf(x);
  o[14] = __builtin_fmaf(x, 3.0f, -p);
  o[15] = __builtin_copysignf(p, x) + __builtin_fabsf(x);
  uint c = 0, pattern = (uint)i << 24 | (uint)(i & 3 ? e : 0);
  float any = __builtin_astype(pattern, float);
  for (int bit = 0; bit < 10; bit++) c |= __builtin_amdgcn_classf(any, 1 << bit) ? 1 << bit : 0;
  classes[i] = c | __builtin_amdgcn_classf(any, 0x1f8) << 16;
}
