// Double precision on integers: sums, products, comparisons, conversions are exact.
#include "ids.h"

__kernel void doubles(__global double *out, __global int *rounded, __global const int *a, __global const float *b) {
  int i = GLOBAL_X(64);
  double x = a[i], y = b[i];
  double r = x * y + 0.5;
  if (r < 0) r = -r - x;
  out[i] = r * 1024.0 - y;
  rounded[i] = (int)(r * 0.25) + (int)(float)(a[i] & 0xfff) - (uint)__builtin_fabs(y);
}
