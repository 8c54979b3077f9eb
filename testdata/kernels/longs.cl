// Conversion between 64-bit integers and floating point, both ways.
#include "ids.h"

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void longs(__global float *f, __global double *d, __global long *back, __global const long *in) {
  int i = GLOBAL_X(64);
  long s = in[i];
  ulong u = (ulong)s;
  f[2 * i] = (float)s;
  f[2 * i + 1] = (float)u;
  d[2 * i] = (double)s;
  d[2 * i + 1] = (double)u;
  back[4 * i] = (long)((double)(s >> 3) * 0.5);
  back[4 * i + 1] = (long)(ulong)((double)(u >> 1) * 1.5);
  back[4 * i + 2] = (long)(float)(s >> 2);
  back[4 * i + 3] = (int)((float)(s >> 40) * 1.75f) + (uint)((float)(u >> 34) * 2.5f);
}
