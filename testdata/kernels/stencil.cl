// Sum of the 3x3 neighbourhood, zero outside the image; groups hang over its edge.
#include "ids.h"

__kernel void stencil(__global int *out, __global const int *in, int width, int height) {
  int x = GLOBAL_X(16), y = GLOBAL_Y(4);
  if (x >= width || y >= height) return;
  int sum = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int u = x + dx, v = y + dy;
      if (u >= 0 && u < width && v >= 0 && v < height) sum += in[v * width + u] * (dx == 0 && dy == 0 ? 4 : 1);
    }
  out[y * width + x] = sum;
}
