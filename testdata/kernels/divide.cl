// Division and remainder by variables: 32 bits through reciprocals, 64 bits by long division.
#include "ids.h"

__kernel void divide(__global uint4 *out, __global ulong2 *out64, __global const uint2 *in) {
  int i = GLOBAL_X(64);
  uint2 v = in[i];
  uint4 r;
  r.x = v.x / v.y;
  r.y = v.x % v.y;
  r.z = (int)v.x / (int)v.y;
  r.w = (int)v.x % (int)v.y;
  out[i] = r;
  ulong n = (ulong)v.x << 21 | v.y, d = (ulong)v.y << 3 | 5;
  out64[i] = (ulong2)(n / d, n % d);
}
