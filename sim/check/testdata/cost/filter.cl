// A filter of 5 x 5 weights over an image of n x n pixels; the border repeats.
#include "../../../../testdata/kernels/ids.h"

__kernel void filter(__global float *out, __global const float *in, __global const float *weights, int n) {
  int x = GLOBAL_X(64), y = GROUP_Y;
  float sum = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      int u = x + dx, v = y + dy;
      u = u < 0 ? 0 : u >= n ? n - 1 : u;
      v = v < 0 ? 0 : v >= n ? n - 1 : v;
      sum += in[v * n + u] * weights[(dy + 2) * 5 + dx + 2];
    }
  out[y * n + x] = sum;
}
