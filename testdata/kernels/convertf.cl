// Conversion between floating point and integers of 8, 16 and 32 bits; half precision both ways with rounding.
#include "ids.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

__kernel void convertf(__global float *f, __global int *n, __global half *h, __global const uint *in, __global const float *x) {
  int i = GLOBAL_X(64);
  uint v = in[i];
  __global float *o = f + i * 8;
  for (int k = 0; k < 4; k++) o[k] = (float)(uchar)(v >> 8 * k);
  o[4] = (float)(int)v;
  o[5] = (float)v;
  o[6] = (float)(char)v * 0.5f + (float)(short)(v >> 16);
  o[7] = (float)__builtin_astype((ushort)(v & 0xbbff), half);
  n[2 * i] = (int)x[i];
  n[2 * i + 1] = (int)(uint)__builtin_fabsf(x[i]) ^ (uchar)__builtin_fabsf(x[i] * 0x1p-24f);
  h[2 * i] = (half)(x[i] * 0x1p-16f);
  h[2 * i + 1] = (half)(int)(v & 0xffff) - (half)(short)(v >> 20);
}
