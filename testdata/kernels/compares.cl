// Every comparison of floating-point numbers, NaN among them, and of integers of 16, 32 and 64 bits.
#include "ids.h"

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// Bits: < <= > >= == !=, then their negations, then unordered and ordered-and-different.
#define FLOATS(x, y)                                                                                       \
  ((x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5 | !(x < y) << 6 |  \
   !(x <= y) << 7 | !(x > y) << 8 | !(x >= y) << 9 | __builtin_isunordered(x, y) << 10 |                    \
   (__builtin_islessgreater(x, y) ? 1 : 0) << 11 | !__builtin_isunordered(x, y) << 12)
#define INTS(x, y) ((x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5)

__kernel void compares(__global uint *out, __global const float *a, __global const float *b, __global const ulong *u) {
  int i = GLOBAL_X(64);
  __global uint *o = out + i * 6;
  float x = a[i], y = b[i];
  double xd = x, yd = y;
  half xh = (half)x, yh = (half)y;
  o[0] = FLOATS(x, y);
  o[1] = FLOATS(xd, yd);
  o[2] = FLOATS(xh, yh);
  ulong p = u[i], q = u[i ^ 1];
  o[3] = INTS(p, q) | INTS((long)p, (long)q) << 8;
  o[4] = INTS((uint)p, (uint)q) | INTS((int)p, (int)q) << 8;
  o[5] = INTS((ushort)p, (ushort)q) | INTS((short)p, (short)q) << 8;
}
