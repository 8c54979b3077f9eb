// Integer matrix product through LDS tiles.
#include "ids.h"

__kernel void matmul(__global int *c, __global const int *a, __global const int *b, int n) {
  __local int ta[8][8], tb[8][8];
  int x = LOCAL_X, y = LOCAL_Y, col = GLOBAL_X(8), row = GLOBAL_Y(8), sum = 0;
  for (int t = 0; t < n; t += 8) {
    ta[y][x] = a[row * n + t + x];
    tb[y][x] = b[(t + y) * n + col];
    barrier_lds();
    for (int k = 0; k < 8; k++) sum += ta[y][k] * tb[k][x];
    barrier_lds();
  }
  c[row * n + col] = sum;
}
