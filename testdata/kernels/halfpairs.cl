// Pairs of half-precision numbers: packed multiply-add, minimum, maximum; results are exact.
#include "ids.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

__kernel void halfpairs(__global half2 *out, __global const half2 *a, __global const half2 *b) {
  int i = GLOBAL_X(64);
  half2 x = a[i], y = b[i];
  __global half2 *o = out + i * 6;
  o[0] = x + y;
  o[1] = x * y - x.yx;
  o[2] = -x - y.xx;
  o[3] = (half2)(__builtin_fmaf16(x.x, y.y, x.y), __builtin_fmaf16(x.y, y.x, (half)2));
  o[4] = (half2)(__builtin_fminf16(x.x, y.x), __builtin_fmaxf16(x.y, y.y));
  o[5] = (half2)(__builtin_floorf16(x.x * (half)0.25), __builtin_fabsf16(y.y) * (half)0.5);
}
