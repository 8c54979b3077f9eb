// Double precision: division, square root, fused multiply-add, rounding to integers, exponents.
#include "ids.h"

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void divd(__global double *out, __global const double *a, __global const double *b) {
  int i = GLOBAL_X(64);
  double x = a[i], y = b[i];
  __global double *o = out + i * 8;
  o[0] = x / y;
  o[1] = __builtin_sqrt(__builtin_fabs(x));
  o[2] = __builtin_fma(x, y, -x);
  o[3] = __builtin_floor(x) + __builtin_ceil(y);
  o[4] = __builtin_trunc(x) - __builtin_rint(y);
  o[5] = __builtin_amdgcn_ldexp(x, i & 15);
  o[6] = __builtin_amdgcn_frexp_mant(x) + __builtin_amdgcn_frexp_exp(y);
  o[7] = __builtin_fmax(x, __builtin_fmin(y, 1.0)) * -__builtin_copysign(2.0, y);
}
