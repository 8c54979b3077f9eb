// Recursion: a stack whose depth differs from lane to lane.
#include "ids.h"

__attribute__((noinline)) static int climb(int n, int m) {
  if (n <= 1) return m;
  if (n & 1) return climb(n - 1, m + n) ^ m;
  return climb(n - 2, m * 3) + climb(n >> 1, m + 1);
}

__kernel void recurse(__global int *out, __global const uchar *in) {
  int i = GLOBAL_X(64);
  out[i] = climb(in[i] & 15, i);
}
