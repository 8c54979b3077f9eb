// Greatest common divisor by subtraction: lanes leave the loop at different times.
#include "ids.h"

__kernel void gcd(__global uint *out, __global uint *steps, __global const uint *a, __global const uint *b) {
  int i = GLOBAL_X(64);
  uint u = a[i], v = b[i], n = 0;
  while (u != v) {
    if (u > v)
      u -= v;
    else
      v -= u;
    n++;
    if (n >= 500) break;
  }
  out[i] = u;
  steps[i] = n;
}
