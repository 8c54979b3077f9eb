// Multiply-add that mixes half and single precision (v_mad_mix, v_fma_mix on GCN 1.4); results are exact.
#include "ids.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

__kernel void mix(__global float *out, __global half2 *halves, __global const half2 *a, __global const float *b) {
#pragma clang fp contract(fast)
  int i = GLOBAL_X(64);
  half2 x = a[i];
  float y = b[i];
  out[3 * i] = (float)x.x * (float)x.y + y;
  out[3 * i + 1] = -(float)x.y * y + (float)x.x;
  out[3 * i + 2] = __builtin_fabsf((float)x.x) * y - (float)x.y;
  halves[i] = (half2)((half)((float)x.x * (float)x.x + y), (half)((float)x.y * y + (float)x.x));
}
